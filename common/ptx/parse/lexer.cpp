#include "common/ptx/parse/lexer.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace gpulab::ptx {
namespace {

enum Class : std::uint8_t { other, blank, letter, digit };  // letter: may start a word; `_ $ %` are letters here

constexpr std::array<std::uint8_t, 256> classes = [] {
  std::array<std::uint8_t, 256> table{};
  for (const char c : {' ', '\t', '\r', '\n', '\v', '\f'}) table[static_cast<unsigned char>(c)] = blank;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = letter;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = letter;
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = digit;
  for (const char c : {'_', '$', '%'}) table[static_cast<unsigned char>(c)] = letter;
  return table;
}();

std::uint8_t class_of(char c) { return classes[static_cast<unsigned char>(c)]; }
bool continues_word(char c) { return class_of(c) >= letter && c != '%'; }

std::string_view between(const char* from, const char* to) { return {from, static_cast<std::size_t>(to - from)}; }

const char* find(const char* from, const char* end, char wanted) {
  const void* found = std::memchr(from, wanted, static_cast<std::size_t>(end - from));
  return found == nullptr ? end : static_cast<const char*>(found);
}

/// Behind the comment that starts at `at`; null if a block comment never ends.
const char* comment_end(const char* at, const char* end) {
  if (at[1] == '/') return find(at, end, '\n');
  for (at = find(at + 2, end, '*'); at != end; at = find(at + 1, end, '*')) {
    if (end - at > 1 && at[1] == '/') return at + 2;
  }
  return nullptr;
}

/// In stretches that a byte can count: std::count widens each byte to 64 bits, which took a fourteenth of a small run.
std::uint32_t count_lines(const char* from, const char* to) {
  std::uint32_t lines = 0;
  while (from != to) {
    const char* const stretch = from + std::min<std::ptrdiff_t>(to - from, 240);
    std::uint8_t here = 0;
    for (; from != stretch; ++from) here = static_cast<std::uint8_t>(here + (*from == '\n'));
    lines += here;
  }
  return lines;
}

bool opens_comment(const char* at, const char* end) {
  return *at == '/' && end - at > 1 && (at[1] == '/' || at[1] == '*');
}

}  // namespace

Token Lexer::take(TokenKind kind, const char* end) {
  const Token token{kind, kind == TokenKind::punctuation ? *at_ : '\0', line_, between(at_, end)};
  at_ = end;
  line_start_ = false;
  return token;
}

/// Passes blanks, comments and preprocessor lines. A `bad` token if a block comment does not end, else `end`.
Token Lexer::skip_blanks() {
  while (at_ != end_) {
    const char c = *at_;
    if (class_of(c) == blank) {
      if (c == '\n') {
        ++line_;
        line_start_ = true;
      }
      ++at_;
    } else if ((c == '#' && line_start_) || (c == '@' && end_ - at_ > 1 && at_[1] == '@')) {
      at_ = find(at_, end_, '\n');  // preprocessor lines; the @@DWARF lines of PTX 1.x
    } else if (opens_comment(at_, end_)) {
      const char* const behind = comment_end(at_, end_);
      if (behind == nullptr) return take(TokenKind::bad, at_ + 2);
      line_ += count_lines(at_, behind);
      at_ = behind;
    } else {
      break;
    }
  }
  return {TokenKind::end, '\0', line_, between(at_, at_)};
}

Token Lexer::next() {
  const Token blanks = skip_blanks();
  if (at_ == end_ || blanks.kind == TokenKind::bad) return blanks;
  const char c = *at_;
  switch (class_of(c)) {
    case letter:
      return word();
    case digit:
      return number();
    default:
      break;
  }
  if (c == '.' && end_ - at_ > 1 && continues_word(at_[1])) {
    const char* p = at_ + 1;
    while (p != end_ && (continues_word(*p) || (*p == ':' && end_ - p > 2 && p[1] == ':' && continues_word(p[2])))) {
      p += *p == ':' ? 2 : 1;
    }
    return take(TokenKind::directive, p);
  }
  if (c == '"') return string();
  if (c == '\0' && std::all_of(at_, end_, [](char rest) { return rest == '\0'; })) return take(TokenKind::end, end_);
  if (c != '\0' && std::strchr("{}[]()<>,;:@!|&+-*/~^=?", c) != nullptr) return take(TokenKind::punctuation, at_ + 1);
  return take(TokenKind::bad, at_ + 1);
}

Token Lexer::word() {
  const char* p = at_ + 1;
  while (p != end_) {
    if (continues_word(*p)) {
      ++p;
    } else if (*p == '.' && end_ - p > 1 && continues_word(p[1])) {
      p += 2;
    } else if (*p == ':' && end_ - p > 2 && p[1] == ':' && continues_word(p[2])) {
      p += 3;
    } else {
      break;
    }
  }
  const bool remainder_operator = *at_ == '%' && p == at_ + 1;
  return take(remainder_operator ? TokenKind::punctuation : TokenKind::word, p);
}

Token Lexer::number() {
  const bool prefixed = *at_ == '0' && end_ - at_ > 1 && class_of(at_[1]) == letter;  // 0x 0b 0f 0d
  const char* p = at_ + 1;
  while (p != end_) {
    const bool exponent_sign = !prefixed && (*p == '+' || *p == '-') && (p[-1] == 'e' || p[-1] == 'E');
    const bool fraction = *p == '.' && !prefixed;
    if (!continues_word(*p) && !exponent_sign && !fraction) break;
    ++p;
  }
  return take(TokenKind::number, p);
}

Token Lexer::string() {
  const char* p = at_ + 1;
  while (p != end_ && *p != '"' && *p != '\n') p += *p == '\\' && end_ - p > 1 && p[1] != '\n' ? 2 : 1;
  if (p == end_ || *p == '\n') return take(TokenKind::bad, at_ + 1);
  return take(TokenKind::string, p + 1);
}

/// The next brace, quote or slash at or behind `from`. Each is looked up again only once passed, also from one body to
/// the next: a text without quotes is searched for them once, not once per body.
const char* Lexer::next_mark(const char* from) {
  constexpr std::array<char, 4> marks{'{', '}', '"', '/'};
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks_[i] == nullptr || marks_[i] < from) marks_[i] = find(from, end_, marks[i]);
  }
  return *std::min_element(marks_.begin(), marks_.end());
}

bool Lexer::skip_braces() {
  const char* const start = at_;
  std::uint64_t depth = 1;
  for (const char* p = next_mark(at_); p != end_; p = next_mark(p)) {
    if (*p == '"') {
      p = find(p + 1, end_, '"');
    } else if (opens_comment(p, end_)) {
      p = comment_end(p, end_);
      if (p == nullptr) break;
      continue;
    } else if (*p != '/') {
      *p == '{' ? ++depth : --depth;
    }
    if (p != end_) ++p;
    if (depth != 0) continue;
    line_ += count_lines(start, p);
    at_ = p;
    line_start_ = false;
    return true;
  }
  at_ = end_;
  return false;
}

}  // namespace gpulab::ptx
