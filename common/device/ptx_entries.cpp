#include "common/device/ptx_entries.h"

#include <algorithm>
#include <cctype>

namespace gpulab {
namespace {

bool identifier_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

/// A cursor over PTX that knows comments, strings, directives, names and braces, and no more.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// The next token: a directive or name, or a single other character. Empty at the end.
  std::string_view next() {
    skip_blanks();
    begin_ = at_;
    if (at_ >= text_.size()) return {};
    if (text_[at_] == '"') return skip_string();
    ++at_;
    if (text_[begin_] == '.' || identifier_character(text_[begin_]))
      while (at_ < text_.size() && identifier_character(text_[at_])) ++at_;
    return text_.substr(begin_, at_ - begin_);
  }

  /// To behind the brace that closes the one just read.
  void skip_body() {
    for (int depth = 1; depth > 0;) {
      const auto token = next();
      if (token.empty()) return;
      if (token == "{") ++depth;
      if (token == "}") --depth;
    }
  }

  [[nodiscard]] std::size_t begin() const { return begin_; }  ///< of the last token
  [[nodiscard]] std::size_t end() const { return at_; }

 private:
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
        ++at_;
      else if (text_.substr(at_).starts_with("//"))
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (text_.substr(at_).starts_with("/*"))
        at_ = text_.find("*/", at_ + 2) == std::string_view::npos ? text_.size() : text_.find("*/", at_ + 2) + 2;
      else
        return;
    }
  }

  std::string_view skip_string() {
    const std::size_t close = text_.find('"', at_ + 1);
    at_ = close == std::string_view::npos ? text_.size() : close + 1;
    return text_.substr(begin_, at_ - begin_);
  }

  std::string_view text_;
  std::size_t at_ = 0, begin_ = 0;
};

bool is_linkage(std::string_view token) { return token == ".visible" || token == ".weak" || token == ".extern"; }

/// Reads name, parameters and body; `.entry` has just been read.
PtxEntry read_entry(Scanner& scanner, std::size_t begin) {
  PtxEntry entry;
  entry.begin = begin;
  entry.name = scanner.next();
  for (auto token = scanner.next(); !token.empty(); token = scanner.next()) {
    if (token == ";") entry.has_body = false;
    if (token == "{") scanner.skip_body();
    if (token == ";" || token == "{") break;
  }
  entry.end = scanner.end();
  return entry;
}

/// Reads a module-scope `.global` variable; true if kernels may write it. printf formats and assert texts ($str)
/// are only read.
bool read_mutable_variable(Scanner& scanner) {
  std::string_view name;
  for (auto token = scanner.next(); !token.empty() && token != ";" && token != "=" && token != "[";
       token = scanner.next())
    name = token;
  return !name.starts_with("$str") && !name.starts_with("__unnamed_") && !name.starts_with("__PRETTY_FUNCTION__");
}

}  // namespace

PtxOutline outline(std::string_view ptx) {
  PtxOutline found;
  Scanner scanner(ptx);
  std::size_t linkage = std::string_view::npos;
  for (auto token = scanner.next(); !token.empty(); token = scanner.next()) {
    const std::size_t begin = std::min(linkage, scanner.begin());
    if (!is_linkage(token)) linkage = std::string_view::npos;
    if (is_linkage(token)) linkage = scanner.begin();
    if (token == ".entry") found.entries.push_back(read_entry(scanner, begin));
    if (token == ".global" && read_mutable_variable(scanner)) found.separable = false;
    if (token == "{") scanner.skip_body();
  }
  found.calls_runtime =
      ptx.find("cudaLaunchDevice") != std::string_view::npos || ptx.find("__cudaCDP") != std::string_view::npos;
  const bool debug = ptx.find(".debug_info") != std::string_view::npos;
  found.separable = found.separable && !found.calls_runtime && !debug;
  return found;
}

std::string with_only_entry(std::string_view ptx, const PtxOutline& outline, std::string_view name) {
  std::string text;
  std::size_t from = 0;
  for (const auto& entry : outline.entries) {
    if (entry.name == name) continue;
    text += ptx.substr(from, entry.begin - from);
    from = entry.end;
  }
  text += ptx.substr(from);
  return text;
}

}  // namespace gpulab
