// Clusters (PTX ISA: barrier.cluster, mapa, getctarank), and hints to a GPU's scheduler.

#include "common/simt/machine/sync/cluster.h"

#include "common/simt/isa/lanes.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/memory/windows.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

const MicroOp* cluster_arrive(Warp& w, const MicroOp* op) {
  arrive_at_cluster(w, op);
  return op + 1;
}
const MicroOp* cluster_wait(Warp& w, const MicroOp* op) {
  if (cluster_has_arrived(w, op)) return op + 1;
  return stop(w, SleepStop{.resume = op, .may_give_up = false, .awaited = "cluster barrier"});
}

/// mapa d, a, rank: the same place in the block of that rank. Of its own an address in the shared window stays as it
/// is: it may go where .shared::cta is meant. Generic addresses name the block wherever there are siblings.
template <typename T, bool is_generic>
const MicroOp* map_address(Warp& w, const MicroOp* op) {
  constexpr u64 window = is_generic ? kSharedWindow : 0;
  for_each_lane<T>(w, op, [&](int i) {
    const u64 address = values<T>(w, op, 1)[i] - window;
    const u32 rank = values<u32>(w, op, 2)[i], place = mapped(static_cast<u32>(address), rank);
    const bool names_none = rank == w.block->rank && (!is_generic || w.own_window == 0);
    return static_cast<T>(window + (names_none ? place % kRankBytes : place));
  });
  return op + 1;
}
/// The rank of the block whose memory it is.
template <typename T>
const MicroOp* rank_of_address(Warp& w, const MicroOp* op) {
  for_each_lane<u32>(w, op, [&](int i) {
    const BlockContext* const block = block_at(w, values<T>(w, op, 1)[i]);
    return block == nullptr ? u32{0} : block->rank;
  });
  return op + 1;
}
const MicroOp* nothing(Warp&, const MicroOp* op) { return op + 1; }

constexpr OperandType in32{Role::in, Kind::u32};

template <typename T, bool is_generic>
constexpr Meaning mapping() {
  return {.run = map_address<T, is_generic>, .operands = {{{Role::out, kind_of<T>()}, {Role::in, kind_of<T>()}, in32}}};
}
template <typename T>
constexpr Meaning ranking() {
  return {.run = rank_of_address<T>, .operands = {{{Role::out, Kind::u32}, {Role::in, kind_of<T>()}}}};
}

const Row rows[] = {
    {"barrier.cluster.arrive{.release,.relaxed}{.aligned}",
     Unit::barrier,
     {.run = cluster_arrive, .traits = kSideEffect}},
    {"barrier.cluster.wait{.acquire}{.aligned}", Unit::barrier, {.run = cluster_wait, .traits = kSideEffect}},
    {"mapa{.shared::cluster}.u32 d, a, rank", Unit::system, mapping<u32, false>()},
    {"mapa.shared::cluster.u64 d, a, rank", Unit::system, mapping<u64, false>()},
    {"mapa.u64 d, a, rank", Unit::system, mapping<u64, true>()},
    {"getctarank{.shared::cluster}.u32 d, a", Unit::system, ranking<u32>()},
    {"getctarank{.shared::cluster}.u64 d, a", Unit::system, ranking<u64>()},
    {"griddepcontrol(.launch_dependents,.wait)", Unit::system, {.run = nothing}},
    {"setmaxnreg(.inc,.dec).sync.aligned.u32 n", Unit::system, {.run = nothing, .operands = {{{Role::immediate}}}}},
};

}  // namespace

std::span<const Row> cluster_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
