#include "common/cuda_api/runtime/clusters.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/cuda_api/runtime/session.h"
#include "common/device/launch_limits.h"

namespace gpulab::cuda_api {
namespace {

std::string shown(const Dim3& d) { return fmt::format("{}x{}x{}", d.x, d.y, d.z); }

/// SMs of the GPU's processing clusters, within which a cluster of more than two blocks lies. Of 132 SMs: as the
/// numbers of an H100 SXM have it (driver 580); eight of its SMs take none. Cards differ in which SMs they lack. Of
/// others: as many of 16 SMs as there are.
std::vector<int> processing_clusters(int sms) {
  constexpr int whole = 16;
  if (sms == 132) return {18, 18, 16, 16, 16, 16, 16, 8};
  std::vector<int> all(static_cast<std::size_t>(sms / whole), whole);
  if (sms % whole != 0) all.push_back(sms % whole);
  return all;
}

}  // namespace

Dim3 required_cluster(const LoadedFunction& kernel) {
  if (kernel.kernel.attributes.cluster.volume() != 0) return kernel.kernel.attributes.cluster;
  const Dim3& set = kernel.cluster;
  if (set == Dim3{0, 0, 0}) return set;
  return {std::max(set.x, 1u), std::max(set.y, 1u), std::max(set.z, 1u)};
}

Dim3 cluster_of(const LoadedFunction& kernel, const Dim3& asked) {
  return asked == Dim3{0, 0, 0} ? required_cluster(kernel) : asked;
}

std::uint64_t most_of_cluster(const LoadedFunction& kernel) {
  return kernel.may_be_large ? most_blocks_per_cluster : portable_blocks_per_cluster;
}

int active_clusters(const GpuProfile& gpu, int blocks_per_sm, int size) {
  constexpr int most_per_sm = 8, least_large = 9, whole = 16;
  const int blocks = std::min(blocks_per_sm, most_per_sm);
  if (size > static_cast<int>(most_blocks_per_cluster)) return 0;
  if (size <= 2) return gpu.sm_count * blocks / size;
  int clusters = 0;
  for (const int sms : processing_clusters(gpu.sm_count))
    if (size < least_large || sms >= whole) clusters += sms * blocks / size;
  return clusters;
}

Session::Refusal Session::check_cluster(const LoadedFunction& kernel, const LaunchRequest& request) const {
  const Dim3 &asked = request.cluster, &grid = request.grid, required = required_cluster(kernel);
  const Dim3 cluster = cluster_of(kernel, asked);
  if (cluster == Dim3{0, 0, 0}) return {};
  if (cluster.volume() == 0)
    return {cudaErrorInvalidClusterSize, fmt::format("a cluster of {} blocks", shown(cluster)),
            "give each dimension of the cluster 1 at least"};
  if (required.volume() != 0 && !(cluster == required))
    return {cudaErrorInvalidClusterSize,
            fmt::format("clusters of {} blocks; it is made for clusters of {}", shown(cluster), shown(required)),
            "leave the launch's attribute out, or __cluster_dims__"};
  if (cluster.volume() > most_of_cluster(kernel))
    return {cudaErrorInvalidClusterSize,
            fmt::format("a cluster of {} blocks; {} are the most", cluster.volume(), most_of_cluster(kernel)),
            cluster.volume() <= most_blocks_per_cluster
                ? fmt::format("an H100 takes up to 16 of a kernel for which cudaFuncSetAttribute({}, "
                              "cudaFuncAttributeNonPortableClusterSizeAllowed, 1) was called",
                              kernel.kernel.cpp_name)
                : "let the blocks of several clusters meet in global memory"};
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return {cudaErrorInvalidClusterSize,
            fmt::format("a grid of {} blocks, which has no whole clusters of {}", shown(grid), shown(cluster)),
            "round each dimension of the grid up to a multiple of the cluster's"};
  if (cluster.volume() > 1 && profile_.compute_major < 9)
    return {cudaErrorNotSupported, "clusters, which GPUs have from compute capability 9.0 on",
            "choose one by --profile, as h100"};
  return {};
}

}  // namespace gpulab::cuda_api
