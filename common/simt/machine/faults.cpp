#include "common/simt/machine/faults.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/demangle.h"
#include "common/launch_error.h"
#include "common/ptx/lines.h"
#include "common/simt/decode/program.h"
#include "common/simt/device_runtime/device_heap.h"
#include "common/simt/machine/block.h"
#include "common/text.h"

namespace gpulab::simt {

namespace {

struct Explanation {
  std::string what, hint;
};

/// "tile" of "matmul(float*)::tile", mangled.
std::string last_name(std::string_view mangled) {
  const std::string name = demangle(mangled);
  const auto scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

/// What a null pointer in a kernel comes from.
std::string why_null(const LaunchState& launch) {
  if (launch.heap == nullptr || !launch.heap->has_refused()) return "is the pointer argument set?";
  return fmt::format(
      "malloc or new in a kernel gave null, for the device's heap of {} bytes was used up: check what they give, and "
      "have "
      "more by cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes) before the first launch",
      launch.heap->limit());
}

/// An access behind the end: what usually leads there.
std::string why_beyond(std::uint64_t offset, std::uint64_t end) {
  const std::string compare = "compare the index with the number of elements before the access";
  return offset == end ? compare + " (this is the first behind them: i < n, not i <= n)" : compare;
}

/// The same of shared memory, of which a block has less than its threads use.
std::string why_beyond_shared(const LaunchState& launch, std::uint64_t has, std::uint32_t bytes) {
  const std::uint64_t threads = launch.block.volume(), elements = bytes == 0 ? 0 : has / bytes;
  if (elements == 0 || elements >= threads) return {};
  return fmt::format(
      "the block has {} threads and the array {} elements of {} bytes: make it larger, or the block smaller", threads,
      elements, bytes);
}

/// The second where the first says nothing.
std::string or_else(std::string first, const char* second) { return first.empty() ? second : std::move(first); }

/// Where instructions of cooperative_groups' headers stand that only a wrong use reaches.
bool is_of_grid_sync(const Warp& w, const MicroOp* op) {
  const ptx::Lines lines(*w.program->module, w.program->module->name);
  const auto chain = lines.chain(w.program->sites[op->site].instruction->location);
  return !chain.empty() && chain.front().file.find("cooperative_groups") != std::string_view::npos;
}

/// An address that names another block of the cluster than the thread's own, or none that there is.
Explanation explain_sibling(const Warp& w, std::uint64_t address, std::uint32_t bytes) {
  const std::uint64_t rank = (address - kSharedWindow) / kRankBytes - 1, at = address % kRankBytes;
  const auto& blocks = w.block->cluster->blocks;
  if (rank >= blocks.size())
    return {fmt::format("at the shared memory of the block of rank {}: the cluster has {}", rank,
                        plural(blocks.size(), "block")),
            blocks.size() == 1 ? "the launch asked for no cluster: give the kernel __cluster_dims__, or launch it by "
                                 "cudaLaunchKernelEx with cudaLaunchAttributeClusterDimension"
                               : "ranks are 0 to cluster.num_blocks() - 1"};
  const BlockContext& block = *blocks[rank];
  const std::string whose =
      fmt::format("the shared memory of block ({},{},{})", block.index.x, block.index.y, block.index.z);
  if (block.live == 0)
    return {
        fmt::format("at byte {} of {}, which has ended", at, whose),
        "a block's shared memory ends with the block: let all blocks of the cluster call cluster.sync() behind their "
        "last access to each other's, before they return"};
  for (auto v = w.program->shared_variables.rbegin(); v != w.program->shared_variables.rend(); ++v)
    if (!v->dynamic && at >= v->offset && at + bytes > v->offset + v->bytes)
      return {fmt::format("at byte {} of '{}' in {}, which has {} bytes", at - v->offset, last_name(v->name), whose,
                          v->bytes),
              "compare the index with the number of elements before the access"};
  return {fmt::format("at byte {} of {}, which has {}", at, whose, w.shared_bytes),
          "check the index, and the dynamic shared memory that the launch asks for"};
}

/// Whether an address names another block than the thread's own. Without a cluster that is an index gone wrong, unless
/// the kernel asks for such addresses.
bool names_sibling(const Warp& w, std::uint64_t address) {
  if (address - kSharedWindow >= kWindowBytes || address - kSharedWindow < kRankBytes) return false;
  return w.own_window != 0 || std::ranges::any_of(w.program->sites, [](const Site& site) {
           return site.instruction->opcode.starts_with("mapa");
         });
}

/// What a thread has: the variables of a kernel that calls nothing, else all that is kept for it.
std::uint32_t local_bytes_of(const Warp& w, const MicroOp* op) {
  const auto& functions = w.program->functions;
  const bool alone = functions.size() == 1 && functions.front().function == w.program->sites[op->site].function;
  return alone ? functions.front().variable_bytes : w.local_bytes;
}

/// A byte of shared memory behind the beginning of the array whose size the launch gives, which lies behind all others.
bool in_dynamic_array(const Warp& w, std::uint64_t at) {
  return std::ranges::any_of(w.program->shared_variables, [&](const auto& v) { return v.dynamic && at >= v.offset; });
}

/// Says of an address that is no good where it lies.
Explanation explain_address(const Warp& w, const MicroOp* op, std::uint64_t address, std::uint32_t bytes) {
  if (address - kSharedWindow < kWindowBytes)
    address = kSharedWindow + without_own(address - kSharedWindow, w.own_window);
  if (names_sibling(w, address)) return explain_sibling(w, address, bytes);
  if (address - kSharedWindow < w.shared_bytes && !in_dynamic_array(w, address - kSharedWindow))
    for (auto v = w.program->shared_variables.rbegin(); v != w.program->shared_variables.rend(); ++v)
      if (!v->dynamic && address - kSharedWindow >= v->offset && address - kSharedWindow + bytes > v->offset + v->bytes)
        return {fmt::format("at byte {} of '{}' in shared memory, which has {} bytes",
                            address - kSharedWindow - v->offset, last_name(v->name), v->bytes),
                or_else(why_beyond_shared(w.block->launch, v->bytes, bytes),
                        "compare the index with the number of elements before the access")};
  if (address - kSharedWindow < kWindowBytes)
    return {
        fmt::format("at byte {} of shared memory, of which the block has {}", address - kSharedWindow, w.shared_bytes),
        or_else(why_beyond_shared(w.block->launch, w.shared_bytes, bytes),
                "check the index, and the dynamic shared memory that the launch asks for: the third number in <<< >>>, "
                "or 'gpulab run --shared BYTES'")};
  if (address - kLocalWindow < kWindowBytes) {
    const std::uint32_t own = local_bytes_of(w, op);
    return {fmt::format("at byte {} of local memory, of which the thread has {}", address - kLocalWindow, own),
            own == 0 ? "the pointer is to a local variable of another thread (a parent's), which nobody else can use: "
                       "hand over the value, or a pointer to global memory"
            : w.program->functions.size() > 1 ? "check the index of the local array; recursion may be too deep"
                                              : "check the index of the local array"};
  }
  if (address < 4096) return {fmt::format("at the null address {:#x}", address), why_null(w.block->launch)};
  if (const Allocation* above = w.global->in_front_of(address))
    return {
        fmt::format("at {:#x}, {} bytes in front of '{}'", address, above->address - address, above->name),
        "compare the index with 0 before the access; a product of ints that overflows is negative: compute it in 64 "
        "bits, or unsigned"};
  const Allocation* a = w.global->overrun(address);
  if (!a) return {fmt::format("at {:#x}, which belongs to no allocation", address), {}};
  const std::uint64_t offset = address - a->address;
  if (a->hidden != 0)
    return {fmt::format("at {:#x}: '{}' is memory of GPU {}, which GPU {} may not reach", address, a->name, a->gpu,
                        w.global->working()),
            fmt::format("while GPU {} is current, call cudaDeviceEnablePeerAccess({}, 0) before the launch, or copy "
                        "the bytes by cudaMemcpyPeer",
                        w.global->working(), a->gpu)};
  if (!a->host)
    return {fmt::format("at {:#x}: '{}' has been freed", address, a->name), "use memory only before it is freed"};
  if (offset + bytes > a->bytes)
    return {fmt::format("at {:#x}, byte {} of '{}', which has {} bytes", address, offset, a->name, a->bytes),
            why_beyond(offset, a->bytes)};
  return {fmt::format("at {:#x}, byte {} of '{}'", address, offset, a->name), {}};
}

}  // namespace

std::string thread_name(const Warp& w, int lane) {
  const Dim3 b = w.block->index, t = w.block->thread_of(w, lane);
  return fmt::format("block ({},{},{}), thread ({},{},{})", b.x, b.y, b.z, t.x, t.y, t.z);
}

void fault(Warp& w, const MicroOp* op, int lane, const std::string& what, const std::string& hint) {
  throw LaunchError(LaunchFailure::fault, fmt::format("{} in {}, {}", what, w.program->name, thread_name(w, lane)),
                    place_of(*w.program, op->site), hint);
}

void fault_access(Warp& w, const MicroOp* op, std::uint64_t address, int lane, std::uint32_t bytes,
                  const char* access) {
  const Explanation e = explain_address(w, op, address, bytes);
  const bool misaligned = bytes <= 16 && (address & (bytes - 1)) != 0;  // bulk copies are longer, and say it themselves
  const std::string what =
      fmt::format("{} {} of {} {}", misaligned ? "misaligned" : "out-of-bounds", access, plural(bytes, "byte"), e.what);
  w.block->launch.tell([&](Observer& observer) { observer.faulted(w, op, lane, address, what); });
  fault(w, op, lane, what,
        misaligned
            ? fmt::format("a {0}-byte access needs an address that is a multiple of {0}: begin there, or access the "
                          "elements one by one",
                          bytes)
            : e.hint);
}

void fault_trap(Warp& w, const MicroOp* op) {
  if (w.block->launch.grid_workspace == 0 && is_of_grid_sync(w, op))
    fault(w, op, __builtin_ctz(w.mask), "grid.sync() in a launch that is not cooperative",
          "launch the kernel by cudaLaunchCooperativeKernel, not by <<<>>>");
  fault(w, op, __builtin_ctz(w.mask), fmt::format("{} instruction", w.program->sites[op->site].instruction->opcode));
}

void fault_message(Warp& w, const MicroOp* op, const char* what) { fault(w, op, __builtin_ctz(w.mask), what); }

}  // namespace gpulab::simt
