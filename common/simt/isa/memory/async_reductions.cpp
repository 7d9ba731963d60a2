// Copies that reduce where they arrive (PTX ISA: cp.reduce.async.bulk, red.async): each element of the destination
// becomes what the operation makes of it and the one that comes. They are done when the copies of async.cpp are.

#include "common/simt/isa/memory/bulk_lanes.h"
#include "common/simt/isa/memory/reductions.h"
#include "common/simt/machine/sync/async.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

enum class To { shared, global };

const Reduction& reduction_of(const MicroOp* op);

/// In shared memory: the bytes came with the copy.
void land_in_shared(Warp& w, const Begun& begun, int lane) {
  std::byte* const to = place_of(w, begun, lane);
  reduce_all(w, reduction_of(begun.op), to, begun.bytes.data(), begun.width, false);
}
/// In global memory, which the kernel may have freed since.
void land_in_global(Warp& w, const Begun& begun, int lane) {
  std::byte* const to = w.global->host(begun.to, begun.width);
  if (!to) fault_access(w, begun.op, begun.to, lane, begun.width, "bulk store");
  reduce_all(w, reduction_of(begun.op), to, w.shared + begun.from, begun.width, true);
}

/// [dst], [src], size, [mbarrier]
const MicroOp* reduce_shared(Warp& w, const MicroOp* op) {
  const Addresses to(w, op, 0);
  for_each_copy(w, op, [&](int i, u32 bytes) {
    const u32 from = bulk_shared(w, op, i, values<u64>(w, op, 1)[i], bytes, "bulk load");
    const u32 mbarrier = mbarrier_in_window(w, op, values<u64>(w, op, 3)[i]);
    begin_bulk_load(w, op, i, bulk_target(w, op, i, in_window(w, to[i]), bytes, "bulk store"), w.shared + from, bytes,
                    mbarrier, land_in_shared);
  });
  return op + 1;
}
/// [dst], [src], size
const MicroOp* reduce_global(Warp& w, const MicroOp* op) {
  const Addresses to(w, op, 0);
  for_each_copy(w, op, [&](int i, u32 bytes) {
    (void)bulk_global(w, op, i, to[i], bytes, "bulk store");
    const u32 from = bulk_shared(w, op, i, values<u64>(w, op, 1)[i], bytes, "bulk load");
    begin_bulk_store(w, op, i, to[i], from, bytes, land_in_global);
  });
  return op + 1;
}

/// red.async [a], b, [mbarrier]: of a sibling in the cluster, or its own block; the mbarrier is of the same block.
template <typename T>
const MicroOp* reduce_async(Warp& w, const MicroOp* op) {
  constexpr u32 bytes = sizeof(T);
  const Addresses to(w, op, 0);
  for (u32 left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    const T value = values<T>(w, op, 1)[i];
    const u32 at = async_target(w, op, i, to[i], bytes, "atomic");
    begin_bulk_load(w, op, i, at, reinterpret_cast<const std::byte*>(&value), bytes,
                    mbarrier_in_window(w, op, values<u64>(w, op, 2)[i]), land_in_shared);
  }
  return op + 1;
}

constexpr OperandType address{Role::address}, in32{Role::in, Kind::u32}, policy{Role::optional_in, Kind::u64};

template <To to>
constexpr RowWith<Reduction> copy(const char* form, const Reduction& with) {
  Meaning meaning{.run = to == To::shared ? reduce_shared : reduce_global};
  meaning.operands = {{address, address, in32, to == To::shared ? address : policy}};
  return {{form, Unit::async, meaning}, with};
}
template <typename T>
constexpr RowWith<Reduction> single(const char* form, const Reduction& with) {
  Meaning meaning{.run = reduce_async<T>};
  meaning.operands = {{address, {Role::in, kind_of<T>()}, address}};
  return {{form, Unit::async, meaning}, with};
}

#define INTO_SHARED "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
#define INTO_GLOBAL "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}"
#define SINGLE "red.async{.relaxed}{.cluster}{.shared::cluster}.mbarrier::complete_tx::bytes"
#define SHARED(OP, ...) copy<To::shared>(INTO_SHARED OP " [dst], [src], size, [mbarrier]", reduction<__VA_ARGS__>())
#define GLOBAL(OP, ...) copy<To::global>(INTO_GLOBAL OP " [dst], [src], size{, policy}", reduction<__VA_ARGS__>())
#define ONE(OP, F, T) single<T>(SINGLE OP " [a], b, [mbarrier]", reduction<F, T>())
#define EVERYWHERE(OP, F, T) SHARED(OP, F, T), GLOBAL(OP, F, T), ONE(OP, F, T)

// Single precision keeps subnormals here, unlike red (an H100).
constexpr RowWith<Reduction> table[] = {
    EVERYWHERE(".add(.u32,.s32)", sum<u32>, u32),
    SHARED(".add.u64", sum<u64>, u64),
    GLOBAL(".add.u64", sum<u64>, u64),
    ONE(".add(.u64,.s64)", sum<u64>, u64),  // ptxas takes .s64, which the manual lacks
    EVERYWHERE(".min.u32", least<u32>, u32),
    EVERYWHERE(".min.s32", least<s32>, s32),
    EVERYWHERE(".max.u32", most<u32>, u32),
    EVERYWHERE(".max.s32", most<s32>, s32),
    EVERYWHERE(".inc.u32", increment, u32),
    EVERYWHERE(".dec.u32", decrement, u32),
    EVERYWHERE(".and.b32", conjunction<u32>, u32),
    EVERYWHERE(".or.b32", disjunction<u32>, u32),
    EVERYWHERE(".xor.b32", difference<u32>, u32),
    GLOBAL(".min.u64", least<u64>, u64),
    GLOBAL(".min.s64", least<s64>, s64),
    GLOBAL(".max.u64", most<u64>, u64),
    GLOBAL(".max.s64", most<s64>, s64),
    GLOBAL(".and.b64", conjunction<u64>, u64),
    GLOBAL(".or.b64", disjunction<u64>, u64),
    GLOBAL(".xor.b64", difference<u64>, u64),
    GLOBAL(".add.f32", sum_f32, float, true),
    GLOBAL(".add.f64", sum_f64, double, true),
    GLOBAL(".add.noftz.f16", short_sum<Half>, Half, true),
    GLOBAL(".add.noftz.bf16", short_sum<Bfloat16>, Bfloat16, true),
    GLOBAL(".min.f16", short_least<Half>, Half),
    GLOBAL(".min.bf16", short_least<Bfloat16>, Bfloat16),
    GLOBAL(".max.f16", short_most<Half>, Half),
    GLOBAL(".max.bf16", short_most<Bfloat16>, Bfloat16),
};
constexpr auto rows = numbered(table);

const Reduction& reduction_of(const MicroOp* op) { return table[op->extra].more; }

}  // namespace

std::span<const Row> async_reductions_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
