#include "runner/judge/kernel_search/launch_comments.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "common/text.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::string_view blanks = " \t\r\n\f\v";
/// Nobody is made for more blocks than a contract lists.
constexpr std::size_t most_asked = 32;
/// Comments of ours that are looked at: each may cost a look through the file.
constexpr std::size_t most_comments = 100;

bool word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Definition {
  std::string_view name;
  std::size_t begin, end;  ///< from __global__ to the brace that closes its body
};

/// Behind the bracket that closes the one at `open`.
std::size_t behind(std::string_view code, std::size_t open, char opens, char closes) {
  int depth = 0;
  for (auto at = open; at < code.size(); ++at) {
    if (code[at] == opens) ++depth;
    if (code[at] == closes && --depth == 0) return at + 1;
  }
  return code.size();
}

/// The kernel whose __global__ stands at `begin`: its name is the first word before a parenthesis that is no attribute.
Definition definition_at(std::string_view code, std::size_t begin) {
  Definition made{{}, begin, code.size()};
  for (auto open = code.find('(', begin); open != npos;) {
    const auto last = code.find_last_not_of(blanks, open - 1);
    auto start = last + 1;
    while (start > begin && word_character(code[start - 1])) --start;
    const auto word = code.substr(start, last + 1 - start);
    const auto end = behind(code, open, '(', ')');
    if (!word.starts_with("__")) {
      made.name = word;
      const auto body = code.find_first_of("{;", end);
      made.end = body == npos ? code.size() : code[body] == ';' ? body : behind(code, body, '{', '}');
      return made;
    }
    open = code.find('(', end);
  }
  return made;
}

std::vector<Definition> definitions_in(std::string_view code) {
  constexpr std::string_view mark = "__global__";
  std::vector<Definition> found;
  for (auto at = code.find(mark); at != npos; at = code.find(mark, at)) {
    found.push_back(definition_at(code, at));
    at = std::max(at + mark.size(), found.back().end);
  }
  return found;
}

/// "gpulab: block 32x8 for 32x32, 256": the parts behind the word, of each line of a comment that begins so.
void add_asked(std::string_view comment, std::vector<std::string>& into) {
  for (auto line : split(comment, '\n')) {
    const auto start = line.find_first_not_of(" \t\r/*");
    if (start == std::string::npos) continue;
    line = line.substr(start);
    constexpr std::string_view mark = "gpulab:";
    if (!line.starts_with(mark)) continue;
    const auto word = line.find_first_not_of(" \t", mark.size());
    if (word == std::string::npos || line.compare(word, 5, "block") != 0) continue;
    auto rest = line.substr(word + 5);
    if (rest.starts_with('s')) rest.erase(0, 1);
    if (rest.empty() || (rest[0] != ' ' && rest[0] != '\t')) continue;
    if (const auto close = rest.find("*/"); close != std::string::npos) rest.resize(close);
    for (const auto& part : split(rest, ',')) {
      std::vector<std::string> words;
      for (std::size_t at = part.find_first_not_of(blanks); at != std::string::npos;) {
        const auto end = std::min(part.find_first_of(blanks, at), part.size());
        words.push_back(part.substr(at, end - at));
        at = part.find_first_not_of(blanks, end);
      }
      if (into.size() < most_asked) into.push_back(join(words, " "));
    }
  }
}

/// Where code begins: behind blanks and directives.
std::size_t top_of(std::string_view code) {
  std::size_t at = 0;
  while (at < code.size()) {
    const auto first = code.find_first_not_of(blanks, at);
    if (first == npos) return code.size();
    if (code[first] != '#') return first;
    at = std::min(code.find('\n', first), code.size());
  }
  return code.size();
}

/// Whose a comment at `at` is: the definition around it, else the one that follows.
const Definition* owner_of(const std::vector<Definition>& definitions, std::size_t at) {
  const auto found = std::ranges::upper_bound(definitions, at, {}, &Definition::end);
  return found == definitions.end() ? nullptr : &*found;
}

/// Does it stand right above its kernel, with no other code or directive between them?
bool is_attached(std::string_view code, std::size_t end, const Definition* owner) {
  if (owner == nullptr) return false;
  return owner->begin < end || code.substr(end, owner->begin - end).find_first_of("#;}") == npos;
}

}  // namespace

std::vector<std::string> launches_in_comments(std::string_view source, std::string_view kernel) {
  const auto code = code_only(source);
  const auto definitions = definitions_in(code);
  const auto top = top_of(code);
  std::vector<std::string> own, of_file;
  std::size_t seen = 0;
  for (const auto& [begin, end] : comments_in(source)) {
    const auto comment = source.substr(begin, end - begin);
    if (comment.find("gpulab:") == npos) continue;
    if (++seen > most_comments) break;
    const auto* owner = owner_of(definitions, begin);
    if (begin < top && !is_attached(code, end, owner)) add_asked(comment, of_file);
    if (owner != nullptr && owner->name == kernel) add_asked(comment, own);
  }
  return own.empty() ? of_file : own;
}

}  // namespace gpulab
