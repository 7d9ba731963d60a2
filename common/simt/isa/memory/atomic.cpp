// Atomics and reductions on memory (PTX ISA: atom, red). Lanes apply one after another, lowest first.

#include "common/simt/isa/arithmetic/half_arithmetic.h"
#include "common/simt/isa/memory/memory_lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

template <typename T>
using Bits = std::conditional_t<sizeof(T) == 8, u64, std::conditional_t<sizeof(T) == 4, u32, u16>>;

/// Two halves or bfloat16 in a word: each is atomic by itself, here both at once.
template <typename T>
struct Pair {
  u32 bits = 0;
};
template <typename T>
constexpr bool rounds = std::is_floating_point_v<T> || is_short_float<T>;
template <typename T>
constexpr bool rounds<Pair<T>> = true;

/// *host = f(*host), returns the old value; indivisible where blocks run in parallel.
template <typename T, typename F>
inline T read_modify_write(std::byte* host, bool parallel, F f) {
  auto* word = reinterpret_cast<Bits<T>*>(host);
  if (!parallel) {
    const T old = bits_as<T>(*word);
    *word = bits_as<Bits<T>>(f(old));
    return old;
  }
  Bits<T> seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &seen, bits_as<Bits<T>>(f(bits_as<T>(seen))), true, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED)) {
  }
  return bits_as<T>(seen);
}

/// One atomic operation. F(old, b) or F(old, b, c). atom: d, [a], b{, c}; red: [a], b. InShared: the same in shared
/// memory, where it may differ.
template <auto F, typename T, bool returns, bool three, auto InShared>
struct Atomic {
  static constexpr int address = returns ? 1 : 0;
  static constexpr u32 width = sizeof(T);

  template <auto G>
  static T apply(Warp& w, const MicroOp* op, int i, std::byte* host, bool parallel) {
    const T b = from_raw<T>(values<T>(w, op, address + 1)[i]);
    if constexpr (three) {
      const T c = from_raw<T>(values<T>(w, op, address + 2)[i]);
      return read_modify_write<T>(host, parallel, [&](T old) { return G(old, b, c); });
    } else {
      return read_modify_write<T>(host, parallel, [&](T old) { return G(old, b); });
    }
  }
  static void result(Warp& w, const MicroOp* op, int i, T old) {
    if constexpr (returns) values<T>(w, op, 0)[i] = to_raw<T>(old);
  }

  template <bool counted>
  static void global_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    const Resolved r = resolve_global(w, op, addresses, width, Access::atomic);
    count_global<counted>(w, op, r, addresses, width, Access::atomic);
    const bool defer = rounds<T> && w.parallel && !(op->mods & kResultUsed);
    for (u32 left = w.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      std::byte* host =
          r.pattern ? r.host + r.pattern->relative[i] : global_host(w, op, addresses, i, width, Access::atomic);
      if (defer) {
        const T b = from_raw<T>(values<T>(w, op, address + 1)[i]);
        defer_atomic(w, host, bits_as<Bits<T>>(b), &Atomic::apply_later);
        continue;
      }
      result(w, op, i, apply<F>(w, op, i, host, w.parallel));
    }
  }
  static void apply_later(std::byte* host, u64 value) {
    if constexpr (!three) {
      const T b = bits_as<T>(static_cast<Bits<T>>(value));
      read_modify_write<T>(host, false, [&](T old) { return F(old, b); });
    }
  }
  template <bool counted>
  static void shared_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    const Resolved r = resolve_shared(w, op, addresses, width, Access::atomic);
    count_shared<counted>(w, op, *r.pattern);
    for (u32 left = w.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      result(w, op, i, apply<InShared>(w, op, i, r.host + r.pattern->relative[i], false));
    }
  }
  static void local_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    const int i = first_lane(w.mask);
    fault_access(w, op, addresses[i] + kLocalWindow, i, width, "atomic");
  }
  template <bool counted>
  static const MicroOp* global(Warp& w, const MicroOp* op) {
    const Addresses addresses(w, op, address);
    global_part<counted>(w, op, addresses);
    if (op->mods & kResultUsed) poll(w);
    return following(w, op);
  }
  template <bool counted>
  static const MicroOp* shared(Warp& w, const MicroOp* op) {
    const Addresses addresses(w, op, address);
    shared_part<counted>(w, op, addresses);
    if (op->mods & kResultUsed) poll(w);
    return following(w, op);
  }
  template <bool counted>
  static const MicroOp* generic(Warp& w, const MicroOp* op) {
    by_window(
        w, Addresses(w, op, address), [&](const Addresses& at) { global_part<counted>(w, op, at); },
        [&](const Addresses& at) { shared_part<counted>(w, op, at); },
        [&](const Addresses& at) { local_part(w, op, at); });
    if (op->mods & kResultUsed) poll(w);
    return following(w, op);
  }
};

enum class In { global, shared, generic };

template <In space, auto F, typename T, bool returns, bool three = false, auto InShared = F>
constexpr Meaning atomic() {
  using Op = Atomic<F, T, returns, three, InShared>;
  constexpr OperandType value{Role::in, kind_of<T>()};
  constexpr OperandType none{};
  Meaning meaning{.traits = static_cast<std::uint16_t>(kAtomic | (returns ? kEarlyClobber : 0))};
  if constexpr (returns)
    meaning.operands = {{{Role::out, kind_of<T>()}, {Role::address}, value, three ? value : none}};
  else
    meaning.operands = {{{Role::address}, value}};
  if constexpr (space == In::global)
    meaning.run = &Op::template global<false>, meaning.counted = &Op::template global<true>;
  if constexpr (space == In::shared)
    meaning.run = &Op::template shared<false>, meaning.counted = &Op::template shared<true>;
  if constexpr (space == In::generic)
    meaning.run = &Op::template generic<false>, meaning.counted = &Op::template generic<true>;
  return meaning;
}

#define ORDER "{.relaxed,.acquire,.release,.acq_rel}{.cta,.cluster,.gpu,.sys}"
#define SCOPE "{.cta,.cluster,.gpu,.sys}"

// atom and red of one operation, in the three spaces. Compilers of CUDA 10 to 12 put the order behind the operation.
#define ATOM(SPACE, IN, OP, TYPE, T, F, S) \
  { "atom" ORDER SPACE SCOPE OP ORDER TYPE " d, [a], b", Unit::atomic, atomic<In::IN, F, T, true, false, S>() }
#define RED(SPACE, IN, OP, TYPE, T, F, S) \
  { "red" ORDER SPACE SCOPE OP ORDER TYPE " [a], b", Unit::atomic, atomic<In::IN, F, T, false, false, S>() }
#define EVERYWHERE(KIND, OP, TYPE, T, F, S)                                                              \
  KIND(".global", global, OP, TYPE, T, F, S), KIND("(.shared,.shared::cta)", shared, OP, TYPE, T, F, S), \
      KIND("", generic, OP, TYPE, T, F, S)
#define ATOMIC(OP, TYPE, T, F) EVERYWHERE(ATOM, OP, TYPE, T, F, F), EVERYWHERE(RED, OP, TYPE, T, F, F)
#define CAS(SPACE, IN, OP, TYPE, T, F, S) \
  { "atom" ORDER SPACE SCOPE OP ORDER TYPE " d, [a], b, c", Unit::atomic, atomic<In::IN, F, T, true, true>() }

template <typename T>
constexpr auto sum = [](T old, T b) { return static_cast<T>(old + b); };
// Single precision in global memory is added where it lies, and there subnormals are flushed (SASS RED.ADD.F32.FTZ); in
// shared memory FADD adds, in a compare-and-swap loop.
constexpr auto sum_f32 = [](float old, float b) { return canonical(old + b); };
constexpr auto sum_f32_ftz = [](float old, float b) { return flush(canonical(flush(old) + flush(b))); };
template <typename T>
constexpr auto short_sum = [](T old, T b) { return computed<by_double::add>(0, old, b); };
template <typename T>
constexpr auto pair_sum = [](Pair<T> old, Pair<T> b) {
  return Pair<T>{
      pair_of(short_sum<T>(low<T>(old.bits), low<T>(b.bits)), short_sum<T>(high<T>(old.bits), high<T>(b.bits)))};
};
template <typename T>
constexpr auto least = [](T old, T b) { return b < old ? b : old; };
template <typename T>
constexpr auto most = [](T old, T b) { return b > old ? b : old; };
template <typename T>
constexpr auto conjunction = [](T old, T b) { return old & b; };
template <typename T>
constexpr auto disjunction = [](T old, T b) { return old | b; };
template <typename T>
constexpr auto difference = [](T old, T b) { return old ^ b; };
template <typename T>
constexpr auto exchange = [](T, T b) { return b; };
template <typename T>
constexpr auto compare_and_swap = [](T old, T b, T c) { return old == b ? c : old; };
constexpr auto increment = [](u32 old, u32 b) { return old >= b ? 0 : old + 1; };
constexpr auto decrement = [](u32 old, u32 b) { return old == 0 || old > b ? b : old - 1; };

const Row rows[] = {
    ATOMIC(".add", "(.u32,.s32)", u32, sum<u32>),
    ATOMIC(".add", "(.u64,.s64)", u64, sum<u64>),
    EVERYWHERE(ATOM, ".add{.noftz}", ".f32", float, sum_f32_ftz, sum_f32),
    EVERYWHERE(RED, ".add{.noftz}", ".f32", float, sum_f32_ftz, sum_f32),
    ATOMIC(".add", ".f64", double, sum<double>),
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

}  // namespace

std::span<const Row> atomic_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
