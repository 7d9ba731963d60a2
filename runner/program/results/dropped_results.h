#pragma once
// The places at which a program drops what a function of the runtime returns, in a section of its file. Objects have
// one each; linkers put them behind one another. Programs that others built have none.

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpulab {

struct DroppedResult {
  std::string function;  ///< "cudaMemcpy"
  std::string file;      ///< its name, without folders
  int line = 0;
};

/// Adds the section to an object file or a program; false where `file` is none, and stays as it was.
bool keep_dropped(const std::filesystem::path& file, const std::vector<DroppedResult>& dropped);

/// Where results are dropped.
class DroppedResults {
 public:
  /// Of the bytes of a program; nothing where it does not say.
  [[nodiscard]] static std::optional<DroppedResults> of_program(const std::string& bytes);
  /// `place`: "main.cu:12".
  [[nodiscard]] bool holds(const std::string& function, const std::string& place) const {
    return places_.contains(function + " " + place);
  }

 private:
  std::set<std::string> places_;
};

}  // namespace gpulab
