#pragma once
// A rung of a lab, stepped: the page of `gpulab trace` as a page of the site.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/case/result.h"
#include "runner/course/site_folder.h"

namespace gpulab {

/// A rung that the site steps, and what goes wrong in it: "bank conflicts"; nothing of the lab's headline.
struct TracedRung {
  const Variant* variant;
  std::string shows;
};
/// By what goes wrong: of the rungs in `ladder` that the simulator steps those with the most bank conflicts for a
/// request, the least efficient branches, the most bytes moved in vain; then the headline. Where nothing does, the
/// first rung.
[[nodiscard]] std::vector<TracedRung> traced_rungs(const Lab& lab, const Run& ladder);

/// "reduce-trace-warp.html"
[[nodiscard]] std::string trace_address(const std::string& lab, const std::string& variant);

/// At a small size, its first block; nothing where it has no step to show.
/// `top`: links above it.
[[nodiscard]] std::optional<SiteFile> trace_page_of(const std::shared_ptr<const Lab>& lab, const Variant& variant,
                                                    std::vector<std::pair<std::string, std::string>> top);

}  // namespace gpulab
