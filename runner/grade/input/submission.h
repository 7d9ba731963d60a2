#pragma once
// What is to be graded: files and folders of strangers. Whatever lies there, a submission has a text or a reason why it
// has none; it is never an error of ours.

#include <string>
#include <utility>
#include <vector>

namespace gpulab {

struct Submission {
  std::string name;  ///< the folder's, or the file's without ".cu": the student's. Shown as visible() shows it
  std::string path;  ///< as it was given
  std::string file;  ///< its name within the folder
  bool is_folder = false;
  std::string source{};
  std::vector<std::pair<std::string, std::string>> others{};  ///< further files of a program: name, text
  std::string unreadable{};  ///< why it is not judged: a symbolic link, no .cu file, several …
};

/// `wanted`: the file that counts in a folder; empty: the only one. Throws usage_error: two submissions of one name, a
/// path that is not there.
[[nodiscard]] std::vector<Submission> find_submissions(const std::vector<std::string>& paths,
                                                       const std::string& wanted);
/// Reads its text, once it is its turn. `others`: further files that a program is made of.
void read_submission(Submission& submission, const std::vector<std::string>& others = {});

/// A name as documents have it: one line, nothing that a terminal obeys.
[[nodiscard]] std::string shown_name(const std::string& name);

}  // namespace gpulab
