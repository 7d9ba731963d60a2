#pragma once
// Which access of its trace each instruction of a region is. Warps mostly come by the same events on their way through
// a region, so what was found for one holds for the next: only whether its events look the same is compared.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/simt/timing/code/code.h"
#include "common/simt/timing/trace/trace.h"

namespace gpulab::simt {

class AccessLayouts {
 public:
  using Code = std::vector<TimedInstruction>;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// For each instruction of `code`, by its number: the event of its access, counted from the first of `events`, or
  /// kNone. `events`: of a warp behind the one that enters `head`, up to where the region ends.
  [[nodiscard]] std::shared_ptr<const std::vector<std::uint32_t>> of(const Code& code, std::uint32_t head,
                                                                     std::span<const TraceEvent> events,
                                                                     const BlockTrace& trace);

 private:
  struct Layout {
    std::vector<std::uint32_t> shape;  ///< of each event: the block, or kAccess and the access's site
    std::shared_ptr<const std::vector<std::uint32_t>> found;
  };
  struct Known {
    std::array<Layout, 4> layouts;  ///< the last ones
    std::size_t next = 0;           ///< which of them the next one replaces
  };
  [[nodiscard]] static bool is_same(const Layout& layout, std::span<const TraceEvent> events, const BlockTrace& trace);
  [[nodiscard]] static Layout find(const Code& code, std::uint32_t head, std::span<const TraceEvent> events,
                                   const BlockTrace& trace);
  std::unordered_map<const Code*, Known> known_;
};

}  // namespace gpulab::simt
