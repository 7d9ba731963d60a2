// Clusters (PTX ISA: barrier.cluster, mapa, getctarank): of one block, which is what a launch without a cluster size
// has. And hints to a GPU's scheduler.

#include "common/simt/machine/sync/cluster.h"

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

const MicroOp* cluster_arrive(Warp& w, const MicroOp* op) {
  arrive_at_cluster(w);
  return op + 1;
}
const MicroOp* cluster_wait(Warp& w, const MicroOp* op) {
  if (cluster_has_arrived(w)) return op + 1;
  return stop(w, SleepStop{.resume = op, .may_give_up = false, .awaited = "cluster barrier"});
}

/// mapa d, a, rank: the same address in the block of that rank.
template <typename T>
const MicroOp* map_address(Warp& w, const MicroOp* op) {
  for (u32 left = w.mask; left; left &= left - 1)
    if (values<u32>(w, op, 2)[__builtin_ctz(left)] != 0)
      fault_message(w, op, "mapa of another block than the cluster's only one");
  for_each_lane<T>(w, op, [&](int i) { return values<T>(w, op, 1)[i]; });
  return op + 1;
}
const MicroOp* nothing(Warp&, const MicroOp* op) { return op + 1; }

constexpr OperandType in32{Role::in, Kind::u32};

template <typename T>
constexpr Meaning mapping() {
  return {.run = map_address<T>, .operands = {{{Role::out, kind_of<T>()}, {Role::in, kind_of<T>()}, in32}}};
}
template <typename T>
constexpr Meaning ranking() {
  Meaning meaning = lane<[](T) { return u32{0}; }>();
  return meaning;
}

const Row rows[] = {
    {"barrier.cluster.arrive{.release,.relaxed}{.aligned}",
     Unit::barrier,
     {.run = cluster_arrive, .traits = kSideEffect}},
    {"barrier.cluster.wait{.acquire}{.aligned}", Unit::barrier, {.run = cluster_wait, .traits = kSideEffect}},
    {"mapa{.shared::cluster}.u32 d, a, rank", Unit::system, mapping<u32>()},
    {"mapa{.shared::cluster}.u64 d, a, rank", Unit::system, mapping<u64>()},
    {"getctarank{.shared::cluster}.u32 d, a", Unit::system, ranking<u32>()},
    {"getctarank{.shared::cluster}.u64 d, a", Unit::system, ranking<u64>()},
    {"griddepcontrol(.launch_dependents,.wait)", Unit::system, {.run = nothing}},
    {"setmaxnreg(.inc,.dec).sync.aligned.u32 n", Unit::system, {.run = nothing, .operands = {{{Role::immediate}}}}},
};

}  // namespace

std::span<const Row> cluster_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
