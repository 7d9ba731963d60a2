#include "runner/grade/input/submission.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>

#include "common/error.h"
#include "common/text.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// Entries of a folder beyond these nobody looks at.
constexpr std::size_t most_entries = 10'000;

std::string kind_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "no regular file";
}

std::string sentence(const std::string& file, const std::string& what) {
  return fmt::format("{} is {}, which is not read", shown_name(file), what);
}

bool is_archive(const std::string& name) {
  constexpr std::array<std::string_view, 9> endings{".zip", ".tar", ".tgz", ".gz", ".bz2",
                                                    ".xz",  ".zst", ".7z",  ".rar"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

/// Files of a folder that nothing hides and that `is_meant` takes, by name.
std::vector<std::string> files_in(const std::string& folder, bool (*is_meant)(const std::string&)) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (!entries) return names;
  const dirent* entry = nullptr;
  for (std::size_t seen = 0; seen < most_entries && (entry = readdir(entries.get())) != nullptr; ++seen) {
    std::string name = entry->d_name;
    if (is_meant(name) && !name.starts_with('.')) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> sources_in(const std::string& folder) {
  return files_in(folder, [](const std::string& name) { return name.size() > 3 && name.ends_with(".cu"); });
}

/// The first folder within that holds a .cu file, by name; empty: none. Whoever names a class itself means its folders.
std::string folder_with_source(const std::string& path) {
  std::string first;
  std::error_code wrong;
  constexpr std::size_t few_folders = 100;  // of each of them all entries are read
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator(path, wrong)) {
    if (++seen > few_folders) break;
    const auto name = entry.path().filename().string();
    if (!entry.is_symlink(wrong) && entry.is_directory(wrong) && (first.empty() || name < first) &&
        !sources_in(entry.path().string()).empty())
      first = name;
  }
  return first;
}

void choose_file(Submission& submission, const std::string& wanted) {
  const auto sources = sources_in(submission.path);
  if (!wanted.empty()) {
    submission.file = wanted;
    struct stat status {};
    if (lstat((submission.path + "/" + wanted).c_str(), &status) != 0) {
      submission.unreadable = fmt::format("there is no file {}", wanted);
      if (sources.size() == 1) submission.unreadable += fmt::format("; there is {}", shown_name(sources[0]));
    }
    return;
  }
  if (sources.size() == 1) submission.file = sources[0];
  if (sources.empty()) {
    submission.unreadable = "there is no .cu file";
    if (const auto folder = folder_with_source(submission.path); !folder.empty())
      submission.unreadable +=
          fmt::format(" in it, but its folder {} has one (a class is named by its folders: --submission CLASS/*)",
                      shown_name(folder));
    else if (const auto archives = files_in(submission.path, is_archive); !archives.empty())
      submission.unreadable += fmt::format(", but an archive, which is not unpacked: {}", shown_name(archives[0]));
  }
  if (sources.size() < 2) return;
  std::vector<std::string> shown;
  for (const auto& name : sources)
    if (shown.size() < 5) shown.push_back(shown_name(name));
  if (sources.size() > shown.size()) shown.emplace_back("…");
  submission.unreadable = fmt::format("there are {} .cu files: {}", sources.size(), join(shown));
  if (sources.size() > 2) submission.unreadable += "; where each is a submission of its own: --submission FOLDER/*.cu";
}

Submission find(const std::string& given, const std::string& wanted) {
  Submission made;
  made.path = given;
  while (made.path.size() > 1 && made.path.ends_with('/')) made.path.pop_back();
  struct stat status {};
  if (lstat(made.path.c_str(), &status) != 0)
    throw usage_error(fmt::format("--submission: cannot look at '{}': {}", given, std::strerror(errno)),
                      "as in --submission class/*");
  const auto path = fs::path(made.path).lexically_normal();
  made.name = path.filename().string();
  if (made.name.empty() || made.name == "." || made.name == "..")
    made.name = fs::absolute(path).lexically_normal().filename().string();
  if (made.name.empty()) made.name = fs::absolute(path).lexically_normal().parent_path().filename().string();
  if (S_ISDIR(status.st_mode)) {
    made.is_folder = true;
    choose_file(made, wanted);
    return made;
  }
  made.file = made.name;
  if (made.name.ends_with(".cu") && made.name.size() > 3) {
    made.name.resize(made.name.size() - 3);
  } else if (S_ISREG(status.st_mode)) {
    made.unreadable = fmt::format("{} is {}", shown_name(made.file),
                                  is_archive(made.file) ? "an archive, which is not unpacked" : "not a .cu file");
  }
  if (!S_ISREG(status.st_mode)) made.unreadable = sentence(made.file, kind_of(status.st_mode));
  return made;
}

/// Nothing is followed, nothing is waited for: between the look at a file and its opening it may have become a pipe.
std::string read_regular(int descriptor, const std::string& file, std::string& source) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return fmt::format("{} cannot be read", shown_name(file));
  if (!S_ISREG(status.st_mode)) return sentence(file, kind_of(status.st_mode));
  std::array<char, 65536> chunk;
  for (ssize_t length = 0; (length = read(descriptor, chunk.data(), chunk.size())) != 0;) {
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return fmt::format("{} cannot be read", shown_name(file));
    source.append(chunk.data(), static_cast<std::size_t>(length));
    if (source.size() > most_source_bytes)
      return fmt::format("{} has more than {}: nobody writes so much by hand", shown_name(file),
                         bytes_text(static_cast<double>(most_source_bytes)));
  }
  if (source.find('\0') != std::string::npos) return fmt::format("{} is no text", shown_name(file));
  return {};
}

/// Reads a file of it; why it cannot be read, or nothing.
std::string read_one(const Submission& submission, const std::string& name, std::string& text) {
  const bool is_file = !submission.is_folder;
  const std::string path = is_file ? submission.path : submission.path + "/" + name;
  const int folder =
      is_file ? AT_FDCWD : open(submission.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const int descriptor =
      openat(folder, is_file ? path.c_str() : name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const int failure = errno;
  if (folder >= 0) close(folder);
  if (descriptor < 0) {
    struct stat status {};
    const bool known = lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
    return known ? sentence(name, kind_of(status.st_mode))
                 : fmt::format("{} cannot be read: {}", shown_name(name), std::strerror(failure));
  }
  auto wrong = read_regular(descriptor, name, text);
  close(descriptor);
  return wrong;
}

}  // namespace

std::string shown_name(const std::string& name) {
  std::string shown;
  for (const char c : visible(name)) {
    if (c == '\n')
      shown += "\\x0a";
    else if (c == '\t')
      shown += "\\x09";
    else
      shown += c;
  }
  return shown;
}

std::vector<Submission> find_submissions(const std::vector<std::string>& paths, const std::string& wanted) {
  std::vector<Submission> all;
  std::map<std::string, std::string> seen;
  for (const auto& path : paths) {
    auto one = find(path, wanted);
    const auto [other, is_new] = seen.emplace(shown_name(one.name), one.path);
    if (!is_new)
      throw usage_error(fmt::format("--submission: two submissions are called '{}': {} and {}", shown_name(one.name),
                                    shown_name(other->second), shown_name(one.path)),
                        "a name is one student's: rename or leave out one of them");
    all.push_back(std::move(one));
  }
  return all;
}

void read_submission(Submission& submission, const std::vector<std::string>& others) {
  if (!submission.unreadable.empty()) return;
  submission.unreadable = read_one(submission, submission.file, submission.source);
  for (const auto& name : others) {
    if (!submission.unreadable.empty()) break;
    if (!submission.is_folder) {
      submission.unreadable =
          fmt::format("{} is one file, and the program has several: {}", shown_name(submission.file), join(others));
      break;
    }
    submission.unreadable = read_one(submission, name, submission.others.emplace_back(name, "").second);
  }
  if (submission.unreadable.empty()) return;
  submission.source.clear();
  submission.others.clear();
}

}  // namespace gpulab
