// Asynchronous copies (PTX ISA: cp.async, cp.async.bulk; async.h says when they are done). Tensor copies: tensor.cpp;
// copies that reduce: async_reductions.cpp. Counted: cp.async as the global load and the shared store that an H200's
// LDGSTS is taken for; lanes whose source size is 0 load nothing and store zeros. Bulk copies run in a unit of their
// own and count as neither.

#include "common/simt/machine/sync/async.h"

#include "common/simt/isa/memory/bulk_lanes.h"
#include "common/simt/isa/memory/memory_lanes.h"
#include "common/simt/machine/memory/windows.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

// ---- cp.async ----

enum class Size { whole, given, ignored };  ///< what says how much of the source is read

/// Bytes that each lane reads of its source.
template <Size size>
inline void source_sizes(Warp& w, const MicroOp* op, u32 width, u32* bytes) {
  for (int i = 0; i < kLanes; ++i) {
    bytes[i] = width;
    if constexpr (size == Size::given) bytes[i] = values<u32>(w, op, 3)[i];
    if constexpr (size == Size::ignored) bytes[i] = w.preds[op->r[3]] >> i & 1 ? 0 : width;
    if (bytes[i] > width) bytes[i] = width;
  }
}

/// Reads the sources of the active lanes; where all are whole, as one access.
template <bool counted>
inline void read_sources(Warp& w, const MicroOp* op, const u32* bytes, u32 width, LaneCopies& copies) {
  Addresses::List sources;
  std::memcpy(sources.at, values<u64>(w, op, 1), sizeof sources.at);
  const Addresses from(sources);
  u32 reading = 0, whole = 0;
  for (int i = 0; i < kLanes; ++i) {
    reading |= static_cast<u32>(bytes[i] != 0) << i;
    whole |= static_cast<u32>(bytes[i] == width) << i;
  }
  reading &= w.mask;
  if (!reading) return;
  const u32 all = w.mask;
  set_mask(w, reading);
  Resolved r;
  if ((whole & reading) == reading) r = resolve_global(w, op, from, width, Access::load, counted);
  for (u32 left = reading; left; left &= left - 1) {
    const int i = first_lane(left);
    if (from[i] & (width - 1)) fault_access(w, op, from[i], i, width, "load");
    const std::byte* host = w.global->host(from[i], bytes[i]);
    if (!host) fault_access(w, op, from[i], i, bytes[i], "load");
    std::memcpy(copies.bytes[static_cast<std::size_t>(i)].data(), host, bytes[i]);
  }
  count_global<counted>(w, op, r, from, width, Access::load);
  if constexpr (counted) w.sites[op->site].lanes[0] += (width / 4 - 1) * active_count(reading);  // words, see width
  set_mask(w, all);
}

template <Size size, bool counted>
const MicroOp* copy(Warp& w, const MicroOp* op) {
  const u32 width = values<u32>(w, op, 2)[first_lane(w.mask)];
  if (width != 4 && width != 8 && width != 16) fault_message(w, op, "cp.async of other than 4, 8 or 16 bytes");
  u32 bytes[kLanes];
  source_sizes<size>(w, op, width, bytes);
  LaneCopies copies{};
  const Addresses to(w, op, 0);
  const Resolved r = resolve_shared(w, op, to, width, Access::store, counted);
  count_shared<counted>(w, op, *r.pattern);
  for (int i = 0; i < kLanes; ++i) copies.to[static_cast<std::size_t>(i)] = static_cast<u32>(to[i]);
  read_sources<counted>(w, op, bytes, width, copies);
  begin_copies(w, op, copies, width);
  return op + 1;
}

const MicroOp* commit(Warp& w, const MicroOp* op) {
  commit_copies(w);
  return op + 1;
}
const MicroOp* wait_group(Warp& w, const MicroOp* op) {
  finish_copies(w, static_cast<u32>(op->imm));
  return op + 1;
}
const MicroOp* wait_all(Warp& w, const MicroOp* op) {
  finish_copies(w, kAllCopies);
  return op + 1;
}

// ---- cp.async.bulk: each lane copies for itself ----

enum class Bulk { load, multicast, store, within };

/// [dst], [src], size{, [mbarrier]{, mask}}: the first address may be 32 bits wide, the others are 64. `mask`: the
/// ranks of the blocks that get the bytes, each at the same place, and count them at the same mbarrier of theirs.
template <Bulk kind>
const MicroOp* bulk(Warp& w, const MicroOp* op) {
  const Addresses to(w, op, 0);
  for_each_copy(w, op, [&](int i, u32 bytes) {
    const u64 from = values<u64>(w, op, 1)[i];
    if constexpr (kind == Bulk::store) {
      (void)bulk_global(w, op, i, to[i], bytes, "bulk store");
      begin_bulk_store(w, op, i, to[i], bulk_shared(w, op, i, from, bytes, "bulk load"), bytes);
    } else {
      const std::byte* host = kind == Bulk::within ? w.shared + bulk_shared(w, op, i, from, bytes, "bulk load")
                                                   : bulk_global(w, op, i, from, bytes, "bulk load");
      const u64 place = in_window(w, to[i]);
      const u32 mbarrier = mbarrier_in_window(w, op, values<u64>(w, op, 3)[i]);
      const auto begin = [&](u64 at, u64 tells) {
        begin_bulk_load(w, op, i, bulk_target(w, op, i, in_window(w, at), bytes, "bulk store"), host, bytes,
                        static_cast<u32>(in_window(w, tells)));
      };
      if constexpr (kind == Bulk::multicast) {
        for (u32 ranks = values<u32>(w, op, 4)[i] & 0xffff; ranks; ranks &= ranks - 1)
          begin(mapped(static_cast<u32>(place), static_cast<u32>(__builtin_ctz(ranks))),
                mapped(mbarrier, static_cast<u32>(__builtin_ctz(ranks))));
      } else {
        begin(place, mbarrier);
      }
    }
  });
  return op + 1;
}

/// st.async [a], b, [mbarrier]: of a sibling in the cluster, or its own block; the mbarrier is of the same block.
template <typename T, int n>
const MicroOp* store_async(Warp& w, const MicroOp* op) {
  constexpr u32 bytes = sizeof(T) * n;
  const Addresses to(w, op, 0);
  for (u32 left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    T stored[n];
    for (int k = 0; k < n; ++k) stored[k] = values<T>(w, op, 1 + k)[i];
    const u32 at = async_target(w, op, i, to[i], bytes, "store");
    begin_bulk_load(w, op, i, at, reinterpret_cast<const std::byte*>(stored), bytes,
                    mbarrier_in_window(w, op, values<u64>(w, op, 1 + n)[i]));
  }
  return op + 1;
}
const MicroOp* commit_bulk(Warp& w, const MicroOp* op) {
  commit_bulk_copies(w);
  return op + 1;
}
const MicroOp* wait_bulk(Warp& w, const MicroOp* op) {
  finish_bulk_copies(w, static_cast<u32>(op->imm));
  return op + 1;
}
const MicroOp* nothing(Warp&, const MicroOp* op) { return op + 1; }

/// Policies change no value and no counter.
const MicroOp* no_policy(Warp& w, const MicroOp* op) {
  for_each_lane<u64>(w, op, [](int) { return u64{0}; });
  return op + 1;
}

constexpr OperandType address{Role::address}, in32{Role::in, Kind::u32};
constexpr OperandType policy{Role::in, Kind::u64}, mask{Role::in, Kind::u16};

/// `more`: source size or predicate, then the cache policy.
template <Size size>
constexpr Meaning copy_meaning(OperandType fourth = {}, OperandType fifth = {}) {
  return {.run = copy<size, false>,
          .counted = copy<size, true>,
          .operands = {{address, address, in32, fourth, fifth}},
          .traits = kLoad | kStore,
          .width = 4};  // lanes are counted as words
}
constexpr Meaning immediate(Handler run) { return {.run = run, .operands = {{{Role::immediate}}}}; }
template <Bulk kind>
constexpr Meaning bulk_meaning(OperandType fourth = {}, OperandType fifth = {}) {
  return {.run = bulk<kind>, .operands = {{address, address, in32, fourth, fifth}}};
}

template <typename T, int n>
constexpr Meaning store_meaning() {
  return {.run = store_async<T, n>, .operands = {{address, {Role::in, kind_of<T>(), n}, address}}};
}

#define STORE_ASYNC "st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes"
#define COPY "cp.async(.ca,.cg)(.shared,.shared::cta).global"
#define PREFETCH "{.L2::64B,.L2::128B,.L2::256B}"
#define HINT ".L2::cache_hint"
#define BULK_LOAD "cp.async.bulk(.shared::cluster,.shared::cta).global.mbarrier::complete_tx::bytes"
#define BULK_MULTICAST "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
#define BULK_WITHIN "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
#define BULK_STORE "cp.async.bulk.global.shared::cta.bulk_group"

const Row rows[] = {
    {COPY PREFETCH " [dst], [src], size", Unit::async, copy_meaning<Size::whole>()},
    {COPY PREFETCH " [dst], [src], size, src-size", Unit::async, copy_meaning<Size::given>(in32)},
    {COPY PREFETCH " [dst], [src], size, ignore-src", Unit::async, copy_meaning<Size::ignored>({Role::in, Kind::pred})},
    {COPY HINT PREFETCH " [dst], [src], size, policy", Unit::async, copy_meaning<Size::whole>(policy)},
    {COPY HINT PREFETCH " [dst], [src], size, src-size, policy", Unit::async, copy_meaning<Size::given>(in32, policy)},
    {COPY HINT PREFETCH " [dst], [src], size, ignore-src, policy", Unit::async,
     copy_meaning<Size::ignored>({Role::in, Kind::pred}, policy)},
    {"createpolicy.fractional(.L2::evict_last,.L2::evict_normal,.L2::evict_first,.L2::evict_unchanged)"
     "{.L2::evict_first,.L2::evict_unchanged}.b64 policy{, fraction}",
     Unit::async,
     {.run = no_policy, .operands = {{{Role::out, Kind::u64}, {Role::optional_in, Kind::f32}}}}},
    {"cp.async.commit_group", Unit::async, {.run = commit}},
    {"cp.async.wait_group n", Unit::async, immediate(wait_group)},
    {"cp.async.wait_all", Unit::async, {.run = wait_all}},

    {BULK_LOAD " [dst], [src], size, [mbarrier]", Unit::async, bulk_meaning<Bulk::load>(address)},
    {BULK_LOAD HINT " [dst], [src], size, [mbarrier], policy", Unit::async, bulk_meaning<Bulk::load>(address, policy)},
    {BULK_MULTICAST " [dst], [src], size, [mbarrier], mask", Unit::async, bulk_meaning<Bulk::multicast>(address, mask)},
    {STORE_ASYNC "(.b32,.u32,.s32,.f32) [a], b, [mbarrier]", Unit::async, store_meaning<u32, 1>()},
    {STORE_ASYNC "(.b64,.u64,.s64,.f64) [a], b, [mbarrier]", Unit::async, store_meaning<u64, 1>()},
    {STORE_ASYNC ".v2(.b32,.u32,.s32,.f32) [a], {b,b}, [mbarrier]", Unit::async, store_meaning<u32, 2>()},
    {STORE_ASYNC ".v2(.b64,.u64,.s64,.f64) [a], {b,b}, [mbarrier]", Unit::async, store_meaning<u64, 2>()},
    {STORE_ASYNC ".v4(.b32,.u32,.s32,.f32) [a], {b,b,b,b}, [mbarrier]", Unit::async, store_meaning<u32, 4>()},
    {BULK_WITHIN " [dst], [src], size, [mbarrier]", Unit::async, bulk_meaning<Bulk::within>(address)},
    {BULK_STORE " [dst], [src], size", Unit::async, bulk_meaning<Bulk::store>()},
    {BULK_STORE HINT " [dst], [src], size, policy", Unit::async, bulk_meaning<Bulk::store>(policy)},
    {"cp.async.bulk.prefetch.L2.global [src], size", Unit::async, {.run = nothing, .operands = {{address, in32}}}},
    {"cp.async.bulk.commit_group", Unit::async, {.run = commit_bulk}},
    {"cp.async.bulk.wait_group{.read} n", Unit::async, immediate(wait_bulk)},
};

}  // namespace

std::span<const Row> async_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
