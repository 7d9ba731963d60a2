#pragma once
// A stranger's file as its compiler sees it: a copy of fixed name in a private folder. The user's name for it stands
// in a #line directive where it is harmless, and comes back into messages and PTX afterwards; nvcc hands its command
// lines to a shell, which must never read it.

#include <filesystem>
#include <string>
#include <vector>

#include "runner/student_file/compile.h"

namespace gpulab {

class SourceCopy {
 public:
  /// Writes the file, and a link to the folder that it was in unless it is to see nothing of it.
  SourceCopy(const CompileRequest& request, const std::filesystem::path& folder);

  [[nodiscard]] const char* file() const { return instance_ ? "instance.cu" : "source.cu"; }
  /// Where what stood beside the file, and beside headers that are amended, is found, from the copy's folder.
  [[nodiscard]] const std::vector<std::string>& neighbours() const { return neighbours_; }
  /// The folder that the file was in; empty where it is to see nothing of it.
  [[nodiscard]] const std::string& own_folder() const { return own_folder_; }

  /// What the compiler said, with the names that the user knows.
  [[nodiscard]] std::string messages(std::string log) const;
  /// The same for the .file directives of a PTX text.
  [[nodiscard]] std::string ptx(const std::string& text) const;

  /// What the compiler calls the line that asks for an instance of a template.
  static constexpr const char* instance_name = "--kernel";
  /// What the copy's folder calls the folder that the file was in.
  static constexpr const char* link_name = "gpulab-neighbours";

 private:
  void write_amended_headers(const CompileRequest& request);
  void give_names_back(std::string& text) const;

  std::filesystem::path folder_;
  bool instance_;
  std::string typed_, harmless_, typed_folder_, own_folder_;
  std::vector<std::string> neighbours_;
};

}  // namespace gpulab
