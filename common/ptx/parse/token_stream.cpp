#include "common/ptx/parse/token_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "common/error.h"

namespace gpulab::ptx {
namespace {

std::string describe(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the text";
  constexpr std::size_t longest = 60;
  if (token.text.size() <= longest) return fmt::format("'{}'", token.text);
  return fmt::format("'{}…'", token.text.substr(0, longest));
}

}  // namespace

Token TokenStream::take() {
  const Token taken = current_;
  advance();
  return taken;
}

void TokenStream::advance() {
  current_ = lexer_.next();
  if (current_.kind != TokenKind::bad) return;
  if (current_.text == "/*") fail(current_, "the comment has no end", "close it with */");
  if (current_.text == "\"") fail(current_, "the string has no end on its line", "close it with \"");
  const char c = current_.text.front();
  const bool printable = c > ' ' && c < 127;
  fail(current_, printable ? fmt::format("unexpected character '{}'", c)
                           : fmt::format("unexpected byte 0x{:02x}", static_cast<unsigned char>(c)));
}

char TokenStream::behind() const {
  const auto offset = static_cast<std::size_t>(current_.text.data() - text_.data()) + current_.text.size();
  return offset < text_.size() ? text_[offset] : '\0';
}

std::string_view TokenStream::rest() const {
  const auto offset = static_cast<std::size_t>(current_.text.data() - text_.data()) + current_.text.size();
  const std::size_t start = text_.find_first_not_of(" \t\r\n", offset);
  return start == std::string_view::npos ? std::string_view() : text_.substr(start);
}

bool TokenStream::accept(char punctuation) {
  if (!at(punctuation)) return false;
  take();
  return true;
}

bool TokenStream::accept_directive(std::string_view name) {
  if (!at_directive(name)) return false;
  take();
  return true;
}

void TokenStream::expect(char punctuation, std::string_view where) {
  if (!accept(punctuation)) fail_expected(fmt::format("'{}' {}", punctuation, where));
}

std::string_view TokenStream::expect_word(std::string_view what) {
  if (!at(TokenKind::word)) fail_expected(what);
  return take().text;
}

std::uint64_t TokenStream::expect_count(std::string_view what, std::uint64_t limit) {
  if (!at(TokenKind::number)) fail_expected(what);
  const Token token = take();
  std::string_view digits = token.text;
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    base = 16;
  }
  while (digits.ends_with('U')) digits.remove_suffix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
    fail(token, fmt::format("expected {}, found '{}'", what, token.text));
  }
  if (error != std::errc() || value > limit) {
    fail(token, fmt::format("{} {} is too large", what, token.text), fmt::format("at most {}", limit));
  }
  return value;
}

void TokenStream::skip_braces() {
  const Token open = current_;
  if (!lexer_.skip_braces()) fail(open, "'{' without a matching '}'", "the text may be cut off");
  advance();
}

void TokenStream::fail(const Token& at, const std::string& what, std::string hint) const {
  throw Error(ExitCode::usage, what, place(at.text), std::move(hint));
}

void TokenStream::fail_expected(std::string_view what, std::string hint) const {
  fail(current_, fmt::format("expected {}, found {}", what, describe(current_)), std::move(hint));
}

std::string TokenStream::place(std::string_view at) const {
  const auto offset = static_cast<std::size_t>(at.data() - text_.data());
  const std::string_view before = text_.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  return fmt::format("{}:{}:{}", name_, line, offset - line_start + 1);
}

}  // namespace gpulab::ptx
