// Loads and stores (PTX ISA: Data Movement Instructions: ld, ld.global.nc, st, and the fences).
// Cache operators and eviction hints change no value and no counter: they are accepted and ignored.

#include "common/simt/memory_lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

template <typename T, int n>
struct Load {
  static constexpr std::uint32_t width = sizeof(T) * n;
  static void destinations(Warp& w, const MicroOp* op, Raw<T>** d) {
    for (int k = 0; k < n; ++k) d[k] = values<T>(w, op, k);
  }
  template <bool counted>
  static void global_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    Raw<T>* d[n];
    destinations(w, op, d);
    const Resolved r = resolve_global(w, op, addresses, width, Access::load);
    if (r.pattern) [[likely]] {
      count_global<counted>(w, op, r, addresses, width, Access::load);
      load_pattern<T, n>(w, d, *r.pattern, r.host);
      return;
    }
    for (std::uint32_t left = w.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      load_lane<T, n>(d, i, global_host(w, op, addresses, i, width, Access::load));
    }
    count_global<counted>(w, op, r, addresses, width, Access::load);
  }
  template <bool counted>
  static void shared_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    Raw<T>* d[n];
    destinations(w, op, d);
    const Resolved r = resolve_shared(w, op, addresses, width, Access::load);
    count_shared<counted>(w, op, *r.pattern);
    load_pattern<T, n>(w, d, *r.pattern, r.host);
  }
  template <bool counted>
  static void local_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    Raw<T>* d[n];
    destinations(w, op, d);
    for (std::uint32_t left = w.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      load_lane<T, n>(d, i, local_host(w, op, addresses, i, width, Access::load));
    }
    count_local<counted>(w, op, addresses, width);
  }
  template <bool counted>
  static const MicroOp* global(Warp& w, const MicroOp* op) {
    const Addresses addresses(w, op, n);
    global_part<counted>(w, op, addresses);
    if (op->mods & kOrdered) poll(w);
    return op + 1;
  }
  template <bool counted>
  static const MicroOp* shared(Warp& w, const MicroOp* op) {
    const Addresses addresses(w, op, n);
    shared_part<counted>(w, op, addresses);
    if (op->mods & kOrdered) poll(w);
    return op + 1;
  }
  template <bool counted>
  static const MicroOp* local(Warp& w, const MicroOp* op) {
    const Addresses addresses(w, op, n);
    local_part<counted>(w, op, addresses);
    return op + 1;
  }
  template <bool counted>
  static const MicroOp* generic(Warp& w, const MicroOp* op) {
    Addresses addresses(w, op, n);
    by_window(
        w, addresses, [&] { global_part<counted>(w, op, addresses); }, [&] { shared_part<counted>(w, op, addresses); },
        [&] { local_part<counted>(w, op, addresses); });
    if (op->mods & kOrdered) poll(w);
    return op + 1;
  }
};

template <typename T, int n>
struct Store {
  static constexpr std::uint32_t width = sizeof(T) * n;
  static void sources(Warp& w, const MicroOp* op, Raw<T>** s) {
    for (int k = 0; k < n; ++k) s[k] = values<T>(w, op, 1 + k);
  }
  template <bool counted>
  static void global_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    Raw<T>* s[n];
    sources(w, op, s);
    const Resolved r = resolve_global(w, op, addresses, width, Access::store);
    if (r.pattern) [[likely]] {
      count_global<counted>(w, op, r, addresses, width, Access::store);
      store_pattern<T, n>(w, s, *r.pattern, r.host);
      return;
    }
    for (std::uint32_t left = w.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      store_lane<T, n>(s, i, global_host(w, op, addresses, i, width, Access::store));
    }
    count_global<counted>(w, op, r, addresses, width, Access::store);
  }
  template <bool counted>
  static void shared_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    Raw<T>* s[n];
    sources(w, op, s);
    const Resolved r = resolve_shared(w, op, addresses, width, Access::store);
    count_shared<counted>(w, op, *r.pattern);
    store_pattern<T, n>(w, s, *r.pattern, r.host);
  }
  template <bool counted>
  static void local_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    Raw<T>* s[n];
    sources(w, op, s);
    for (std::uint32_t left = w.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      store_lane<T, n>(s, i, local_host(w, op, addresses, i, width, Access::store));
    }
    count_local<counted>(w, op, addresses, width);
  }
  template <bool counted>
  static const MicroOp* global(Warp& w, const MicroOp* op) {
    const Addresses addresses(w, op, 0);
    global_part<counted>(w, op, addresses);
    return op + 1;
  }
  template <bool counted>
  static const MicroOp* shared(Warp& w, const MicroOp* op) {
    const Addresses addresses(w, op, 0);
    shared_part<counted>(w, op, addresses);
    return op + 1;
  }
  template <bool counted>
  static const MicroOp* local(Warp& w, const MicroOp* op) {
    const Addresses addresses(w, op, 0);
    local_part<counted>(w, op, addresses);
    return op + 1;
  }
  template <bool counted>
  static const MicroOp* generic(Warp& w, const MicroOp* op) {
    Addresses addresses(w, op, 0);
    by_window(
        w, addresses, [&] { global_part<counted>(w, op, addresses); }, [&] { shared_part<counted>(w, op, addresses); },
        [&] { local_part<counted>(w, op, addresses); });
    return op + 1;
  }
};

enum class In { global, shared, local, generic };

/// Picks a space's handlers of Load or Store.
template <In space, typename Op>
constexpr Meaning in_space(std::array<OperandType, 6> operands, std::uint16_t traits) {
  Meaning meaning{.operands = operands, .traits = traits};
  if constexpr (space == In::global)
    meaning.run = &Op::template global<false>, meaning.counted = &Op::template global<true>;
  if constexpr (space == In::shared)
    meaning.run = &Op::template shared<false>, meaning.counted = &Op::template shared<true>;
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

// One row for each element type and vector width; a type's signedness matters when it widens into a register.
#define LOADS(SPACE, IN, MIDDLE)                                                                               \
  {"ld" ORDER SPACE MIDDLE "(.u8,.b8) d, [a]", Unit::IN, load<In::IN, u8>()},                                  \
      {"ld" ORDER SPACE MIDDLE ".s8 d, [a]", Unit::IN, load<In::IN, s8>()},                                    \
      {"ld" ORDER SPACE MIDDLE "(.u16,.b16) d, [a]", Unit::IN, load<In::IN, u16>()},                           \
      {"ld" ORDER SPACE MIDDLE ".s16 d, [a]", Unit::IN, load<In::IN, s16>()},                                  \
      {"ld" ORDER SPACE MIDDLE "(.u32,.b32,.f32) d, [a]", Unit::IN, load<In::IN, u32>()},                      \
      {"ld" ORDER SPACE MIDDLE ".s32 d, [a]", Unit::IN, load<In::IN, s32>()},                                  \
      {"ld" ORDER SPACE MIDDLE "(.u64,.s64,.b64,.f64) d, [a]", Unit::IN, load<In::IN, u64>()},                 \
      {"ld" ORDER SPACE MIDDLE ".v2(.u8,.b8,.s8) {d,d}, [a]", Unit::IN, load<In::IN, u8, 2>()},                \
      {"ld" ORDER SPACE MIDDLE ".v4(.u8,.b8,.s8) {d,d,d,d}, [a]", Unit::IN, load<In::IN, u8, 4>()},            \
      {"ld" ORDER SPACE MIDDLE ".v2(.u16,.b16,.s16) {d,d}, [a]", Unit::IN, load<In::IN, u16, 2>()},            \
      {"ld" ORDER SPACE MIDDLE ".v4(.u16,.b16,.s16) {d,d,d,d}, [a]", Unit::IN, load<In::IN, u16, 4>()},        \
      {"ld" ORDER SPACE MIDDLE ".v2(.u32,.s32,.b32,.f32) {d,d}, [a]", Unit::IN, load<In::IN, u32, 2>()},       \
      {"ld" ORDER SPACE MIDDLE ".v4(.u32,.s32,.b32,.f32) {d,d,d,d}, [a]", Unit::IN, load<In::IN, u32, 4>()}, { \
    "ld" ORDER SPACE MIDDLE ".v2(.u64,.s64,.b64,.f64) {d,d}, [a]", Unit::IN, load<In::IN, u64, 2>()            \
  }
#define STORES(SPACE, IN)                                                                                            \
  {"st" ST_ORDER SPACE ST_CACHE "(.u8,.b8,.s8) [a], b", Unit::IN, store<In::IN, u8>()},                              \
      {"st" ST_ORDER SPACE ST_CACHE "(.u16,.b16,.s16) [a], b", Unit::IN, store<In::IN, u16>()},                      \
      {"st" ST_ORDER SPACE ST_CACHE "(.u32,.s32,.b32,.f32) [a], b", Unit::IN, store<In::IN, u32>()},                 \
      {"st" ST_ORDER SPACE ST_CACHE "(.u64,.s64,.b64,.f64) [a], b", Unit::IN, store<In::IN, u64>()},                 \
      {"st" ST_ORDER SPACE ST_CACHE ".v2(.u8,.b8,.s8) [a], {b,b}", Unit::IN, store<In::IN, u8, 2>()},                \
      {"st" ST_ORDER SPACE ST_CACHE ".v4(.u8,.b8,.s8) [a], {b,b,b,b}", Unit::IN, store<In::IN, u8, 4>()},            \
      {"st" ST_ORDER SPACE ST_CACHE ".v2(.u16,.b16,.s16) [a], {b,b}", Unit::IN, store<In::IN, u16, 2>()},            \
      {"st" ST_ORDER SPACE ST_CACHE ".v4(.u16,.b16,.s16) [a], {b,b,b,b}", Unit::IN, store<In::IN, u16, 4>()},        \
      {"st" ST_ORDER SPACE ST_CACHE ".v2(.u32,.s32,.b32,.f32) [a], {b,b}", Unit::IN, store<In::IN, u32, 2>()},       \
      {"st" ST_ORDER SPACE ST_CACHE ".v4(.u32,.s32,.b32,.f32) [a], {b,b,b,b}", Unit::IN, store<In::IN, u32, 4>()}, { \
    "st" ST_ORDER SPACE ST_CACHE ".v2(.u64,.s64,.b64,.f64) [a], {b,b}", Unit::IN, store<In::IN, u64, 2>()            \
  }

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
    LOADS(".global", global, NC),
    LOADS("(.shared,.shared::cta)", shared, ""),
    LOADS(".local", local, CACHE),
    LOADS(".const", global, CACHE),
    LOADS("", generic, CACHE),
    STORES(".global", global),
    STORES("(.shared,.shared::cta)", shared),
    STORES(".local", local),
    STORES("", generic),
    {"ld.param{::entry,::func}(.u8,.b8) d, [a]", Unit::param, load_param<u8>()},
    {"ld.param{::entry,::func}.s8 d, [a]", Unit::param, load_param<s8>()},
    {"ld.param{::entry,::func}(.u16,.b16) d, [a]", Unit::param, load_param<u16>()},
    {"ld.param{::entry,::func}.s16 d, [a]", Unit::param, load_param<s16>()},
    {"ld.param{::entry,::func}(.u32,.b32,.f32) d, [a]", Unit::param, load_param<u32>()},
    {"ld.param{::entry,::func}.s32 d, [a]", Unit::param, load_param<s32>()},
    {"ld.param{::entry,::func}(.u64,.s64,.b64,.f64) d, [a]", Unit::param, load_param<u64>()},
    {"ld.param{::entry,::func}.v2(.u8,.b8,.s8) {d,d}, [a]", Unit::param, load_param<u8, 2>()},
    {"ld.param{::entry,::func}.v4(.u8,.b8,.s8) {d,d,d,d}, [a]", Unit::param, load_param<u8, 4>()},
    {"ld.param{::entry,::func}.v2(.u16,.b16,.s16) {d,d}, [a]", Unit::param, load_param<u16, 2>()},
    {"ld.param{::entry,::func}.v4(.u16,.b16,.s16) {d,d,d,d}, [a]", Unit::param, load_param<u16, 4>()},
    {"ld.param{::entry,::func}.v2(.u32,.s32,.b32,.f32) {d,d}, [a]", Unit::param, load_param<u32, 2>()},
    {"ld.param{::entry,::func}.v4(.u32,.s32,.b32,.f32) {d,d,d,d}, [a]", Unit::param, load_param<u32, 4>()},
    {"ld.param{::entry,::func}.v2(.u64,.s64,.b64,.f64) {d,d}, [a]", Unit::param, load_param<u64, 2>()},
    {"st.param{::func}(.u8,.b8,.s8) [a], b", Unit::param, store_param<u8>()},
    {"st.param{::func}(.u16,.b16,.s16) [a], b", Unit::param, store_param<u16>()},
    {"st.param{::func}(.u32,.s32,.b32,.f32) [a], b", Unit::param, store_param<u32>()},
    {"st.param{::func}(.u64,.s64,.b64,.f64) [a], b", Unit::param, store_param<u64>()},
    {"st.param{::func}.v2(.u8,.b8,.s8) [a], {b,b}", Unit::param, store_param<u8, 2>()},
    {"st.param{::func}.v4(.u8,.b8,.s8) [a], {b,b,b,b}", Unit::param, store_param<u8, 4>()},
    {"st.param{::func}.v2(.u16,.b16,.s16) [a], {b,b}", Unit::param, store_param<u16, 2>()},
    {"st.param{::func}.v4(.u16,.b16,.s16) [a], {b,b,b,b}", Unit::param, store_param<u16, 4>()},
    {"st.param{::func}.v2(.u32,.s32,.b32,.f32) [a], {b,b}", Unit::param, store_param<u32, 2>()},
    {"st.param{::func}.v4(.u32,.s32,.b32,.f32) [a], {b,b,b,b}", Unit::param, store_param<u32, 4>()},
    {"st.param{::func}.v2(.u64,.s64,.b64,.f64) [a], {b,b}", Unit::param, store_param<u64, 2>()},
};

}  // namespace

std::span<const Row> memory_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
