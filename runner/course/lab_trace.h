#pragma once
// A rung of a lab, stepped: the page of `gpulab trace` as a page of the site.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/course/site_folder.h"

namespace gpulab {

/// Rungs that the site steps: the lab's worst one, and its headline; those that the simulator runs.
[[nodiscard]] std::vector<const Variant*> traced_rungs(const Lab& lab);

/// "reduce-trace-warp.html"
[[nodiscard]] std::string trace_address(const std::string& lab, const std::string& variant);

/// At a small size, its first block; nothing where it has no step to show.
/// `top`: links above it.
[[nodiscard]] std::optional<SiteFile> trace_page_of(const std::shared_ptr<const Lab>& lab, const Variant& variant,
                                                    std::vector<std::pair<std::string, std::string>> top);

}  // namespace gpulab
