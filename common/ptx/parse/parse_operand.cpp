// Operands: registers, literals, addresses, vectors, names.

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "common/ptx/parse/constant.h"
#include "common/ptx/parse/function_parser.h"

namespace gpulab::ptx {
namespace {

using Kind = Operand::Kind;

Operand operand_of(Kind kind, std::string_view name = {}) {
  Operand operand;
  operand.kind = kind;
  operand.name = name;
  return operand;
}

/// Component of a vector register: .x .y .z .w, or .r .g .b .a; -1: none of them.
int component_of(std::string_view suffix) {
  if (suffix.size() != 1) return -1;
  const std::size_t place = std::string_view("xyzwrgba").find(suffix);
  return place == std::string_view::npos ? -1 : static_cast<int>(place % 4);
}

}  // namespace

Operand FunctionParser::parse_operand(int depth) {  // recursion bounded by operand_depth
  if (depth > Limits::operand_depth) tokens_.fail(tokens_.peek(), "the operand is nested too deeply");
  if (tokens_.at('[')) return parse_address(depth);
  if (tokens_.at('{')) return parse_vector(depth);
  if (at_negated_register()) return parse_negated_register();
  if (at_constant(tokens_)) return parse_constant_operand();
  if (tokens_.at(TokenKind::word)) return parse_name();
  tokens_.fail_expected(fmt::format("an operand of '{}'", opcode_));
}

/// `!p` and `-r`, but not `!0`, `-4`, `-(1+2)` or `-WARP_SZ`.
bool FunctionParser::at_negated_register() const {
  if (!tokens_.at('!') && !tokens_.at('-')) return false;
  const std::string_view rest = tokens_.rest();
  if (rest.empty() || rest.starts_with("WARP_SZ")) return false;
  const char c = rest.front();
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '%' || c == '_' || c == '$';
}

Operand FunctionParser::parse_negated_register() {
  tokens_.take();
  const Token name = tokens_.take();
  Operand operand = resolve_name(name);
  if (operand.kind != Kind::reg) tokens_.fail(name, fmt::format("only registers can be negated, not '{}'", name.text));
  operand.negated = true;
  return operand;
}

Operand FunctionParser::parse_constant_operand() {
  const Constant value = parse_constant(tokens_);
  Operand operand;
  switch (value.kind) {
    case Constant::Kind::integer:
      operand.kind = Kind::integer;
      operand.integer = value.as_signed();
      break;
    case Constant::Kind::f32:
      operand.kind = Kind::f32;
      operand.bits = value.bits;
      break;
    case Constant::Kind::f64:
      operand.kind = Kind::f64;
      operand.bits = value.bits;
      break;
  }
  return operand;
}

Operand FunctionParser::parse_vector(int depth) {  // recursion bounded by operand_depth
  tokens_.take();                                  // '{'
  Operand vector = operand_of(Kind::vector);
  do {
    vector.elements.push_back(parse_operand(depth + 1));
  } while (tokens_.accept(','));
  tokens_.expect('}', "to close a vector operand");
  return vector;
}

/// [reg], [reg+4], [symbol+4], [4], [texture, {coordinates}]
Operand FunctionParser::parse_address(int depth) {  // recursion bounded by operand_depth
  tokens_.take();                                   // '['
  Operand address = operand_of(Kind::address);
  if (at_constant(tokens_)) {
    address.integer = parse_integer_constant(tokens_).as_signed();
  } else {
    const Token name = tokens_.peek();
    (void)tokens_.expect_word("an address");
    const Operand base = resolve_name(name);
    if (base.kind != Kind::reg && base.kind != Kind::symbol) {
      tokens_.fail(name, fmt::format("'{}' is no address", name.text));
    }
    address.name = base.name;
    address.is_reg = base.kind == Kind::reg;
    address.reg = base.reg;
    parse_offset(name, address);
  }
  while (tokens_.accept(',')) address.elements.push_back(parse_operand(depth + 1));
  tokens_.expect(']', "to close an address");
  return address;
}

/// Behind a base: `+4`, `+-4`, `-4`, or an index as in `array[1]`.
void FunctionParser::parse_offset(const Token& token, Operand& operand) {
  if (tokens_.at('+') || tokens_.at('-')) {
    operand.integer = parse_integer_constant(tokens_).as_signed();
  } else if (tokens_.at('[') && operand.reg < 0) {
    tokens_.take();
    const std::uint64_t index = parse_integer_constant(tokens_).bits;
    tokens_.expect(']', "after an array index");
    operand.integer = static_cast<std::int64_t>(index * element_size(token));
  }
}

std::uint64_t FunctionParser::element_size(const Token& name) const {
  const auto size = [](const Variable& variable) { return std::uint64_t{variable.type.size} * variable.vector; };
  for (const Variable& variable : function_.variables) {
    if (variable.name == name.text) return size(variable);
  }
  const auto found = context_.names.find(name.text);
  if (found != context_.names.end() && found->second % 2 == 0)
    return size(context_.module.variables[found->second / 2]);
  tokens_.fail(name, fmt::format("'{}' is no array declared above", name.text));
}

Operand FunctionParser::parse_name() {
  const Token token = tokens_.take();
  Operand operand = resolve_name(token);
  if (operand.kind == Kind::symbol) {
    const bool indexed = tokens_.at('[');
    parse_offset(token, operand);
    // `mov` takes the address of array[1]; elsewhere it is the operand in memory.
    if (indexed && !opcode_.starts_with("mov.")) operand.kind = Kind::address;
  } else if (tokens_.at('|') && (operand.kind == Kind::reg || operand.kind == Kind::underscore)) {
    parse_second_destination(operand);
  }
  return operand;
}

void FunctionParser::parse_second_destination(Operand& operand) {
  tokens_.take();  // '|'
  const Token name = tokens_.peek();
  (void)tokens_.expect_word("a register after '|'");
  const Operand second = resolve_name(name);
  if (second.kind != Kind::reg && second.kind != Kind::underscore) {
    tokens_.fail(name, fmt::format("'{}' is not a register", name.text));
  }
  operand.second = second.kind == Kind::underscore ? name.text : second.name;
  operand.second_reg = second.reg;
}

Operand FunctionParser::resolve_name(const Token& token) {
  const std::string_view name = token.text;
  if (name == "_") return operand_of(Kind::underscore);
  const Scopes::Meaning meaning = scopes_.find(name);
  if (meaning.declaration != nullptr) {
    Declaration& declaration = *meaning.declaration;
    switch (declaration.kind) {
      case Declaration::Kind::variable:
      case Declaration::Kind::table:
        return operand_of(Kind::symbol, declaration.unique);
      case Declaration::Kind::label:
        return operand_of(Kind::label, declaration.unique);
      default:
        return register_operand(declaration, meaning.number);
    }
  }
  if (const std::size_t dot = name.find('.'); dot != std::string_view::npos) return resolve_component(token, dot);
  if (meaning.too_small != nullptr) {
    tokens_.fail(token, fmt::format("register '{}' is not declared", name),
                 fmt::format("'{}<{}>' declares {} registers, counted from 0", meaning.too_small->name,
                             meaning.too_small->count, meaning.too_small->count));
  }
  if (name.starts_with('%')) return operand_of(Kind::special, name);
  unresolved_.push_back(name);
  return operand_of(Kind::symbol, name);
}

/// `v.x` of a vector register, `r.b0` of a scalar one, `%tid.x`.
Operand FunctionParser::resolve_component(const Token& token, std::size_t dot) {
  const std::string_view name = token.text.substr(0, dot), suffix = token.text.substr(dot + 1);
  const Scopes::Meaning meaning = scopes_.find(name);
  if (meaning.declaration == nullptr) {
    if (name.starts_with('%')) return operand_of(Kind::special, token.text);
    tokens_.fail(token, fmt::format("'{}' is not declared", name));
  }
  Declaration& declaration = *meaning.declaration;
  if (declaration.kind == Declaration::Kind::reg_vector) {
    const int component = component_of(suffix);
    if (component < 0 || static_cast<std::uint32_t>(component) >= declaration.count) {
      tokens_.fail(token, fmt::format("vector register '{}' has no component '{}'", name, suffix));
    }
    Operand element = operand_of(Kind::reg);
    element.reg = occurrence(declaration, static_cast<std::uint64_t>(component));
    element.name = function_.registers[static_cast<std::size_t>(element.reg)].name;
    return element;
  }
  Operand operand = resolve_name({TokenKind::word, '\0', token.line, name});
  if (operand.kind != Kind::reg) tokens_.fail(token, fmt::format("'{}' has no components", name));
  operand.selector = suffix;
  return operand;
}

Operand FunctionParser::register_operand(Declaration& declaration, std::uint64_t number) {
  const auto one = [&](std::uint64_t n) {
    Operand operand = operand_of(Kind::reg);
    operand.reg = occurrence(declaration, n);
    operand.name = function_.registers[static_cast<std::size_t>(operand.reg)].name;
    return operand;
  };
  if (declaration.kind != Declaration::Kind::reg_vector) return one(number);
  Operand vector = operand_of(Kind::vector);
  for (std::uint32_t i = 0; i < declaration.count; ++i) vector.elements.push_back(one(i));
  return vector;
}

/// The register's index in the function, which lists it from its first occurrence on.
std::int32_t FunctionParser::occurrence(Declaration& declaration, std::uint64_t number) {
  if (declaration.registers.size() <= number) declaration.registers.resize(number + 1, -1);
  std::int32_t& index = declaration.registers[number];
  if (index >= 0) return index;
  std::string_view name = declaration.name;
  std::deque<std::string>& strings = context_.module.strings;
  if (declaration.kind == Declaration::Kind::reg_range) {
    name = strings.emplace_back(fmt::format("{}{}", name, number));
  } else if (declaration.kind == Declaration::Kind::reg_vector) {
    name = strings.emplace_back(fmt::format("{}.{}", name, "xyzw"[number]));
  }
  index = static_cast<std::int32_t>(function_.registers.size());
  function_.registers.push_back({scopes_.make_unique(name, true), declaration.type});
  return index;
}

}  // namespace gpulab::ptx
