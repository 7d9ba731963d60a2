// Atomics and reductions on memory (PTX ISA: atom, red). Lanes apply one after another, lowest first.

#include "common/simt/isa/memory/memory_lanes.h"
#include "common/simt/isa/memory/read_modify_write.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// The active lanes' operands: lane i works on host + relative[i].
struct Lanes {
  u32 mask;
  bool parallel;
  std::byte* host;
  const s32* relative;
  const void *b, *c;  ///< registers; c of cas alone
  void* old;          ///< register of the value before; null: red
};

/// What an atomic does to one element type. The handlers below are shared by all: a row has no code of its own but
/// this.
struct Operation {
  void (*apply)(const Lanes& lanes);
  void (*apply_shared)(const Lanes& lanes);               ///< in shared memory, where it may differ
  void (*apply_later)(std::byte* host, u64 b) = nullptr;  ///< of those that round, whose order shows
  u32 width = 0;
  bool returns = false, three = false;  ///< atom: d, [a], b{, c}; red: [a], b
};

/// F(old, b), or F(old, b, c).
template <auto F, typename T, bool three>
void apply(const Lanes& given) {
  const Lanes lanes = given;  // where no store to `host` can change it
  const auto* b = static_cast<const Raw<T>*>(lanes.b);
  const auto* c = static_cast<const Raw<T>*>(lanes.c);
  auto* old = static_cast<Raw<T>*>(lanes.old);
  for (u32 left = lanes.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    const T before = read_modify_write<T>(lanes.host + lanes.relative[i], lanes.parallel, [&](T value) {
      if constexpr (three)
        return F(value, from_raw<T>(b[i]), from_raw<T>(c[i]));
      else
        return F(value, from_raw<T>(b[i]));
    });
    if (old != nullptr) old[i] = to_raw<T>(before);
  }
}
/// An instruction's operands as an operation takes them.
class Atomic {
 public:
  Atomic(Warp& w, const MicroOp* op);

  template <bool counted>
  void global_part(const Addresses& addresses) const {
    const Resolved r = resolve_global(w_, op_, addresses, operation_.width, Access::atomic, counted);
    if (!r.pattern) check_each_lane(addresses);
    count_global<counted>(w_, op_, r, addresses, operation_.width, Access::atomic);
    const bool defer = operation_.apply_later != nullptr && w_.parallel && !(op_->mods & kResultUsed);
    if (r.pattern && !defer) [[likely]]
      return operation_.apply(lanes(w_.mask, r.host, r.pattern->relative, w_.parallel));
    static constexpr s32 here[kLanes]{};
    for (u32 left = w_.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      std::byte* host = r.pattern ? r.host + r.pattern->relative[i]
                                  : global_host(w_, op_, addresses, i, operation_.width, Access::atomic);
      if (defer)
        defer_atomic(w_, host, value(i), operation_.apply_later);
      else
        operation_.apply(lanes(1u << i, host, here, w_.parallel));
    }
  }
  template <bool counted>
  void shared_part(const Addresses& addresses) const {
    const Resolved r = resolve_shared(w_, op_, addresses, operation_.width, Access::atomic, counted);
    count_shared<counted>(w_, op_, *r.pattern);
    operation_.apply_shared(lanes(w_.mask, r.host, r.pattern->relative, false));
  }
  /// Of siblings in the cluster, added as in the block's own (an H100 keeps subnormals there, too).
  void sibling_part(const Addresses::List& addresses) const {
    static constexpr s32 here[kLanes]{};
    std::byte* hosts[kLanes];
    for (u32 left = w_.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      hosts[i] = sibling_memory(w_, op_, i, static_cast<u32>(addresses.at[i]), operation_.width, "atomic");
    }
    for (u32 left = w_.mask; left; left &= left - 1)
      operation_.apply_shared(lanes(left & -left, hosts[first_lane(left)], here, false));
  }
  void local_part(const Addresses& addresses) const {
    const int i = first_lane(w_.mask);
    fault_access(w_, op_, addresses[i] + kLocalWindow, i, operation_.width, "atomic");
  }
  [[nodiscard]] Addresses addresses() const { return {w_, op_, address_}; }

 private:
  [[nodiscard]] Lanes lanes(u32 mask, std::byte* host, const s32* relative, bool parallel) const {
    return {mask,
            parallel,
            host,
            relative,
            w_.regs + op_->r[address_ + 1],
            operation_.three ? w_.regs + op_->r[address_ + 2] : nullptr,
            operation_.returns ? w_.regs + op_->r[0] : nullptr};
  }
  /// Lanes that are in several allocations, or outside of all.
  [[gnu::noinline]] void check_each_lane(const Addresses& addresses) const {
    for (u32 left = w_.mask; left; left &= left - 1)
      (void)global_host(w_, op_, addresses, first_lane(left), operation_.width, Access::atomic);
  }
  /// b of one lane; narrow ones lie in 32 bits.
  [[nodiscard]] u64 value(int lane) const {
    return operation_.width == 8 ? values<u64>(w_, op_, address_ + 1)[lane] : values<u32>(w_, op_, address_ + 1)[lane];
  }

  Warp& w_;
  const MicroOp* op_;
  const Operation& operation_;
  int address_;
};

inline const MicroOp* done(Warp& w, const MicroOp* op) {
  if (op->mods & kResultUsed) poll(w);
  return following(w, op);
}
template <bool counted>
const MicroOp* in_global(Warp& w, const MicroOp* op) {
  const Atomic atomic(w, op);
  atomic.global_part<counted>(atomic.addresses());
  return done(w, op);
}
template <bool counted>
const MicroOp* in_shared(Warp& w, const MicroOp* op) {
  const Atomic atomic(w, op);
  atomic.shared_part<counted>(atomic.addresses());
  return done(w, op);
}
template <bool counted>
const MicroOp* anywhere(Warp& w, const MicroOp* op) {
  const Atomic atomic(w, op);
  by_window(
      w, atomic.addresses(), [&](const Addresses& at) { atomic.global_part<counted>(at); },
      [&](const Addresses& at) { atomic.shared_part<counted>(at); },
      [&](const Addresses& at) { atomic.local_part(at); }, [&](const Addresses::List& at) { atomic.sibling_part(at); });
  return done(w, op);
}
template <bool counted>
const MicroOp* in_cluster(Warp& w, const MicroOp* op) {
  const Atomic atomic(w, op);
  by_block(
      w, atomic.addresses(), [&](const Addresses& at) { atomic.shared_part<counted>(at); },
      [&](const Addresses::List& at) { atomic.sibling_part(at); });
  return done(w, op);
}

enum class In { global, shared, generic, cluster };

template <In space, auto F, typename T, bool returns, bool three = false, auto InShared = F>
constexpr RowWith<Operation> atomic(const char* form) {
  constexpr OperandType value{Role::in, kind_of<T>()};
  constexpr OperandType none{};
  Meaning meaning{.traits = static_cast<std::uint16_t>(kAtomic | (returns ? kEarlyClobber : 0))};
  if constexpr (returns)
    meaning.operands = {{{Role::out, kind_of<T>()}, {Role::address}, value, three ? value : none}};
  else
    meaning.operands = {{{Role::address}, value}};
  constexpr Handler run[]{in_global<false>, in_shared<false>, anywhere<false>, in_cluster<false>};
  constexpr Handler run_counted[]{in_global<true>, in_shared<true>, anywhere<true>, in_cluster<true>};
  meaning.run = run[static_cast<int>(space)];
  meaning.counted = run_counted[static_cast<int>(space)];
  Operation operation{.apply = apply<F, T, three>,
                      .apply_shared = apply<InShared, T, three>,
                      .width = sizeof(T),
                      .returns = returns,
                      .three = three};
  if constexpr (rounds<T> && !three) operation.apply_later = apply_later<F, T>;
  return {{form, Unit::atomic, meaning}, operation};
}

#define ORDER "{.relaxed,.acquire,.release,.acq_rel}{.cta,.cluster,.gpu,.sys}"
#define SCOPE "{.cta,.cluster,.gpu,.sys}"

// atom and red of one operation, in the three spaces. Compilers of CUDA 10 to 12 put the order behind the operation.
#define ATOM(SPACE, IN, OP, TYPE, T, F, S) \
  atomic<In::IN, F, T, true, false, S>("atom" ORDER SPACE SCOPE OP ORDER TYPE " d, [a], b")
#define RED(SPACE, IN, OP, TYPE, T, F, S) \
  atomic<In::IN, F, T, false, false, S>("red" ORDER SPACE SCOPE OP ORDER TYPE " [a], b")
#define EVERYWHERE(KIND, OP, TYPE, T, F, S)                                                              \
  KIND(".global", global, OP, TYPE, T, F, S), KIND("(.shared,.shared::cta)", shared, OP, TYPE, T, F, S), \
      KIND("", generic, OP, TYPE, T, F, S), KIND(".shared::cluster", cluster, OP, TYPE, T, F, S)
#define ATOMIC(OP, TYPE, T, F) EVERYWHERE(ATOM, OP, TYPE, T, F, F), EVERYWHERE(RED, OP, TYPE, T, F, F)
#define CAS(SPACE, IN, OP, TYPE, T, F, S) \
  atomic<In::IN, F, T, true, true>("atom" ORDER SPACE SCOPE OP ORDER TYPE " d, [a], b, c")

template <typename T>
constexpr auto exchange = [](T, T b) { return b; };
template <typename T>
constexpr auto compare_and_swap = [](T old, T b, T c) { return old == b ? c : old; };
constexpr RowWith<Operation> table[] = {
    ATOMIC(".add", "(.u32,.s32)", u32, sum<u32>),
    ATOMIC(".add", "(.u64,.s64)", u64, sum<u64>),
    EVERYWHERE(ATOM, ".add{.noftz}", ".f32", float, sum_f32_ftz, sum_f32),
    EVERYWHERE(RED, ".add{.noftz}", ".f32", float, sum_f32_ftz, sum_f32),
    ATOMIC(".add", ".f64", double, sum_f64),
    ATOMIC(".add.noftz", ".f16", Half, short_sum<Half>),
    ATOMIC(".add.noftz", ".f16x2", Pair<Half>, pair_sum<Half>),
    ATOMIC(".add.noftz", ".bf16", Bfloat16, short_sum<Bfloat16>),
    ATOMIC(".add.noftz", ".bf16x2", Pair<Bfloat16>, pair_sum<Bfloat16>),
    ATOMIC(".min", ".u32", u32, least<u32>),
    ATOMIC(".min", ".s32", s32, least<s32>),
    ATOMIC(".min", ".u64", u64, least<u64>),
    ATOMIC(".min", ".s64", s64, least<s64>),
    ATOMIC(".max", ".u32", u32, most<u32>),
    ATOMIC(".max", ".s32", s32, most<s32>),
    ATOMIC(".max", ".u64", u64, most<u64>),
    ATOMIC(".max", ".s64", s64, most<s64>),
    ATOMIC(".and", ".b32", u32, conjunction<u32>),
    ATOMIC(".and", ".b64", u64, conjunction<u64>),
    ATOMIC(".or", ".b32", u32, disjunction<u32>),
    ATOMIC(".or", ".b64", u64, disjunction<u64>),
    ATOMIC(".xor", ".b32", u32, difference<u32>),
    ATOMIC(".xor", ".b64", u64, difference<u64>),
    ATOMIC(".inc", ".u32", u32, increment),
    ATOMIC(".dec", ".u32", u32, decrement),
    EVERYWHERE(ATOM, ".exch", "(.b32,.u32,.s32,.f32)", u32, exchange<u32>, exchange<u32>),
    EVERYWHERE(ATOM, ".exch", "(.b64,.u64,.f64)", u64, exchange<u64>, exchange<u64>),
    EVERYWHERE(CAS, ".cas", ".b16", u16, compare_and_swap<u16>, 0),
    EVERYWHERE(CAS, ".cas", "(.b32,.u32,.s32)", u32, compare_and_swap<u32>, 0),
    EVERYWHERE(CAS, ".cas", "(.b64,.u64,.s64)", u64, compare_and_swap<u64>, 0),
};
constexpr auto rows = numbered(table);

inline Atomic::Atomic(Warp& w, const MicroOp* op)
    : w_(w), op_(op), operation_(table[op->extra].more), address_(operation_.returns ? 1 : 0) {}

}  // namespace

std::span<const Row> atomic_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
