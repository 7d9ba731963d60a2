#pragma once
// What a request may reach of this machine: files below the server's roots, and a private folder for a source that came
// as text. A request is a stranger's, and may name any path: one outside the roots is refused, whatever it is called.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/child/private_folder.h"
#include "runner/mcp/json_line.h"

namespace gpulab::mcp {

/// A source file, and the folder in which a process that takes it starts.
struct Source {
  std::string file;  ///< as that process is to call it: a name in `folder`, or a path from the root of the file system
  std::string folder;                    ///< where it starts
  std::shared_ptr<PrivateFolder> own{};  ///< of a source that came as text
};

class Workplace {
 public:
  /// Throws usage_error where a root is no folder.
  explicit Workplace(const std::vector<std::string>& roots);

  /// The file that `arguments` give by "source" or "path", one of them. `endings`: those that the tool takes. Throws
  /// usage_error.
  [[nodiscard]] Source source_of(const Json& arguments, const std::vector<std::string>& endings) const;

  /// An `--arg` or `--expect`: what stands behind "=@" is a file, which has to lie below a root. Throws usage_error.
  [[nodiscard]] std::string argument(const std::string& spec) const;
  /// A word for a program that runs in `folder`: it may not name what lies outside of the roots and of that folder, for
  /// the program is shown what its words name. Throws usage_error.
  void check_word(const std::string& word, const std::string& folder) const;

  [[nodiscard]] const std::vector<std::filesystem::path>& roots() const { return roots_; }

 private:
  [[nodiscard]] bool holds(const std::filesystem::path& canonical) const;
  [[nodiscard]] std::string file_below(const std::string& path, const std::string& called) const;

  std::vector<std::filesystem::path> roots_;
};

}  // namespace gpulab::mcp
