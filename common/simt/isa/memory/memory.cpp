// Loads and stores (PTX ISA: Data Movement Instructions: ld, ld.global.nc, st, and the fences).
// Cache operators and eviction hints change no value and no counter: they are accepted and ignored.

#include "common/simt/isa/memory/local_lanes.h"
#include "common/simt/isa/memory/scattered_words.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

// What most kernels use of global and shared memory has handlers of its own (Values); all else shares one handler for
// each space, which finds out how to move by the row's number in Meaning::extra (AnyValues).

/// n values of T per lane, between registers and memory. Operands: {d…}, [a] or [a], {b…}.
template <typename T, int n, Access kind>
struct Values {
  static constexpr Access access = kind;
  static constexpr bool loads = access == Access::load;
  static constexpr bool may_lead = true;  ///< MicroOp::extra is free for its number in Warp::leads
  static constexpr u32 width = sizeof(T) * n;
  static constexpr bool is_word = std::is_same_v<T, u32> && n == 1;
  static constexpr int address = loads ? n : 0;

  explicit Values(const MicroOp*) {}

  /// The n registers that are loaded or stored.
  struct Registers {
    Raw<T>* of[n];
    Registers(Warp& w, const MicroOp* op) {
      for (int k = 0; k < n; ++k) of[k] = values<T>(w, op, (loads ? 0 : 1) + k);
    }
  };
  /// Moves an access that nobody counts without looking for its pattern, where it is what most are: lanes side by side,
  /// or a load of one place for all. False: it is neither, and nothing was moved.
  [[gnu::always_inline]] static bool move_uncounted(Warp& w, const MicroOp* op, const Addresses& addresses) {
    const int first = first_lane(w.mask);
    const u64 base = addresses[first];
    if (base & (width - 1)) return false;
    if (side_by_side(w, addresses, width)) {
      std::byte* const host = stretch_in_last(w, op, base, u64{width} * kLanes);
      if (!host) return false;
      const Registers registers(w, op);
      if constexpr (loads)
        load_side_by_side<T, n>(registers.of, host);
      else if constexpr (n == 1 && sizeof(T) >= 4)
        std::memcpy(host, registers.of[0], kLanes * sizeof(T));
      else
        for (int i = 0; i < kLanes; ++i) store_lane<T, n>(registers.of, i, host + static_cast<u32>(i) * width);
      return true;
    }
    if constexpr (loads) {
      if (!at_one_address(w, addresses)) return false;
      const std::byte* const host = stretch_in_last(w, op, base, width);
      if (host) load_for_all<T, n>(w, Registers(w, op).of, host);
      return host != nullptr;
    }
    return false;
  }
  /// The pattern's base lies at `host`.
  [[gnu::always_inline]] static void move(Warp& w, const MicroOp* op, const Pattern& pattern, std::byte* host) {
    const Registers registers(w, op);
    if constexpr (loads)
      load_pattern<T, n>(w, registers.of, pattern, host);
    else
      store_pattern<T, n>(w, registers.of, pattern, host);
  }
  /// Active lane i's lie at hosts[i].
  [[gnu::noinline]] static void move_lanes(Warp& w, const MicroOp* op, std::byte* const* hosts) {
    const Registers registers(w, op);
    for (u32 left = w.mask; left; left &= left - 1) {
      const int i = first_lane(left);
      if constexpr (loads)
        load_lane<T, n>(registers.of, i, hosts[i]);
      else
        store_lane<T, n>(registers.of, i, hosts[i]);
    }
  }
  /// All active lanes' lie at one place of their local memory.
  [[gnu::always_inline]] static void move_rows(Warp& w, const MicroOp* op, u64 at) {
    const Registers registers(w, op);
    std::byte* const rows = w.local + local_place(0, at);
    if constexpr (loads)
      load_local_rows<T, n>(w, registers.of, rows);
    else
      store_local_rows<T, n>(w, registers.of, rows);
  }
  /// Active lane i's lie anywhere in its local memory.
  static void move_local(Warp& w, const MicroOp* op, const LocalPlaces& places) {
    const Registers registers(w, op);
    // Read once: what is stored might be `w`, for all that the compiler knows. (A gather takes longer on a Zen 4.)
    std::byte* const memory = w.local;
    const auto move_lane = [&](int i) {
      if constexpr (loads)
        load_local_lane<T, n>(registers.of, i, memory + places.at[i]);
      else
        store_local_lane<T, n>(registers.of, i, memory + places.at[i]);
    };
    if (w.mask == kFullMask)
      for (int i = 0; i < kLanes; ++i) move_lane(i);
    else
      for (u32 left = w.mask; left; left &= left - 1) move_lane(first_lane(left));
  }
  static void move_out_of_line(Warp& w, const MicroOp* op, const Pattern& pattern, std::byte* host) {
    move(w, op, pattern, host);
  }
  static void move_rows_out_of_line(Warp& w, const MicroOp* op, u64 at) { move_rows(w, op, at); }
};

/// The same, found at run time.
struct Mover {
  void (*move)(Warp& w, const MicroOp* op, const Pattern& pattern, std::byte* host);
  void (*move_lanes)(Warp& w, const MicroOp* op, std::byte* const* hosts);
  void (*move_local)(Warp& w, const MicroOp* op, const LocalPlaces& places);
  void (*move_rows)(Warp& w, const MicroOp* op, u64 at);
  u32 width;
  int address;
};
template <typename T, int n>
constexpr u16 mover_number = static_cast<u16>(static_cast<int>(kind_of<T>()) * 3 + n / 2);  // n is 1, 2 or 4
template <Access access>
struct Movers {
  std::array<Mover, mover_number<u64, 2> + 1> all{};

  template <typename T, int... n>
  constexpr void add() {
    ((all[mover_number<T, n>] = {Values<T, n, access>::move_out_of_line, Values<T, n, access>::move_lanes,
                                 Values<T, n, access>::move_local, Values<T, n, access>::move_rows_out_of_line,
                                 Values<T, n, access>::width, Values<T, n, access>::address}),
     ...);
  }
  constexpr Movers() {
    add<u8, 1, 2, 4>();
    add<u16, 1, 2, 4>();
    add<u32, 1, 2, 4>();
    add<u64, 1, 2>();
    if constexpr (access == Access::load) add<s8, 1, 2, 4>(), add<s16, 1, 2, 4>();
  }
};
template <Access access>
constexpr Movers<access> movers{};

template <Access kind>
struct AnyValues {
  static constexpr Access access = kind;
  static constexpr bool may_lead = false, is_word = false;
  const Mover& mover;
  u32 width = mover.width;
  int address = mover.address;
  explicit AnyValues(const MicroOp* op) : mover(movers<access>.all[op->extra]) {}

  void move(Warp& w, const MicroOp* op, const Pattern& pattern, std::byte* host) const {
    mover.move(w, op, pattern, host);
  }
  void move_lanes(Warp& w, const MicroOp* op, std::byte* const* hosts) const { mover.move_lanes(w, op, hosts); }
  void move_local(Warp& w, const MicroOp* op, const LocalPlaces& places) const { mover.move_local(w, op, places); }
  void move_rows(Warp& w, const MicroOp* op, u64 at) const { mover.move_rows(w, op, at); }
};

/// Lanes without a common pattern: more than 2 GiB apart, or in several allocations.
template <typename V>
[[gnu::noinline]] void move_far(Warp& w, const MicroOp* op, Addresses addresses) {
  const V v(op);
  std::byte* hosts[kLanes];
  for (u32 left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    hosts[i] = global_host(w, op, addresses, i, v.width, V::access);
  }
  v.move_lanes(w, op, hosts);
}

/// Of siblings in the cluster: no counter tells of them yet.
template <typename V>
[[gnu::noinline]] void move_siblings(Warp& w, const MicroOp* op, const Addresses::List& addresses) {
  const V v(op);
  std::byte* hosts[kLanes];
  for (u32 left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    hosts[i] = sibling_memory(w, op, i, static_cast<u32>(addresses.at[i]), v.width, name_of(V::access));
  }
  v.move_lanes(w, op, hosts);
}

/// The handlers of Values or AnyValues.
template <typename V, bool counted>
struct Transfer {
  [[gnu::always_inline]] static void global_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    const V v(op);
    const Resolved r = resolve_global(w, op, addresses, v.width, V::access, counted);
    if (r.pattern) [[likely]] {
      count_global<counted>(w, op, r, addresses, v.width, V::access);
      v.move(w, op, *r.pattern, r.host);
      return;
    }
    move_far<V>(w, op, addresses);
    count_global<counted>(w, op, r, addresses, v.width, V::access);
  }
  /// An access that is aligned and within the block's memory.
  [[gnu::always_inline]] static void access_shared(Warp& w, const MicroOp* op, const V& v, const Pattern& pattern,
                                                   u64 base) {
    count_shared<counted>(w, op, pattern);
    std::byte* const host = w.shared + base;
    if constexpr (V::may_lead)
      w.leads[op->extra] = {&pattern, base - static_cast<u64>(std::int64_t{op->imm}), host - op->imm};
    v.move(w, op, pattern, host);
  }
  [[gnu::always_inline]] static void shared_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    const V v(op);
    const Resolved r = resolve_shared(w, op, addresses, v.width, V::access, counted);
    access_shared(w, op, v, *r.pattern, r.base);
  }
  /// Most lanes are at the same place of their local memory. False: not these, or they fault.
  [[gnu::always_inline]] static bool local_rows(Warp& w, const MicroOp* op, const Addresses& addresses) {
    const V v(op);
    if (!at_one_address(w, addresses)) return false;
    const u64 at = addresses[first_lane(w.mask)];
    if (!within(at, v.width, w.local_bytes) || (at & (v.width - 1))) return false;
    v.move_rows(w, op, at);
    count_local_row<counted>(w, op, v.width);
    return true;
  }
  static void local_anywhere(Warp& w, const MicroOp* op, const Addresses& addresses) {
    const V v(op);
    const LocalPlaces places = resolve_local(w, op, addresses, v.width, V::access);
    v.move_local(w, op, places);
    count_local<counted>(w, op, places, v.width);
  }
  static void local_part(Warp& w, const MicroOp* op, const Addresses& addresses) {
    if (!local_rows(w, op, addresses)) local_anywhere(w, op, addresses);
  }

  /// A look at what others may be writing costs a spinning warp its turn.
  static const MicroOp* going_on(Warp& w, const MicroOp* op) {
    if (V::access == Access::load && (op->mods & kOrdered)) poll(w);
    return following(w, op);
  }
  /// Most accesses have a known pattern and need no room on the stack. All others go to the handler that serves every
  /// type (AnyValues).
  static const MicroOp* global(Warp& w, const MicroOp* op) {
    const V v(op);
    const Addresses addresses(w, op, v.address);
    if constexpr (!counted && requires { V::move_uncounted(w, op, addresses); })
      if (V::move_uncounted(w, op, addresses)) return going_on(w, op);
    Resolved r{.base = addresses[first_lane(w.mask)]};
    r.pattern = known_pattern<false>(w, op, addresses, r.base, v.width, counted);
    if (!r.pattern || !r.pattern->aligned) [[unlikely]]
      return Transfer<AnyValues<V::access>, counted>::global_in_full(w, op);
    r.host = host_in_last(w, op, *r.pattern, r.base, v.width);
    if (!r.host) [[unlikely]]
      return Transfer<AnyValues<V::access>, counted>::global_in_full(w, op);
    count_global<counted>(w, op, r, addresses, v.width, V::access);
    v.move(w, op, *r.pattern, r.host);
    return going_on(w, op);
  }
  [[gnu::noinline]] static const MicroOp* global_in_full(Warp& w, const MicroOp* op) {
    global_part(w, op, Addresses(w, op, V(op).address));
    return going_on(w, op);
  }
  static const MicroOp* shared(Warp& w, const MicroOp* op) {
#if defined(__AVX512CD__)
    if constexpr (counted && V::is_word)
      if (w.patterns[op->site].scattered != 0 && op->extra == 0) [[unlikely]]
        return shared_scattered(w, op);
#endif
    const V v(op);
    const Addresses addresses(w, op, v.address);
    const u64 base = addresses[first_lane(w.mask)];
    const Pattern* pattern = known_pattern<true>(w, op, addresses, base, v.width, counted);
    if (!pattern || !pattern->aligned || !in_shared(w, *pattern, base, v.width)) [[unlikely]]
      return shared_in_full(w, op);
    access_shared(w, op, v, *pattern, base);
    return going_on(w, op);
  }
  /// Of a pattern that is not known, or no good: it is not looked for again.
  [[gnu::noinline]] static const MicroOp* shared_in_full(Warp& w, const MicroOp* op) {
#if defined(__AVX512CD__)
    if constexpr (counted && V::is_word) note_miss(w, op);
#endif
    const V v(op);
    const Addresses addresses(w, op, v.address);
    const Pattern* const pattern = learn<true, counted>(w, op, addresses, v.width, V::access);
    const Resolved r = resolve_shared(w, op, addresses, pattern, v.width, V::access);
    access_shared(w, op, v, *r.pattern, r.base);
    return going_on(w, op);
  }
#if defined(__AVX512CD__)
  [[gnu::noinline]] static const MicroOp* shared_scattered(Warp& w, const MicroOp* op) {
    const Addresses addresses(w, op, V::address);
    --w.patterns[op->site].scattered;
    if (!addresses.is_narrow()) return shared_in_full(w, op);
    const ScatteredWords words(w, addresses);
    if (!words.are_good(w.shared_bytes)) return shared_in_full(w, op);
    SiteStatistics& site = w.sites[op->site];
    ++site.requests[1];
    site.lanes[1] += active_count(w.mask);
    site.wavefronts += words.wavefronts();
    ++site.ideal_wavefronts;
    if constexpr (V::loads)
      words.load(values<u32>(w, op, 0), w.shared);
    else
      words.store(values<u32>(w, op, 1), w.shared);
    return going_on(w, op);
  }
#endif
  static const MicroOp* local(Warp& w, const MicroOp* op) {
    if (local_rows(w, op, Addresses(w, op, V(op).address))) [[likely]]
      return following(w, op);
    return local_in_full(w, op);
  }
  [[gnu::noinline]] static const MicroOp* local_in_full(Warp& w, const MicroOp* op) {
    local_anywhere(w, op, Addresses(w, op, V(op).address));
    return following(w, op);
  }
  static const MicroOp* generic(Warp& w, const MicroOp* op) {
    by_window(
        w, Addresses(w, op, V(op).address), [&](const Addresses& at) { global_part(w, op, at); },
        [&](const Addresses& at) { shared_part(w, op, at); }, [&](const Addresses& at) { local_part(w, op, at); },
        [&](const Addresses::List& at) { move_siblings<V>(w, op, at); });
    return going_on(w, op);
  }
  /// .shared::cluster: its own block's memory, or a sibling's.
  static const MicroOp* cluster(Warp& w, const MicroOp* op) {
    by_block(
        w, Addresses(w, op, V(op).address), [&](const Addresses& at) { shared_part(w, op, at); },
        [&](const Addresses::List& at) { move_siblings<V>(w, op, at); });
    return going_on(w, op);
  }
  /// Out of line: room on the stack for its addresses would cost every access that is in bounds a twentieth.
  [[noreturn, gnu::noinline]] static void fault_followed(Warp& w, const MicroOp* op) {
    fault_shared(w, op, Addresses(w, op, V::address), V::width, V::access);
  }
  /// An access to shared memory that repeats an earlier one of its basic block, some bytes further.
  static const MicroOp* followed(Warp& w, const MicroOp* op) {
    const Lead& lead = w.leads[op->extra];
    if (!in_shared(w, *lead.pattern, lead.base + static_cast<u64>(std::int64_t{op->imm}), V::width)) [[unlikely]]
      fault_followed(w, op);
    V::move(w, op, *lead.pattern, lead.host + op->imm);
    return going_on(w, op);
  }
};

enum class In { global, shared, local, generic, cluster };

/// An access of n values of T in a space.
template <In space, typename Element, int n, Access access>
constexpr Meaning transfer() {
  // Signs matter only to loads that widen.
  using T = std::conditional_t<std::is_same_v<Element, s32>, u32, Element>;
  constexpr OperandType address{Role::address};
  constexpr OperandType values{access == Access::load ? Role::out : Role::in, kind_of<Element>(), n};
  constexpr bool frequent = sizeof(T) >= 4 || (n == 1 && std::is_unsigned_v<T>);
  Meaning meaning{.traits = access == Access::load ? std::uint16_t{kLoad | kEarlyClobber} : std::uint16_t{kStore}};
  if constexpr (access == Access::load)
    meaning.operands = {{values, address}};
  else
    meaning.operands = {{address, values}};
  if constexpr (frequent && space == In::global) {
    meaning.run = Transfer<Values<T, n, access>, false>::global;
    meaning.counted = Transfer<Values<T, n, access>, true>::global;
    meaning.extra = mover_number<T, n>;
  } else if constexpr (frequent && space == In::shared) {
    meaning.run = Transfer<Values<T, n, access>, false>::shared;
    meaning.counted = Transfer<Values<T, n, access>, true>::shared;
    meaning.followed = Transfer<Values<T, n, access>, true>::followed;
  } else if constexpr (frequent && space == In::local) {
    meaning.run = Transfer<Values<T, n, access>, false>::local;
    meaning.counted = Transfer<Values<T, n, access>, true>::local;
    meaning.extra = mover_number<T, n>;  // parameters by generic addresses (load_param)
  } else {
    using Plain = Transfer<AnyValues<access>, false>;
    using Counted = Transfer<AnyValues<access>, true>;
    constexpr Handler run[]{Plain::global, Plain::shared, Plain::local, Plain::generic, Plain::cluster};
    constexpr Handler counted[]{Counted::global, Counted::shared, Counted::local, Counted::generic, Counted::cluster};
    meaning.run = run[static_cast<int>(space)];
    meaning.counted = counted[static_cast<int>(space)];
    meaning.extra = mover_number<T, n>;
  }
  return meaning;
}
template <In space, typename T, int n = 1>
constexpr Meaning load() {
  return transfer<space, T, n, Access::load>();
}
template <In space, typename T, int n = 1>
constexpr Meaning store() {
  return transfer<space, T, n, Access::store>();
}

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
#define CLUSTER_LOAD(T, N) load<In::cluster, T, N>()
#define CLUSTER_STORE(T, N) store<In::cluster, T, N>()
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
  meaning.modified = load<In::generic, T, n>().run;
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
    LOADS("ld" ORDER ".shared::cluster", generic, CLUSTER_LOAD),
    LOADS("ld" ORDER ".local" CACHE, local, LOCAL_LOAD),
    LOADS("ld" ORDER ".const" CACHE, constant, GLOBAL_LOAD),
    LOADS("ld" ORDER CACHE, generic, GENERIC_LOAD),
    LOADS("ld.param{::entry,::func}", param, PARAM_LOAD),
    STORES("st" ST_ORDER ".global" ST_CACHE, global, GLOBAL_STORE),
    STORES("st" ST_ORDER "(.shared,.shared::cta)", shared, SHARED_STORE),
    STORES("st" ST_ORDER ".shared::cluster", generic, CLUSTER_STORE),
    STORES("st" ST_ORDER ".local" ST_CACHE, local, LOCAL_STORE),
    STORES("st" ST_ORDER ST_CACHE, generic, GENERIC_STORE),
    STORES("st.param{::func}", param, PARAM_STORE),
};

}  // namespace

std::span<const Row> memory_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
