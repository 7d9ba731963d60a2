#pragma once
// A cluster: blocks that run at the same time, wait for each other at a barrier of their own (PTX ISA: barrier.cluster)
// and reach each other's shared memory (mapa, .shared::cluster). A launch without a cluster size has clusters of one
// block. The blocks of a cluster have turns on one CPU thread (grid.cpp), so nothing here is atomic.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/simt/machine/warp.h"

namespace gpulab::simt {

struct BlockContext;

struct Cluster {
  Cluster();
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  std::vector<BlockContext*> blocks;                 ///< by rank; those that have ended, too
  std::vector<std::unique_ptr<BlockContext>> ended;  ///< kept: a sibling may still name their memory
  std::uint32_t arrived = 0;                         ///< barrier.cluster: threads

  [[nodiscard]] std::uint32_t live() const;  ///< threads that have not exited
  /// barrier.cluster is over when all threads that have not exited have arrived.
  void complete();
  /// A block's turn is over. `worked`: it did more than repeat tests that fail; `waits`: none of its threads can run.
  /// Whether the cluster is in a deadlock: all its blocks wait, and nobody can be let on.
  [[nodiscard]] bool is_stuck_after(BlockContext& block, bool worked, bool waits);
  void note_arrival() { idle_rounds_ = 0; }

 private:
  std::uint32_t waits_ = 0;        ///< bit n: block n has waited since some block did not
  std::uint32_t idle_rounds_ = 0;  ///< times that all did, since an mbarrier changed or one worked
};

/// The active lanes arrive.
void arrive_at_cluster(Warp& warp, const MicroOp* op);
/// Whether the barrier that the active lanes have arrived at is over. Who has not arrived does not wait (as on an
/// H100).
[[nodiscard]] bool cluster_has_arrived(const Warp& warp, const MicroOp* op);

/// Where `bytes` bytes of a sibling's shared memory lie that a lane accesses. `address`: in the shared window. Faults
/// where there is no such block or memory, or the block has ended.
[[nodiscard]] std::byte* sibling_memory(Warp& warp, const MicroOp* op, int lane, std::uint32_t address,
                                        std::uint32_t bytes, const char* access);
/// The block that an address in the shared window names; nullptr: there is none of that rank.
[[nodiscard]] BlockContext* block_at(const Warp& warp, std::uint64_t address);
/// mapa: the address of the same place in the block of that rank, which there need not be: who accesses it faults.
[[nodiscard]] std::uint32_t mapped(std::uint32_t address, std::uint32_t rank);

}  // namespace gpulab::simt
