#pragma once
// What a lab has on the site: the lecture with its ladder, its kernels, its notes.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "labs/lab.h"
#include "runner/case/result.h"
#include "runner/course/lab_trace.h"
#include "runner/course/site_folder.h"

namespace gpulab {

/// The labs of a site: what pages link to.
struct Course {
  std::vector<const Lab*> labs;  ///< by lecture
  [[nodiscard]] bool has(const std::string& lab) const;
};

/// "reduce.html", "reduce-kernels.html", "reduce-notes.html"
[[nodiscard]] std::string lab_address(const std::string& lab);
[[nodiscard]] std::string kernels_address(const std::string& lab);

/// The lecture page that the build embedded; empty: the lab has none.
[[nodiscard]] std::string lecture_title(const Lab& lab);

/// Worked assignments of the lab: by their folders in configs/assignments, with their titles.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> assignments_of(const Lab& lab);

/// `ladder`: all variants as they ran. `traced`: those that have a page of steps.
[[nodiscard]] std::vector<SiteFile> lab_pages(const Course& course, const Lab& lab, const Run& ladder,
                                              const std::vector<TracedRung>& traced);

/// What a lab says in a line, with its code as code.
[[nodiscard]] std::string words_html(std::string_view words);

/// Links above each page of the site.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> site_links();

}  // namespace gpulab
