#pragma once
// Tokens with one of look-ahead, and the parser's error messages: "name:line:column", what was expected and found.

#include <string>
#include <string_view>

#include "common/ptx/parse/lexer.h"

namespace gpulab::ptx {

class TokenStream {
 public:
  TokenStream(std::string_view text, std::string_view name) : text_(text), name_(name), lexer_(text) { advance(); }

  [[nodiscard]] const Token& peek() const { return current_; }
  Token take();
  [[nodiscard]] bool at(char punctuation) const { return current_.punctuation == punctuation; }
  [[nodiscard]] bool at(TokenKind kind) const { return current_.kind == kind; }
  [[nodiscard]] bool at_directive(std::string_view name) const {
    return current_.kind == TokenKind::directive && current_.text == name;
  }
  /// The character right behind the current token ('\0' at the end): tells `<<` from `< <`.
  [[nodiscard]] char behind() const;
  /// The text behind the current token and the blanks that follow it.
  [[nodiscard]] std::string_view rest() const;
  [[nodiscard]] std::string_view text() const { return text_; }

  bool accept(char punctuation);
  bool accept_directive(std::string_view name);
  /// `where` completes the message: "expected ';' after the operands, found 'ret'".
  void expect(char punctuation, std::string_view where);
  std::string_view expect_word(std::string_view what);
  /// An unsigned integer literal of at most `limit`.
  std::uint64_t expect_count(std::string_view what, std::uint64_t limit);
  /// The current token is '{': goes on behind its '}'.
  void skip_braces();

  [[noreturn]] void fail(const Token& at, const std::string& what, std::string hint = {}) const;
  /// "expected `what`, found …" at the current token.
  [[noreturn]] void fail_expected(std::string_view what, std::string hint = {}) const;
  /// "name:line:column" of a place in the text.
  [[nodiscard]] std::string place(std::string_view at) const;

 private:
  void advance();

  std::string_view text_;
  std::string_view name_;
  Lexer lexer_;
  Token current_;
};

}  // namespace gpulab::ptx
