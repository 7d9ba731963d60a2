#pragma once
// Source files as an alert names them: by their path from the top of the checkout, which the base %SRCROOT% stands for.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

class SourcePlaces {
 public:
  /// `folders`: where files are looked for that are named without one, beside the current folder.
  explicit SourcePlaces(const std::vector<std::filesystem::path>& folders);

  /// The file below the top of the checkout (the nearest folder above the current one that has `.git`, else that folder
  /// itself), percent-encoded; nothing where it is not there, or lies elsewhere (a header of the toolkit).
  [[nodiscard]] std::optional<std::string> uri_of(const std::string& file);
  /// A line without its indentation; empty where it is not there.
  [[nodiscard]] std::string line_text(const std::string& file, int line);
  /// The line where the kernel of that name begins; 0: it is not found.
  [[nodiscard]] int line_of_kernel(const std::string& file, std::string_view kernel);

 private:
  [[nodiscard]] std::filesystem::path found(const std::string& file) const;
  const std::vector<std::string>& lines_of(const std::string& file);

  std::filesystem::path root_;
  std::vector<std::filesystem::path> folders_;
  std::map<std::string, std::vector<std::string>> texts_;
};

/// "kernels.cu:41" and what follows as a place: {"kernels.cu", 41}; nothing where a text does not begin so. `rest`:
/// what stands behind it and a colon.
struct NamedLine {
  std::string file;
  int line = 0;
  std::string rest{};
};
[[nodiscard]] std::optional<NamedLine> line_named_by(std::string_view text);

}  // namespace gpulab
