#pragma once
// --output: a file for each submission, and what is known of them, for --resume.
//
// Files appear whole, by a rename. `.done` has a line for each: its name, what it was made of (submission, assignment,
// key, version), and what it holds. A line that is cut off, and a file that was changed since, count as none.

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace gpulab {

class ResultFolder {
 public:
  /// Makes the folder. Throws usage_error where it cannot be written to. Without `resumes`, what was done before counts
  /// as nothing.
  ResultFolder(std::string folder, bool resumes);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  /// What was written for a submission that was made of the same.
  [[nodiscard]] std::optional<std::string> done(const std::string& submission, const std::string& basis) const;
  /// Threads may write at once. `is_done`: --resume need not do it again.
  void write(const std::string& submission, const std::string& basis, const std::string& text, bool is_done);
  /// Any other file there.
  void write_file(const std::string& name, const std::string& text) const;

  /// Its name and ".json"; characters that no file name should have are shown by their numbers: "%2f".
  [[nodiscard]] static std::string file_name(const std::string& submission);

 private:
  [[nodiscard]] std::string path_of(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
  int journal_ = -1;
  std::mutex mutex_;
  std::map<std::string, std::pair<std::string, std::string>> done_;  ///< by name: basis, digest
};

}  // namespace gpulab
