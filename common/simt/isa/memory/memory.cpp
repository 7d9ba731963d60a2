// Loads and stores (PTX ISA: Data Movement Instructions: ld, ld.global.nc, st, and the fences).
// Cache operators and eviction hints change no value and no counter: they are accepted and ignored.

#include "common/simt/isa/memory/memory_lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// A load or store of n values of T per lane. Operands: {d…}, [a] or [a], {b…}.
template <typename T, int n, Access access>
struct Transfer {
  static constexpr bool loads = access == Access::load;
  static constexpr std::uint32_t width = sizeof(T) * n;
  static constexpr int address = loads ? n : 0;

  /// The n registers that are loaded or stored.
  struct Registers {
    Raw<T>* of[n];
    Registers(Warp& w, const MicroOp* op) {
      for (int k = 0; k < n; ++k) of[k] = values<T>(w, op, (loads ? 0 : 1) + k);
    }
    void move_lane(int i, std::byte* host) const {
      if constexpr (loads)
        load_lane<T, n>(of, i, host);
      else
        store_lane<T, n>(of, i, host);
    }
    [[gnu::always_inline]] void move(Warp& w, const Pattern& pattern, std::byte* host) const {
      if constexpr (loads)
        load_pattern<T, n>(w, of, pattern, host);
      else
        store_pattern<T, n>(w, of, pattern, host);
    }
  };

  template <bool counted>
  [[gnu::always_inline]] static void global_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    const Registers registers(w, op);
    const Resolved r = resolve_global(w, op, addresses, width, access);
    if (r.pattern) [[likely]] {
      count_global<counted>(w, op, r, addresses, width, access);
      registers.move(w, *r.pattern, r.host);
      return;
    }
    for (std::uint32_t left = w.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      registers.move_lane(i, global_host(w, op, addresses, i, width, access));
    }
    count_global<counted>(w, op, r, addresses, width, access);
  }
  template <bool counted>
  [[gnu::always_inline]] static void shared_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    const Registers registers(w, op);
    const Resolved r = resolve_shared(w, op, addresses, width, access);
    count_shared<counted>(w, op, *r.pattern);
    w.leads[op->extra] = {r.pattern, r.base - static_cast<u64>(std::int64_t{op->imm}), r.host - op->imm};
    registers.move(w, *r.pattern, r.host);
  }
  /// An access to shared memory that repeats an earlier one of its basic block, some bytes further.
  static const MicroOp* followed(Warp& w, const MicroOp* op) {
    const Lead& lead = w.leads[op->extra];
    const Registers registers(w, op);
    if (!in_shared(w, *lead.pattern, lead.base + static_cast<u64>(std::int64_t{op->imm}), width)) [[unlikely]]
      fault_shared(w, op, Addresses(w, op, address), width, access);
    registers.move(w, *lead.pattern, lead.host + op->imm);
    return going_on(w, op);
  }
  template <bool counted>
  static void local_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    const Registers registers(w, op);
    for (std::uint32_t left = w.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      registers.move_lane(i, local_host(w, op, addresses, i, width, access));
    }
    count_local<counted>(w, op, addresses, width);
  }

  /// A look at what others may be writing costs a spinning warp its turn.
  static const MicroOp* going_on(Warp& w, const MicroOp* op) {
    if (loads && (op->mods & kOrdered)) poll(w);
    return following(w, op);
  }
  template <bool counted>
  static const MicroOp* global(Warp& w, const MicroOp* op) {
    global_part<counted>(w, op, Addresses(w, op, address));
    return going_on(w, op);
  }
  template <bool counted>
  static const MicroOp* shared(Warp& w, const MicroOp* op) {
    shared_part<counted>(w, op, Addresses(w, op, address));
    return going_on(w, op);
  }
  template <bool counted>
  static const MicroOp* local(Warp& w, const MicroOp* op) {
    local_part<counted>(w, op, Addresses(w, op, address));
    return following(w, op);
  }
  template <bool counted>
  static const MicroOp* generic(Warp& w, const MicroOp* op) {
    by_window(
        w, Addresses(w, op, address), [&](const Addresses& at) { global_part<counted>(w, op, at); },
        [&](const Addresses& at) { shared_part<counted>(w, op, at); },
        [&](const Addresses& at) { local_part<counted>(w, op, at); });
    return going_on(w, op);
  }
};
template <typename T, int n>
using Load = Transfer<T, n, Access::load>;
template <typename T, int n>
using Store = Transfer<T, n, Access::store>;

enum class In { global, shared, local, generic };

/// Picks a space's handlers of Load or Store.
template <In space, typename Op>
constexpr Meaning in_space(std::array<OperandType, 6> operands, std::uint16_t traits) {
  Meaning meaning{.operands = operands, .traits = traits};
  if constexpr (space == In::global)
    meaning.run = &Op::template global<false>, meaning.counted = &Op::template global<true>;
  if constexpr (space == In::shared)
    meaning.run = &Op::template shared<false>, meaning.counted = &Op::template shared<true>,
    meaning.followed = &Op::followed;
  if constexpr (space == In::local)
    meaning.run = &Op::template local<false>, meaning.counted = &Op::template local<true>;
  if constexpr (space == In::generic)
    meaning.run = &Op::template generic<false>, meaning.counted = &Op::template generic<true>;
  return meaning;
}
template <In space, typename T, int n = 1>
constexpr Meaning load() {
  return in_space<space, Load<T, n>>({{{Role::out, kind_of<T>(), n}, {Role::address}}}, kLoad | kEarlyClobber);
}
template <In space, typename T, int n = 1>
constexpr Meaning store() {
  return in_space<space, Store<T, n>>({{{Role::address}, {Role::in, kind_of<T>(), n}}}, kStore);
}

using u8 = std::uint8_t;
using s8 = std::int8_t;
using u16 = std::uint16_t;
using s16 = std::int16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

// What may stand between ld or st and the state space, and between the state space and the vector width.
#define ORDER "{.weak,.volatile,.relaxed,.acquire}{.cta,.cluster,.gpu,.sys}"
#define ST_ORDER "{.weak,.volatile,.relaxed,.release}{.cta,.cluster,.gpu,.sys}"
#define CACHE                                                                                                          \
  "{.ca,.cg,.cs,.lu,.cv}{.L1::evict_first,.L1::evict_last,.L1::no_allocate,.L1::evict_normal}{.L2::64B,.L2::128B,.L2:" \
  ":256B}"
#define NC CACHE "{.nc}" CACHE
#define ST_CACHE "{.wb,.cg,.cs,.wt}{.L1::evict_first,.L1::evict_last,.L1::no_allocate,.L1::evict_normal}"

// Rows of one opcode, by element type. MAKE is the template that gives a type its meaning; a load's signedness
// matters where it widens into its register.
#define LOADS(OPCODE, UNIT, MAKE)                                                                       \
  LOAD_TYPES(OPCODE, " d, [a]", UNIT, MAKE, 1), LOAD_TYPES(OPCODE ".v2", " {d,d}, [a]", UNIT, MAKE, 2), \
      LOAD_NARROW(OPCODE ".v4", " {d,d,d,d}, [a]", UNIT, MAKE, 4)
#define LOAD_TYPES(OPCODE, OPERANDS, UNIT, MAKE, N) \
  LOAD_NARROW(OPCODE, OPERANDS, UNIT, MAKE, N), { OPCODE "(.u64,.s64,.b64,.f64)" OPERANDS, Unit::UNIT, MAKE(u64, N) }
#define LOAD_NARROW(OPCODE, OPERANDS, UNIT, MAKE, N)                                                                 \
  {OPCODE "(.u8,.b8)" OPERANDS, Unit::UNIT, MAKE(u8, N)}, {OPCODE ".s8" OPERANDS, Unit::UNIT, MAKE(s8, N)},          \
      {OPCODE "(.u16,.b16)" OPERANDS, Unit::UNIT, MAKE(u16, N)}, {OPCODE ".s16" OPERANDS, Unit::UNIT, MAKE(s16, N)}, \
      {OPCODE "(.u32,.b32,.f32)" OPERANDS, Unit::UNIT, MAKE(u32, N)}, {                                              \
    OPCODE ".s32" OPERANDS, Unit::UNIT, MAKE(s32, N)                                                                 \
  }
#define STORES(OPCODE, UNIT, MAKE)                                                                        \
  STORE_TYPES(OPCODE, " [a], b", UNIT, MAKE, 1), STORE_TYPES(OPCODE ".v2", " [a], {b,b}", UNIT, MAKE, 2), \
      STORE_NARROW(OPCODE ".v4", " [a], {b,b,b,b}", UNIT, MAKE, 4)
#define STORE_TYPES(OPCODE, OPERANDS, UNIT, MAKE, N) \
  STORE_NARROW(OPCODE, OPERANDS, UNIT, MAKE, N), { OPCODE "(.u64,.s64,.b64,.f64)" OPERANDS, Unit::UNIT, MAKE(u64, N) }
#define STORE_NARROW(OPCODE, OPERANDS, UNIT, MAKE, N)                   \
  {OPCODE "(.u8,.b8,.s8)" OPERANDS, Unit::UNIT, MAKE(u8, N)},           \
      {OPCODE "(.u16,.b16,.s16)" OPERANDS, Unit::UNIT, MAKE(u16, N)}, { \
    OPCODE "(.u32,.s32,.b32,.f32)" OPERANDS, Unit::UNIT, MAKE(u32, N)   \
  }
#define GLOBAL_LOAD(T, N) load<In::global, T, N>()
#define SHARED_LOAD(T, N) load<In::shared, T, N>()
#define LOCAL_LOAD(T, N) load<In::local, T, N>()
#define GENERIC_LOAD(T, N) load<In::generic, T, N>()
#define PARAM_LOAD(T, N) load_param<T, N>()
#define GLOBAL_STORE(T, N) store<In::global, T, N>()
#define SHARED_STORE(T, N) store<In::shared, T, N>()
#define LOCAL_STORE(T, N) store<In::local, T, N>()
#define GENERIC_STORE(T, N) store<In::generic, T, N>()
#define PARAM_STORE(T, N) store_param<T, N>()

/// Parameters: of the kernel at a constant offset they are registers (decode copies them); those of functions lie in
/// the thread's local frame; a kernel parameter whose address was taken is read by its generic address (`modified`).
template <typename T, int n = 1>
constexpr Meaning load_param() {
  Meaning meaning = load<In::local, T, n>();
  meaning.counted = nullptr;
  meaning.modified = &Load<T, n>::template generic<false>;
  return meaning;
}
template <typename T, int n = 1>
constexpr Meaning store_param() {
  Meaning meaning = store<In::local, T, n>();
  meaning.counted = nullptr;
  return meaning;
}

const Row rows[] = {
    LOADS("ld" ORDER ".global" NC, global, GLOBAL_LOAD),
    LOADS("ld" ORDER "(.shared,.shared::cta)", shared, SHARED_LOAD),
    LOADS("ld" ORDER ".local" CACHE, local, LOCAL_LOAD),
    LOADS("ld" ORDER ".const" CACHE, constant, GLOBAL_LOAD),
    LOADS("ld" ORDER CACHE, generic, GENERIC_LOAD),
    LOADS("ld.param{::entry,::func}", param, PARAM_LOAD),
    STORES("st" ST_ORDER ".global" ST_CACHE, global, GLOBAL_STORE),
    STORES("st" ST_ORDER "(.shared,.shared::cta)", shared, SHARED_STORE),
    STORES("st" ST_ORDER ".local" ST_CACHE, local, LOCAL_STORE),
    STORES("st" ST_ORDER ST_CACHE, generic, GENERIC_STORE),
    STORES("st.param{::func}", param, PARAM_STORE),
};

}  // namespace

std::span<const Row> memory_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
