#pragma once
// Every page of the course's site.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/course/site_folder.h"

namespace gpulab {

/// Runs the ladder of each lab on the simulator, which models an H200. `tell` is told of each lab before its ladder
/// runs. Empty where the user interrupts.
[[nodiscard]] std::vector<SiteFile> pages_of_course(const std::vector<std::shared_ptr<const Lab>>& labs,
                                                    const std::function<void(const std::string&)>& tell);

}  // namespace gpulab
