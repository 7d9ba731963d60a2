#include "common/ptx/parse/constant.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <optional>

namespace gpulab::ptx {
namespace {

using Kind = Constant::Kind;
constexpr int deepest = 64;  // parentheses and unary operators; real code nests two or three
constexpr int warp_size = 32;

Constant integer(std::uint64_t bits, bool is_unsigned = false) { return {Kind::integer, is_unsigned, bits}; }
Constant real(double value) { return {Kind::f64, false, std::bit_cast<std::uint64_t>(value)}; }

[[noreturn]] void fail_literal(const TokenStream& tokens, const Token& token, std::string hint) {
  tokens.fail(token, fmt::format("malformed literal '{}'", token.text), std::move(hint));
}

/// 0f3F800000 and 0d3FF0000000000000: bit patterns.
Constant decode_bits(const TokenStream& tokens, const Token& token, Kind kind) {
  const std::string_view digits = token.text.substr(2);
  const std::size_t wanted = kind == Kind::f32 ? 8 : 16;
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  if (digits.size() != wanted || error != std::errc() || end != digits.data() + wanted) {
    fail_literal(tokens, token,
                 fmt::format("'{}' takes exactly {} hexadecimal digits", token.text.substr(0, 2), wanted));
  }
  return {kind, false, bits};
}

Constant decode_real(const TokenStream& tokens, const Token& token) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (end != token.text.data() + token.text.size() || error == std::errc::invalid_argument) {
    fail_literal(tokens, token, "floating-point literals look like 1.5, 1e-3, 0f3FC00000 or 0d3FF8000000000000");
  }
  if (error == std::errc::result_out_of_range) fail_literal(tokens, token, "it does not fit .f64");
  return real(value);
}

Constant decode_integer(const TokenStream& tokens, const Token& token) {
  std::string_view digits = token.text;
  const bool suffixed = digits.ends_with('U');
  if (suffixed) digits.remove_suffix(1);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char prefix = digits[1];
    base = prefix == 'x' || prefix == 'X' ? 16 : prefix == 'b' || prefix == 'B' ? 2 : 8;
    digits.remove_prefix(base == 8 ? 1 : 2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error == std::errc::result_out_of_range) fail_literal(tokens, token, "it does not fit 64 bits");
  if (error != std::errc() || end != digits.data() + digits.size()) {
    fail_literal(tokens, token, "integers look like 42, 0x2A, 052, 0b101010, each with an optional U");
  }
  return integer(value, suffixed || value > INT64_MAX);
}

Constant decode_literal(const TokenStream& tokens, const Token& token) {
  const char second = token.text.size() > 1 && token.text[0] == '0' ? token.text[1] : '\0';
  if (second == 'f' || second == 'F') return decode_bits(tokens, token, Kind::f32);
  if (second == 'd' || second == 'D') return decode_bits(tokens, token, Kind::f64);
  const bool hexadecimal = second == 'x' || second == 'X';
  if (!hexadecimal && token.text.find_first_of(".eE") != std::string_view::npos) return decode_real(tokens, token);
  return decode_integer(tokens, token);
}

enum class Op {
  or_else,
  and_also,
  bit_or,
  bit_xor,
  bit_and,
  eq,
  ne,
  le,
  ge,
  lt,
  gt,
  shl,
  shr,
  add,
  sub,
  mul,
  div,
  rem
};
struct Operator {
  std::string_view text;
  int precedence;
  Op op;
};
/// Two-character operators first: the table is searched in order.
constexpr std::array<Operator, 18> operators{{{"||", 1, Op::or_else},
                                              {"&&", 2, Op::and_also},
                                              {"==", 6, Op::eq},
                                              {"!=", 6, Op::ne},
                                              {"<=", 7, Op::le},
                                              {">=", 7, Op::ge},
                                              {"<<", 8, Op::shl},
                                              {">>", 8, Op::shr},
                                              {"|", 3, Op::bit_or},
                                              {"^", 4, Op::bit_xor},
                                              {"&", 5, Op::bit_and},
                                              {"<", 7, Op::lt},
                                              {">", 7, Op::gt},
                                              {"+", 9, Op::add},
                                              {"-", 9, Op::sub},
                                              {"*", 10, Op::mul},
                                              {"/", 10, Op::div},
                                              {"%", 10, Op::rem}}};

const Operator* current_operator(const TokenStream& tokens) {
  const char first = tokens.peek().punctuation;
  if (first == '\0') return nullptr;
  const char second = tokens.behind();
  for (const Operator& candidate : operators) {
    if (candidate.text[0] != first) continue;
    if (candidate.text.size() == 1 || candidate.text[1] == second) return &candidate;
  }
  return nullptr;
}

std::optional<Constant> apply_reals(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return real(a + b);
    case Op::sub:
      return real(a - b);
    case Op::mul:
      return real(a * b);
    case Op::div:
      return real(a / b);
    case Op::eq:
      return integer(a == b);
    case Op::ne:
      return integer(a != b);
    case Op::lt:
      return integer(a < b);
    case Op::le:
      return integer(a <= b);
    case Op::gt:
      return integer(a > b);
    case Op::ge:
      return integer(a >= b);
    default:
      return std::nullopt;
  }
}

std::uint64_t shift_left(std::uint64_t value, std::uint64_t by) { return by > 63 ? 0 : value << by; }
std::uint64_t shift_right(const Constant& value, std::uint64_t by) {
  if (value.is_unsigned) return by > 63 ? 0 : value.bits >> by;
  return static_cast<std::uint64_t>(value.as_signed() >> (by > 63 ? 63 : by));
}

/// Division by zero has no value. The most negative number divided by -1 wraps.
std::optional<Constant> divide(const Constant& a, const Constant& b, bool is_unsigned, bool remainder) {
  if (b.bits == 0) return std::nullopt;
  if (is_unsigned) return integer(remainder ? a.bits % b.bits : a.bits / b.bits, true);
  if (b.as_signed() == -1) return integer(remainder ? 0 : 0 - a.bits);
  const std::int64_t value = remainder ? a.as_signed() % b.as_signed() : a.as_signed() / b.as_signed();
  return integer(static_cast<std::uint64_t>(value));
}

std::optional<Constant> apply_integers(Op op, const Constant& a, const Constant& b) {
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  const bool less = is_unsigned ? a.bits < b.bits : a.as_signed() < b.as_signed();
  switch (op) {
    case Op::or_else:
      return integer(a.bits != 0 || b.bits != 0);
    case Op::and_also:
      return integer(a.bits != 0 && b.bits != 0);
    case Op::bit_or:
      return integer(a.bits | b.bits, is_unsigned);
    case Op::bit_xor:
      return integer(a.bits ^ b.bits, is_unsigned);
    case Op::bit_and:
      return integer(a.bits & b.bits, is_unsigned);
    case Op::eq:
      return integer(a.bits == b.bits);
    case Op::ne:
      return integer(a.bits != b.bits);
    case Op::lt:
      return integer(less);
    case Op::ge:
      return integer(!less);
    case Op::le:
      return integer(less || a.bits == b.bits);
    case Op::gt:
      return integer(!less && a.bits != b.bits);
    case Op::shl:
      return integer(shift_left(a.bits, b.bits), a.is_unsigned);
    case Op::shr:
      return integer(shift_right(a, b.bits), a.is_unsigned);
    case Op::add:
      return integer(a.bits + b.bits, is_unsigned);
    case Op::sub:
      return integer(a.bits - b.bits, is_unsigned);
    case Op::mul:
      return integer(a.bits * b.bits, is_unsigned);
    case Op::div:
      return divide(a, b, is_unsigned, false);
    case Op::rem:
      return divide(a, b, is_unsigned, true);
  }
  return std::nullopt;
}

class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream& tokens) : tokens_(tokens) {}

  Constant conditional() {  // recursion bounded by `deepest`
    const Depth depth(*this);
    const Constant condition = binary(1);
    if (!tokens_.accept('?')) return condition;
    const Constant if_true = conditional();
    tokens_.expect(':', "between the values of a conditional expression");
    const Constant if_false = conditional();
    return is_true(condition) ? if_true : if_false;
  }

 private:
  struct Depth {
    explicit Depth(ExpressionParser& parser) : parser(parser) {
      if (++parser.depth_ > deepest) parser.tokens_.fail(parser.tokens_.peek(), "the expression is nested too deeply");
    }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    ~Depth() { --parser.depth_; }
    ExpressionParser& parser;
  };

  static bool is_true(const Constant& value) {
    return value.kind == Kind::integer ? value.bits != 0 : value.as_double() != 0;
  }

  Constant binary(int least_precedence) {  // recursion as deep as there are precedences
    Constant left = unary();
    for (const Operator* found = current_operator(tokens_); found != nullptr && found->precedence >= least_precedence;
         found = current_operator(tokens_)) {
      const Token token = tokens_.take();
      if (found->text.size() == 2) tokens_.take();
      const Constant right = binary(found->precedence + 1);
      const bool integers = left.kind == Kind::integer && right.kind == Kind::integer;
      const auto value = integers ? apply_integers(found->op, left, right)
                                  : apply_reals(found->op, left.as_double(), right.as_double());
      if (!value && integers) tokens_.fail(token, "division by zero in a constant expression");
      if (!value) tokens_.fail(token, fmt::format("'{}' takes integers only", found->text));
      left = *value;
    }
    return left;
  }

  Constant unary() {  // recursion bounded by `deepest`
    const Depth depth(*this);
    const Token token = tokens_.peek();
    if (token.kind == TokenKind::number) return decode_literal(tokens_, tokens_.take());
    if (token.kind == TokenKind::word && token.text == "WARP_SZ") {
      tokens_.take();
      return integer(warp_size);
    }
    switch (token.punctuation) {
      case '(':
        tokens_.take();
        return parenthesised();
      case '+':
        tokens_.take();
        return unary();
      case '-':
        tokens_.take();
        return negated(unary());
      case '!':
        tokens_.take();
        return integer(!is_true(unary()));
      case '~': {
        tokens_.take();
        const Constant value = unary();
        if (value.kind != Kind::integer) tokens_.fail(token, "'~' takes integers only");
        return integer(~value.bits, value.is_unsigned);
      }
      default:
        tokens_.fail_expected("a constant");
    }
  }

  static Constant negated(Constant value) {
    if (value.kind == Kind::integer) return integer(0 - value.bits, value.is_unsigned);
    value.bits ^= value.kind == Kind::f32 ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63;
    return value;
  }

  /// Behind '(': an expression and its ')', or a cast.
  Constant parenthesised() {  // recursion bounded by `deepest`
    const bool to_signed = tokens_.at_directive(".s64");
    if (to_signed || tokens_.at_directive(".u64")) {
      tokens_.take();
      tokens_.expect(')', "after the type of a cast");
      const Token operand = tokens_.peek();
      const Constant value = unary();
      if (value.kind != Kind::integer) tokens_.fail(operand, "only integers can be cast");
      return integer(value.bits, !to_signed);
    }
    const Constant value = conditional();
    tokens_.expect(')', "to match '('");
    return value;
  }

  TokenStream& tokens_;
  int depth_ = 0;
};

}  // namespace

double Constant::as_double() const {
  if (kind == Kind::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (kind == Kind::f64) return std::bit_cast<double>(bits);
  return is_unsigned ? static_cast<double>(bits) : static_cast<double>(as_signed());
}

bool at_constant(const TokenStream& tokens) {
  const Token& token = tokens.peek();
  if (token.kind == TokenKind::number) return true;
  if (token.kind == TokenKind::word) return token.text == "WARP_SZ";
  switch (token.punctuation) {
    case '-':
    case '+':
    case '!':
    case '~':
    case '(':
      return true;
    default:
      return false;
  }
}

Constant parse_constant(TokenStream& tokens) { return ExpressionParser(tokens).conditional(); }

Constant parse_integer_constant(TokenStream& tokens) {
  const Token first = tokens.peek();
  const Constant value = parse_constant(tokens);
  if (value.kind != Kind::integer) tokens.fail(first, fmt::format("expected an integer, found '{}'", first.text));
  return value;
}

}  // namespace gpulab::ptx
