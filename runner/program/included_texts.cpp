#include "runner/program/included_texts.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "common/text.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 200;
constexpr std::uintmax_t most_bytes = std::uintmax_t{4} << 20;  // nobody writes more

bool is_text(const std::string& word) {
  static const std::set<std::string> endings{".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".hh", ".inl"};
  return endings.contains(fs::path(word).extension().string());
}

bool lies_below(const fs::path& file, const fs::path& folder) {
  return !folder.empty() && std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

std::vector<fs::path> folders_of(const std::vector<std::string>& words) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-I" && i + 1 < words.size())
      folders.emplace_back(words[i + 1]);
    else if (words[i].starts_with("-I") && words[i].size() > 2)
      folders.emplace_back(words[i].substr(2));
  }
  return folders;
}

/// What stands in quotes behind #include.
std::vector<std::string> included_by(const std::string& text) {
  std::vector<std::string> names;
  for (const auto& line : split(text, '\n')) {
    const auto hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#') continue;
    const auto word = line.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || line.compare(word, 7, "include") != 0) continue;
    const auto open = line.find('"', word);
    const auto close = open == std::string::npos ? open : line.find('"', open + 1);
    if (close != std::string::npos) names.push_back(line.substr(open + 1, close - open - 1));
  }
  return names;
}

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& words) : folders_(folders_of(words)) {
    for (const auto& word : words) {
      std::error_code failed;
      if (!is_text(word) || !fs::is_regular_file(word, failed)) continue;
      const auto real = fs::canonical(word, failed);
      allowed_.insert(checkout_of(real));
      allowed_.insert(real.parent_path());
    }
    for (const auto& folder : folders_) {
      std::error_code failed;
      allowed_.insert(fs::canonical(folder, failed));
    }
    for (const auto& word : words)
      if (is_text(word)) read(word, word);
  }
  std::vector<SourceText> texts;

 private:
  bool read(const fs::path& path, const std::string& name) {
    std::error_code failed;
    const auto real = fs::canonical(path, failed);
    if (failed || !fs::is_regular_file(real, failed) || fs::file_size(real, failed) > most_bytes) return false;
    if (!std::ranges::any_of(allowed_, [&](const fs::path& folder) { return lies_below(real, folder); })) return false;
    if (!seen_.insert(real).second || texts.size() >= most_files) return true;
    std::ifstream file(real, std::ios::binary);
    texts.push_back({name, {std::istreambuf_iterator<char>(file), {}}});
    const auto included = included_by(texts.back().text);
    for (const auto& one : included) {
      const auto beside = real.parent_path() / one;
      if (read(beside, beside.lexically_normal().string())) continue;
      for (const auto& folder : folders_)
        if (read(folder / one, (folder / one).lexically_normal().string())) break;
    }
    return true;
  }

  std::vector<fs::path> folders_;
  std::set<fs::path> allowed_, seen_;
};

}  // namespace

std::vector<SourceText> included_texts(const std::vector<std::string>& words) { return Reader(words).texts; }

fs::path checkout_of(const fs::path& file) {
  for (auto folder = file.parent_path();; folder = folder.parent_path()) {
    std::error_code failed;
    if (fs::exists(folder / ".git", failed)) return folder;
    if (folder == folder.parent_path()) return {};
  }
}

std::vector<std::string> folders_in_checkout(const std::vector<SourceText>& texts,
                                             const std::vector<std::string>& files) {
  std::set<fs::path> checkouts;
  std::error_code failed;
  for (const auto& file : files) checkouts.insert(checkout_of(fs::canonical(file, failed)));
  checkouts.erase(fs::path());
  std::set<std::string> folders;
  for (const auto& text : texts) {
    const auto real = fs::canonical(text.name, failed);
    if (!failed && std::ranges::any_of(checkouts, [&](const fs::path& one) { return lies_below(real, one); }))
      folders.insert(real.parent_path().string());
  }
  return {folders.begin(), folders.end()};
}

}  // namespace gpulab
