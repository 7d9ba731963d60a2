// Initial values of variables: numbers, addresses, nested rows.

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "common/ptx/parse/constant.h"
#include "common/ptx/parse/parse_context.h"

namespace gpulab::ptx {
namespace {

class InitializerParser {
 public:
  InitializerParser(ParseContext& context, Variable& variable, std::vector<std::uint64_t> dimensions)
      : context_(context), tokens_(context.tokens), variable_(variable), element_(variable.type.size) {
    if (variable.vector > 1) dimensions.push_back(variable.vector);
    strides_.assign(dimensions.size(), element_);
    for (std::size_t i = dimensions.size(); i-- > 1;) strides_[i - 1] = strides_[i] * dimensions[i];
    is_open_ = !dimensions.empty() && dimensions.front() == 0;
    limit_ = is_open_ ? Limits::variable_bytes : variable.size;
  }

  void parse() {
    const Token at = tokens_.peek();
    if (tokens_.at('{')) {
      list(0, 0, limit_);
    } else {
      scalar(0, limit_);
    }
    if (!is_open_) return;
    const std::uint64_t row = strides_.front();
    variable_.size = (end_ + row - 1) / row * row;
    if (variable_.size == 0) tokens_.fail(at, fmt::format("'{}' has no size", variable_.name));
  }

 private:
  /// One { } list, whose bytes are [begin, end). Values directly in it fill it element by element, lists in it
  /// start a row of the next dimension each.
  void list(std::size_t level, std::uint64_t begin, std::uint64_t end) {  // recursion bounded by initializer_depth
    const Token open = tokens_.take();
    if (level >= static_cast<std::size_t>(Limits::initializer_depth)) {
      tokens_.fail(open, "the initialiser is nested too deeply");
    }
    const std::uint64_t stride = level < strides_.size() ? strides_[level] : element_;
    std::uint64_t at = begin;
    while (!tokens_.at('}')) {
      if (tokens_.at('{')) {
        at = begin + (at - begin + stride - 1) / stride * stride;
        if (at > end || end - at < stride) fail_excess(tokens_.peek());
        list(level + 1, at, at + stride);
        at += stride;
      } else {
        scalar(at, end);
        at += element_;
      }
      if (!tokens_.accept(',')) break;
    }
    if (at > end_) end_ = at;
    tokens_.expect('}', "to close the initialiser");
  }

  [[noreturn]] void fail_excess(const Token& at) const {
    tokens_.fail(at, fmt::format("more initial values than '{}' holds", variable_.name),
                 fmt::format("it has {} bytes", variable_.size));
  }

  void scalar(std::uint64_t at, std::uint64_t end) {
    const Token token = tokens_.peek();
    if (at > end || end - at < element_) fail_excess(token);
    if (at + element_ > end_) end_ = at + element_;
    if (!at_constant(tokens_)) {
      address(at, 0, element_);
      return;
    }
    const Constant value = parse_constant(tokens_);
    if (value.kind == Constant::Kind::integer && tokens_.accept('(')) {
      masked_address(token, at, value.bits);
      tokens_.expect(')', "after a masked address");
      if (tokens_.at('+') || tokens_.at('-')) {
        variable_.relocations.back().addend += parse_integer_constant(tokens_).as_signed();
      }
      return;
    }
    store(at, encoded(token, value));
  }

  /// `symbol`, `generic(symbol)`, each with `+ offset`.
  void address(std::uint64_t at, std::uint8_t shift, std::uint64_t size) {
    Variable::Relocation relocation{at, {}, 0, false, static_cast<std::uint8_t>(size), shift};
    relocation.symbol = tokens_.expect_word("an initial value");
    if (relocation.symbol == "generic" && tokens_.accept('(')) {
      relocation.generic = true;
      relocation.symbol = tokens_.expect_word("the name of a variable");
      if (tokens_.at('+') || tokens_.at('-')) relocation.addend = parse_integer_constant(tokens_).as_signed();
      tokens_.expect(')', "after generic(variable");
    }
    if (tokens_.at('+') || tokens_.at('-')) relocation.addend += parse_integer_constant(tokens_).as_signed();
    context_.names_to_check.push_back(relocation.symbol);
    variable_.relocations.push_back(relocation);
    store(at, 0);
  }

  /// 0xFF00(symbol): one byte (or more) of an address, for members of packed structs.
  void masked_address(const Token& token, std::uint64_t at, std::uint64_t mask) {
    const int shift = std::countr_zero(mask);
    const int width = mask == 0 ? 0 : std::popcount(mask);
    const bool whole_bytes =
        mask != 0 && shift % 8 == 0 && width % 8 == 0 && mask >> shift == UINT64_MAX >> (64 - width);
    if (!whole_bytes || static_cast<std::uint64_t>(width / 8) > element_) {
      tokens_.fail(
          token, fmt::format("'{}' does not select bytes of an address that fit .{}", token.text, variable_.type.name));
    }
    address(at, static_cast<std::uint8_t>(shift), static_cast<std::uint64_t>(width) / 8);
  }

  [[nodiscard]] std::uint64_t encoded(const Token& token, const Constant& value) const {
    const std::string_view type = variable_.type.name;
    if (type == "f64") return std::bit_cast<std::uint64_t>(value.as_double());
    if (type == "f32") {
      if (value.kind == Constant::Kind::f32) return value.bits;
      return std::bit_cast<std::uint32_t>(static_cast<float>(value.as_double()));
    }
    if (value.kind == Constant::Kind::integer) return value.bits;
    if (type.starts_with('b') && (value.kind == Constant::Kind::f32) == (element_ == 4)) return value.bits;
    tokens_.fail(token, fmt::format("'{}' is no initial value of type .{}", token.text, type));
  }

  /// The low bytes of `bits`, little endian.
  void store(std::uint64_t at, std::uint64_t bits) {
    std::vector<std::uint8_t>& bytes = variable_.initial;
    if (at + element_ > bytes.size()) {
      context_.initial_bytes += at + element_ - bytes.size();
      if (context_.initial_bytes > Limits::initial_bytes) {
        tokens_.fail(tokens_.peek(), "the initialisers are too large",
                     fmt::format("at most {} bytes in all", Limits::initial_bytes));
      }
      bytes.resize(at + element_);
    }
    for (std::uint64_t i = 0; i < element_; ++i) {
      bytes[at + i] = i < 8 ? static_cast<std::uint8_t>(bits >> (8 * i)) : 0;
    }
  }

  ParseContext& context_;
  TokenStream& tokens_;
  Variable& variable_;
  std::uint64_t element_;               ///< bytes
  std::vector<std::uint64_t> strides_;  ///< bytes of one item of each dimension
  std::uint64_t limit_ = 0;             ///< bytes
  std::uint64_t end_ = 0;               ///< behind the last byte with an initial value
  bool is_open_ = false;                ///< `[]`: the initialiser says how large it is
};

}  // namespace

void parse_initializer(ParseContext& context, Variable& variable, std::vector<std::uint64_t> dimensions) {
  InitializerParser(context, variable, std::move(dimensions)).parse();
}

}  // namespace gpulab::ptx
