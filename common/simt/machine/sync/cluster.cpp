#include "common/simt/machine/sync/cluster.h"

#include "common/simt/machine/block.h"

namespace gpulab::simt {

void arrive_at_cluster(Warp& w) {
  BlockContext& block = *w.block;
  std::uint32_t& parities = block.cluster_parities[w.index];
  parities = (parities & ~w.mask) | (block.cluster_parity ? w.mask : 0);
  block.cluster_arrived += active_count(w.mask);
  block.complete_cluster();
}

bool cluster_has_arrived(const Warp& w) {
  const std::uint32_t current = w.block->cluster_parity ? kFullMask : 0;
  return ((w.block->cluster_parities[w.index] ^ current) & w.mask) == w.mask;
}

void BlockContext::complete_cluster() {
  if (cluster_arrived == 0 || cluster_arrived < live) return;
  cluster_arrived = 0;
  cluster_parity = !cluster_parity;
  wake_sleepers();
}

}  // namespace gpulab::simt
