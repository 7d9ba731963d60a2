#include "common/simt/isa/special_registers.h"

#include "common/simt/decode/program.h"
#include "common/simt/machine/block.h"

namespace gpulab::simt {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Scope = SpecialRegister::Scope;

/// The thread that reads.
struct At {
  const Warp& warp;
  int lane;
  const BlockContext& block = *warp.block;
  const LaunchState& launch = block.launch;
  [[nodiscard]] Dim3 thread() const { return block.thread_of(warp, lane); }
  [[nodiscard]] u32 bit() const { return 1u << lane; }
};

/// A row whose value is `value(At)`.
template <typename Value>
constexpr SpecialRegister row(const char* name, Scope scope, Value) {
  return {name, scope, [](const Warp& warp, int lane) -> u64 { return Value{}(At{warp, lane}); }};
}
/// A row whose value is the same in every launch.
template <u64 value>
constexpr SpecialRegister fixed(const char* name) {
  return {name, Scope::launch, [](const Warp&, int) { return value; }};
}

constexpr SpecialRegister rows[] = {
    row("%tid.x", Scope::lane, [](const At& at) { return at.thread().x; }),
    row("%tid.y", Scope::lane, [](const At& at) { return at.thread().y; }),
    row("%tid.z", Scope::lane, [](const At& at) { return at.thread().z; }),
    row("%ntid.x", Scope::launch, [](const At& at) { return at.launch.block.x; }),
    row("%ntid.y", Scope::launch, [](const At& at) { return at.launch.block.y; }),
    row("%ntid.z", Scope::launch, [](const At& at) { return at.launch.block.z; }),
    row("%ctaid.x", Scope::block, [](const At& at) { return at.block.index.x; }),
    row("%ctaid.y", Scope::block, [](const At& at) { return at.block.index.y; }),
    row("%ctaid.z", Scope::block, [](const At& at) { return at.block.index.z; }),
    row("%nctaid.x", Scope::launch, [](const At& at) { return at.launch.grid.x; }),
    row("%nctaid.y", Scope::launch, [](const At& at) { return at.launch.grid.y; }),
    row("%nctaid.z", Scope::launch, [](const At& at) { return at.launch.grid.z; }),

    row("%laneid", Scope::lane, [](const At& at) { return static_cast<u32>(at.lane); }),
    row("%warpid", Scope::warp, [](const At& at) { return at.warp.index; }),
    row("%nwarpid", Scope::launch, [](const At& at) { return at.block.warps.size(); }),
    fixed<kLanes>("WARP_SZ"),
    row("%lanemask_eq", Scope::lane, [](const At& at) { return at.bit(); }),
    row("%lanemask_le", Scope::lane, [](const At& at) { return at.bit() | (at.bit() - 1); }),
    row("%lanemask_lt", Scope::lane, [](const At& at) { return at.bit() - 1; }),
    row("%lanemask_ge", Scope::lane, [](const At& at) { return ~(at.bit() - 1); }),
    row("%lanemask_gt", Scope::lane, [](const At& at) { return ~(at.bit() | (at.bit() - 1)); }),

    row("%clusterid.x", Scope::block, [](const At& at) { return at.block.index.x / at.launch.cluster.x; }),
    row("%clusterid.y", Scope::block, [](const At& at) { return at.block.index.y / at.launch.cluster.y; }),
    row("%clusterid.z", Scope::block, [](const At& at) { return at.block.index.z / at.launch.cluster.z; }),
    row("%nclusterid.x", Scope::launch, [](const At& at) { return at.launch.grid.x / at.launch.cluster.x; }),
    row("%nclusterid.y", Scope::launch, [](const At& at) { return at.launch.grid.y / at.launch.cluster.y; }),
    row("%nclusterid.z", Scope::launch, [](const At& at) { return at.launch.grid.z / at.launch.cluster.z; }),
    row("%cluster_ctaid.x", Scope::block, [](const At& at) { return at.block.index.x % at.launch.cluster.x; }),
    row("%cluster_ctaid.y", Scope::block, [](const At& at) { return at.block.index.y % at.launch.cluster.y; }),
    row("%cluster_ctaid.z", Scope::block, [](const At& at) { return at.block.index.z % at.launch.cluster.z; }),
    row("%cluster_nctaid.x", Scope::launch, [](const At& at) { return at.launch.cluster.x; }),
    row("%cluster_nctaid.y", Scope::launch, [](const At& at) { return at.launch.cluster.y; }),
    row("%cluster_nctaid.z", Scope::launch, [](const At& at) { return at.launch.cluster.z; }),
    row("%cluster_ctarank", Scope::block, [](const At& at) { return at.block.rank; }),
    row("%cluster_nctarank", Scope::launch, [](const At& at) { return at.launch.cluster.volume(); }),
    row("%is_explicit_cluster", Scope::launch, [](const At& at) { return u64{at.launch.has_explicit_cluster}; }),

    row("%smid", Scope::block, [](const At& at) { return at.block.linear % at.launch.sm_count; }),
    row("%nsmid", Scope::launch, [](const At& at) { return at.launch.sm_count; }),
    fixed<0>("%gridid"),
    row("%dynamic_smem_size", Scope::launch, [](const At& at) { return at.launch.dynamic_shared_bytes; }),
    row("%total_smem_size", Scope::launch, [](const At& at) { return at.warp.shared_bytes; }),
    row("%reserved_smem_offset*", Scope::launch,
        [](const At& at) { return at.launch.program->reserved_shared_offset; }),
    // A cooperative launch's grid workspace (cooperative_groups): its address in two halves.
    row("%envreg1", Scope::launch, [](const At& at) { return at.launch.grid_workspace >> 32; }),
    row("%envreg2", Scope::launch, [](const At& at) { return static_cast<u32>(at.launch.grid_workspace); }),
    fixed<0>("%envreg*"),

    row("%clock64", Scope::read, [](const At& at) { return simulated_clock(at.warp); }),
    row("%clock_hi", Scope::read, [](const At& at) { return simulated_clock(at.warp) >> 32; }),
    row("%clock", Scope::read, [](const At& at) { return simulated_clock(at.warp); }),
    row("%globaltimer_hi", Scope::read, [](const At& at) { return simulated_clock(at.warp) >> 32; }),
    row("%globaltimer*", Scope::read, [](const At& at) { return simulated_clock(at.warp); }),
};

}  // namespace

std::span<const SpecialRegister> special_registers() { return rows; }

std::uint64_t value_now(std::int32_t row, const Warp& warp) { return rows[row].value(warp, __builtin_ctz(warp.mask)); }

const SpecialRegister* find_special_register(std::string_view name) {
  for (const auto& known : rows) {
    const bool any_ending = known.name.ends_with('*');
    if (any_ending ? name.starts_with(known.name.substr(0, known.name.size() - 1)) : name == known.name) return &known;
  }
  return nullptr;
}

}  // namespace gpulab::simt
