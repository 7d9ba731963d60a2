#include "runner/grade/result_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "common/error.h"
#include "common/text.h"
#include "runner/export/written_file.h"
#include "runner/student_file/compilers/sha256.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

constexpr const char* journal_name = ".done";
/// A file system's limit is 255 bytes.
constexpr std::size_t longest_name = 180;

Error cannot_write(const std::string& path, int error) {
  return usage_error(fmt::format("--output: cannot write {}: {}", path, std::strerror(error)));
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::optional<std::string> text_of(const std::string& path) {
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(path, failed))) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return rest_of(file);
}

/// What a killed run has left.
void remove_unfinished(const std::string& folder) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (entry.path().filename().string().starts_with(".gpulab-")) fs::remove(entry.path(), failed);
}

}  // namespace

ResultFolder::ResultFolder(std::string folder, bool resumes) : folder_(std::move(folder)) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) throw usage_error(fmt::format("--output: cannot make {}: {}", folder_, failed.message()));
  remove_unfinished(folder_);
  const auto path = path_of(journal_name);
  if (resumes) {
    for (const auto& line : split(text_of(path).value_or(""), '\n')) {
      const auto words = split(line, ' ');
      if (words.size() == 3 && words[1].size() == 64 && words[2].size() == 64) done_[words[0]] = {words[1], words[2]};
    }
  }
  journal_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC | (resumes ? 0 : O_TRUNC), 0666);
  if (journal_ < 0) throw cannot_write(path, errno);
  // A line that was cut off is not continued.
  if (resumes) (void)!::write(journal_, "\n", 1);
}

ResultFolder::~ResultFolder() {
  if (journal_ >= 0) close(journal_);
}

std::string ResultFolder::file_name(const std::string& submission) {
  std::string name;
  for (const char c : submission) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || (c == '.' && !name.empty());
    name += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  if (name.size() > longest_name) name = name.substr(0, longest_name - 17) + "%" + sha256({submission}).substr(0, 16);
  return name + ".json";
}

std::optional<std::string> ResultFolder::done(const std::string& submission, const std::string& basis) const {
  const auto name = file_name(submission);
  const auto known = done_.find(name);
  if (known == done_.end() || known->second.first != basis) return std::nullopt;
  auto text = text_of(path_of(name));
  if (!text || sha256({*text}) != known->second.second) return std::nullopt;
  return text;
}

void ResultFolder::write(const std::string& submission, const std::string& basis, const std::string& text,
                         bool is_done) {
  const auto name = file_name(submission);
  const std::lock_guard lock(mutex_);
  write_whole(path_of(name), text, "--output");
  if (!is_done) return;
  if (!write_all(journal_, fmt::format("{} {} {}\n", name, basis, sha256({text}))))
    throw cannot_write(path_of(journal_name), errno);
}

void ResultFolder::write_file(const std::string& name, const std::string& text) const {
  write_whole(path_of(name), text, "--output");
}

}  // namespace gpulab
