#pragma once
// --output: a file for each submission, of this run and of those before, and what is known of them.
//
// Files appear whole, by a rename. `.done` has a line for each that is finished, the last one counts: its name, what it
// was made of (32 digits of assignment, key and version, 32 of the submission), and what it holds. A line that is cut
// off, and a file that was changed since, count as none.

#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gpulab {

/// What becomes of a folder's results. Those of submissions that are not in the run stay, unless it is fresh: then they
/// go. Those of its own are made anew, unless it resumes: then such stay as were made of the same.
struct FolderUse {
  bool resumes = false, is_fresh = false;
};

class ResultFolder {
 public:
  /// Makes the folder. Throws usage_error where it cannot be written to.
  ResultFolder(std::string folder, FolderUse use);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  /// Before anything is judged. `basis`: a digest of all that decides about each grade but the submission itself.
  /// Throws usage_error: there are results of submissions that are not in this run, and they were made otherwise.
  void begin(const std::string& basis, const std::string& assignment, const std::vector<std::string>& submissions);

  /// What was written for a submission that was made of the same, where the run resumes.
  [[nodiscard]] std::optional<std::string> done(const std::string& submission, const std::string& digest);
  /// Threads may write at once. `is_done`: --resume need not do it again.
  void write(const std::string& submission, const std::string& digest, const std::string& text, bool is_done);
  /// Any other file there.
  void write_file(const std::string& name, const std::string& text) const;

  /// Until this one ends, nobody else who asks for it writes what is of the whole class.
  void lock() const;
  /// Results of submissions that are not in this run, by name. The same errors as those of begin().
  [[nodiscard]] std::vector<nlohmann::json> others() const;
  /// "out: regraded ada (0 -> 100); new: bob; 28 as they were", of this run's results. Empty: nothing was there.
  [[nodiscard]] std::string account(const std::vector<nlohmann::json>& grades, std::size_t others) const;

  /// Its name and `ending`; characters that no file name should have are shown by their numbers: "%2f".
  [[nodiscard]] static std::string file_name(const std::string& submission, const std::string& ending = ".json");

 private:
  [[nodiscard]] std::string path_of(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::string basis_word(const std::string& digest) const;

  std::string folder_;
  FolderUse use_;
  int journal_ = -1;
  std::string basis_, assignment_;
  std::mutex mutex_;
  // All by file names.
  std::set<std::string> run_{}, kept_{};         ///< this run's submissions; those that done() gave
  std::map<std::string, std::string> before_{};  ///< what this run's had earned before
  std::map<std::string, std::pair<std::string, std::string>> done_{};  ///< basis, digest
};

}  // namespace gpulab
