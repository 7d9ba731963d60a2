#pragma once
// The shell of every page: one document that holds all that it shows and loads nothing.

#include <string>
#include <utility>
#include <vector>

namespace gpulab::html {

struct Page {
  std::string title;  ///< text, as all here but `body` and `top`
  std::string description{};
  std::string body{};  ///< HTML, within <main>; begins with the page's h1
  /// Links above: (text, address). The first is the page's home and stands in bold; none: "gpulab".
  std::vector<std::pair<std::string, std::string>> top{};
  /// Embedded files beside page.css and page.js, by their paths from the root of the tree.
  std::vector<std::string> styles{}, scripts{};
};

/// The document. Its policy (a <meta>) allows these styles and scripts alone, by their hashes, and no address.
/// Scripts run where they stand, after the body.
[[nodiscard]] std::string document(const Page& page);

}  // namespace gpulab::html
