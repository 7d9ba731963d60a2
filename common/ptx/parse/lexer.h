#pragma once
// PTX text to tokens. On demand: a body that nobody wants is skipped at the speed of memchr, without tokens.

#include <array>
#include <cstdint>
#include <string_view>

namespace gpulab::ptx {

enum class TokenKind : std::uint8_t {
  end,
  word,       ///< identifier or dotted opcode: "foo", "%tid.x", "ld.global.u32", "_"
  directive,  ///< ".reg", ".b32", ".shared::cta"
  number,     ///< any literal, undecoded: "42U", "0x1F", "0f3F800000", "1.5e-3"
  string,     ///< with its quotes
  punctuation,
  bad,  ///< a character that PTX does not know, or a string or comment without an end
};

struct Token {
  TokenKind kind = TokenKind::end;
  char punctuation = 0;    ///< the character, for TokenKind::punctuation
  std::uint32_t line = 1;  ///< 1-based
  std::string_view text;   ///< points into the lexer's text
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] Token next();
  /// Goes on behind the '}' that matches a '{' already taken, minding strings and comments. False: there is none.
  [[nodiscard]] bool skip_braces();

 private:
  [[nodiscard]] Token skip_blanks();
  [[nodiscard]] Token take(TokenKind kind, const char* end);
  [[nodiscard]] Token word();
  [[nodiscard]] Token number();
  [[nodiscard]] Token string();
  [[nodiscard]] const char* next_mark(const char* from);

  const char* at_;
  const char* end_;
  std::uint32_t line_ = 1;
  std::array<const char*, 4> marks_{};  ///< of next_mark: where each was found last
  bool line_start_ = true;              ///< nothing but blanks before at_ on its line: '#' opens a preprocessor line
};

}  // namespace gpulab::ptx
