#include "runner/grade/results/result_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/error.h"
#include "common/text.h"
#include "runner/export/export_text.h"
#include "runner/export/written_file.h"
#include "runner/student_file/compilers/sha256.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Lines = std::map<std::string, std::pair<std::string, std::string>>;

constexpr const char* journal_name = ".done";
/// A file system's limit is 255 bytes.
constexpr std::size_t longest_name = 180;
/// Digits of a digest, which is 64 long, that stand for it in half a word of the journal.
constexpr std::size_t half_word = 32;
constexpr std::uintmax_t most_bytes = std::uintmax_t{16} << 20;

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

Lines lines_of(const std::string& journal) {
  Lines lines;
  for (const auto& line : split(text_of(journal).value_or(""), '\n')) {
    const auto words = split(line, ' ');
    if (words.size() == 3 && words[1].size() == 2 * half_word && words[2].size() == 2 * half_word)
      lines[words[0]] = {words[1], words[2]};
  }
  return lines;
}

struct Found {
  std::string name, text;
  Json grade;
};

/// The results of a folder, by file name. A JSON file of another kind, or of another name than we give, is none.
std::vector<Found> results_in(const std::string& folder) {
  std::vector<Found> all;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const auto name = entry.path().filename().string();
    if (!name.ends_with(".json") || fs::file_size(entry.path(), failed) > most_bytes || failed) continue;
    auto text = text_of(entry.path().string());
    auto grade = Json::parse(text.value_or(""), nullptr, false);
    if (!grade.is_object() || !grade.contains("submission") || !grade["submission"].is_string()) continue;
    const bool is_result = grade.value("schema", Json()) == "gpulab.grade.v1" && grade.contains("status") &&
                           grade["status"] != "tried" && grade.contains("score");
    if (is_result && ResultFolder::file_name(grade["submission"]) == name)
      all.push_back({name, std::move(*text), std::move(grade)});
  }
  std::ranges::sort(all, {}, &Found::name);
  return all;
}

/// "100", or "attention" where there is no score.
std::string outcome_of(const Json& grade) {
  const auto& score = grade.at("score");
  if (score.is_number()) return points_text(score.get<double>());
  return grade.at("status").is_string() ? grade.at("status").get<std::string>() : "not graded";
}

std::string few(const std::vector<std::string>& texts) {
  constexpr std::size_t most = 5;
  if (texts.size() <= most) return join(texts);
  return fmt::format("{} and {} more", join({texts.begin(), texts.begin() + most}), texts.size() - most);
}

}  // namespace

ResultFolder::ResultFolder(std::string folder, FolderUse use) : folder_(std::move(folder)), use_(use) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed) throw usage_error(fmt::format("--output: cannot make {}: {}", folder_, failed.message()));
  remove_unfinished(folder_);
  const auto path = path_of(journal_name);
  journal_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (journal_ < 0) throw cannot_write(path, errno);
}

ResultFolder::~ResultFolder() {
  if (journal_ >= 0) close(journal_);
}

void ResultFolder::begin(const std::string& basis, const std::string& assignment,
                         const std::vector<std::string>& submissions) {
  basis_ = basis;
  assignment_ = assignment;
  for (const auto& name : submissions) run_.insert(file_name(name));
  const auto results = results_in(folder_);
  std::error_code failed;
  for (const auto& result : results) {
    const bool is_own = run_.contains(result.name);
    if (use_.is_fresh && !(use_.resumes && is_own)) fs::remove(path_of(result.name), failed);
    if (is_own && !(use_.is_fresh && !use_.resumes)) before_[result.name] = outcome_of(result.grade);
  }
  if (use_.is_fresh && !use_.resumes && ftruncate(journal_, 0) != 0) throw cannot_write(path_of(journal_name), errno);
  // A line that was cut off is not continued.
  (void)!::write(journal_, "\n", 1);
  done_ = lines_of(path_of(journal_name));
  (void)others();
}

std::string ResultFolder::basis_word(const std::string& digest) const {
  return basis_.substr(0, half_word) + digest.substr(0, half_word);
}

std::string ResultFolder::file_name(const std::string& submission, const std::string& ending) {
  std::string name;
  for (const char c : submission) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || (c == '.' && !name.empty());
    name += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  if (name.size() > longest_name) name = name.substr(0, longest_name - 17) + "%" + sha256({submission}).substr(0, 16);
  return name + ending;
}

std::optional<std::string> ResultFolder::done(const std::string& submission, const std::string& digest) {
  if (!use_.resumes) return std::nullopt;
  const auto name = file_name(submission);
  const auto known = done_.find(name);
  if (known == done_.end() || known->second.first != basis_word(digest)) return std::nullopt;
  auto text = text_of(path_of(name));
  if (!text || sha256({*text}) != known->second.second) return std::nullopt;
  const std::lock_guard lock(mutex_);
  kept_.insert(name);
  return text;
}

void ResultFolder::write(const std::string& submission, const std::string& digest, const std::string& text,
                         bool is_done) {
  const auto name = file_name(submission);
  const std::lock_guard lock(mutex_);
  kept_.erase(name);
  write_whole(path_of(name), text, "--output");
  if (!is_done) return;
  if (!write_all(journal_, fmt::format("{} {} {}\n", name, basis_word(digest), sha256({text}))))
    throw cannot_write(path_of(journal_name), errno);
}

void ResultFolder::write_file(const std::string& name, const std::string& text) const {
  write_whole(path_of(name), text, "--output");
}

void ResultFolder::lock() const {
  // Where the file system has no locks, two runs at the same time are the user's affair.
  while (flock(journal_, LOCK_EX) != 0 && errno == EINTR) continue;
}

std::vector<Json> ResultFolder::others() const {
  const auto lines = lines_of(path_of(journal_name));
  // What our trouble kept from being judged has no line: it is to be done again.
  const auto is_open = [&](const Json& grade) {
    return grade["status"] == "infrastructure" && grade.value("assignment", Json()) == assignment_;
  };
  std::vector<Json> all;
  std::vector<std::string> strange;
  for (auto& result : results_in(folder_)) {
    if (run_.contains(result.name)) continue;
    const auto line = lines.find(result.name);
    const bool is_known = line != lines.end() && line->second.second == sha256({result.text});
    const auto name = visible(result.grade["submission"].get<std::string>());
    if (is_known && !line->second.first.starts_with(basis_.substr(0, half_word)))
      strange.push_back(name + " (of another assignment, key or version of gpulab)");
    else if (!is_known && !is_open(result.grade))
      strange.push_back(name + " (changed since it was written, or never finished)");
    all.push_back(std::move(result.grade));
  }
  if (strange.empty()) return all;
  throw usage_error(fmt::format("--output: {} has results that cannot stand beside these: {}", folder_, few(strange)),
                    "grade these submissions again with the others, name another folder, or begin anew: --fresh "
                    "removes all results there");
}

std::string ResultFolder::account(const std::vector<Json>& grades, std::size_t others) const {
  std::vector<std::string> regraded, added, parts;
  for (const auto& grade : grades) {
    const auto submission = grade.at("submission").get<std::string>();
    const auto name = file_name(submission);
    if (kept_.contains(name)) continue;
    const auto before = before_.find(name);
    const auto now = outcome_of(grade);
    if (before == before_.end())
      added.push_back(submission);
    else
      regraded.push_back(before->second == now ? fmt::format("{} ({} as before)", submission, now)
                                               : fmt::format("{} ({} -> {})", submission, before->second, now));
  }
  const auto same = kept_.size() + others;
  if (regraded.empty() && same == 0) return {};
  if (!regraded.empty()) parts.push_back("regraded " + few(regraded));
  if (!added.empty()) parts.push_back("new: " + few(added));
  if (same > 0) parts.push_back(fmt::format("{} as {}", same, same == 1 ? "it was" : "they were"));
  return fmt::format("{}: {}", folder_, join(parts, "; "));
}

}  // namespace gpulab
