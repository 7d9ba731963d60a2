// Variables and parameters: type, alignment, dimensions.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/ptx/parse/constant.h"
#include "common/ptx/parse/parse_context.h"
#include "common/text.h"

namespace gpulab::ptx {
namespace {

struct TypeName {
  std::string_view name;
  std::uint32_t size;
};
/// Opaque types are 8-byte handles.
constexpr std::array<TypeName, 32> types{
    {{"b32", 4},     {"b64", 8},        {"pred", 0},   {"u64", 8},    {"u32", 4},    {"s32", 4},   {"f32", 4},
     {"f64", 8},     {"b8", 1},         {"b16", 2},    {"s64", 8},    {"u8", 1},     {"s8", 1},    {"u16", 2},
     {"s16", 2},     {"f16", 2},        {"f16x2", 4},  {"bf16", 2},   {"bf16x2", 4}, {"tf32", 4},  {"b128", 16},
     {"e4m3", 1},    {"e5m2", 1},       {"e4m3x2", 2}, {"e5m2x2", 2}, {"u16x2", 4},  {"s16x2", 4}, {"texref", 8},
     {"surfref", 8}, {"samplerref", 8}, {"f32x2", 8},  {"ue8m0", 1}}};

const TypeName* find_type(std::string_view directive) {
  for (const TypeName& type : types) {
    if (directive.substr(1) == type.name) return &type;
  }
  return nullptr;
}

bool is_opaque(const Type& type) { return type.name.ends_with("ref"); }

/// `.ptr .global .align 16` of entry parameters: what it points to is of no use here.
void skip_pointer_attributes(TokenStream& tokens) {
  while (tokens.at_directive(".global") || tokens.at_directive(".const") || tokens.at_directive(".shared") ||
         tokens.at_directive(".local")) {
    tokens.take();
  }
  if (tokens.accept_directive(".align")) (void)tokens.expect_count("an alignment in bytes", UINT32_MAX);
}

std::uint32_t parse_alignment(TokenStream& tokens) {
  const Token at = tokens.peek();
  const std::uint64_t align = tokens.expect_count("an alignment in bytes", 1u << 30);
  if (align == 0 || (align & (align - 1)) != 0) tokens.fail(at, "an alignment must be a power of two");
  return static_cast<std::uint32_t>(align);
}

/// `.attribute(.managed)`, `.attribute(.unified(1, 2))`
bool parse_attributes_for_managed(TokenStream& tokens) {
  bool managed = false;
  tokens.expect('(', "after .attribute");
  for (int depth = 1; depth != 0;) {
    managed |= tokens.at_directive(".managed");
    depth += tokens.at('(') ? 1 : tokens.at(')') ? -1 : 0;
    const bool known = tokens.at('(') || tokens.at(')') || tokens.at(',') || tokens.at(TokenKind::directive) ||
                       tokens.at(TokenKind::number);
    if (!known) tokens.fail_expected("')' to close .attribute");
    tokens.take();
  }
  return managed;
}

/// An unsized `[]` is 0; only the first dimension may be.
std::vector<std::uint64_t> parse_dimensions(TokenStream& tokens) {
  std::vector<std::uint64_t> dimensions;
  while (tokens.at('[')) {
    const Token open = tokens.take();
    if (tokens.at(']')) {
      if (!dimensions.empty()) tokens.fail(open, "only the first dimension of an array may be left open");
      dimensions.push_back(0);
    } else {
      const Token at = tokens.peek();
      const Constant count = parse_integer_constant(tokens);
      if (count.bits == 0 && !dimensions.empty()) tokens.fail(at, "an inner dimension of an array is at least 1");
      if (count.bits > Limits::variable_bytes) {
        tokens.fail(at, "the array is too large", fmt::format("at most {} bytes", Limits::variable_bytes));
      }
      dimensions.push_back(count.bits);
    }
    tokens.expect(']', "after an array dimension");
  }
  return dimensions;
}

std::uint64_t size_of(const TokenStream& tokens, const Token& name, std::uint64_t element,
                      const std::vector<std::uint64_t>& dimensions) {
  std::uint64_t size = element;
  for (const std::uint64_t count : dimensions) {
    if (count != 0 && size > Limits::variable_bytes / count) {
      tokens.fail(name, fmt::format("'{}' is too large", name.text),
                  fmt::format("at most {} bytes", Limits::variable_bytes));
    }
    size *= count;
  }
  return size;
}

/// `name<N>`: N variables name0 … of the same type.
std::vector<Variable> parse_range(ParseContext& context, const Variable& one, const Token& name) {
  const std::uint64_t count = context.tokens.expect_count("a number of variables", Limits::range_variables);
  context.tokens.expect('>', "after the number of variables");
  context.ranged_variables += count;
  if (context.ranged_variables > Limits::ranged_variables) {
    context.tokens.fail(name, "too many variables", fmt::format("at most {} by ranges", Limits::ranged_variables));
  }
  std::vector<Variable> variables(count, one);
  for (std::uint64_t i = 0; i < count; ++i) {
    variables[i].name = context.module.strings.emplace_back(fmt::format("{}{}", one.name, i));
  }
  return variables;
}

}  // namespace

std::optional<Space> space_of(std::string_view directive) {
  static constexpr std::array<std::pair<std::string_view, Space>, 7> spaces{{{".reg", Space::reg},
                                                                             {".param", Space::param},
                                                                             {".global", Space::global},
                                                                             {".const", Space::constant},
                                                                             {".shared", Space::shared},
                                                                             {".local", Space::local},
                                                                             {".tex", Space::global}}};
  for (const auto& [name, space] : spaces) {
    if (directive == name) return space;
  }
  return std::nullopt;
}

VariableType parse_variable_type(TokenStream& tokens, Space space) {
  VariableType found;
  found.space = space;
  if (space == Space::constant && tokens.accept('[')) {  // the constant banks of PTX 1.x and 2.x
    (void)tokens.expect_count("a constant bank", 10);
    tokens.expect(']', "after a constant bank");
  }
  while (tokens.at(TokenKind::directive)) {
    const Token token = tokens.take();
    const std::string_view text = token.text;
    if (const TypeName* type = find_type(text); type != nullptr) {
      if (!found.type.name.empty()) tokens.fail(token, fmt::format("a second type, '{}'", text));
      found.type = {text.substr(1), type->size};
    } else if (text == ".align") {
      found.align = parse_alignment(tokens);
    } else if (text == ".v2" || text == ".v4" || text == ".v8") {
      found.vector = static_cast<std::uint32_t>(text[2] - '0');
    } else if (text == ".ptr") {
      skip_pointer_attributes(tokens);
    } else if (text == ".attribute") {
      found.is_managed |= parse_attributes_for_managed(tokens);
    } else {
      tokens.fail(token, fmt::format("unknown type '{}'", text),
                  "types are .b8 to .b128, .u8, .s32, .f16x2, .f64, .pred …");
    }
  }
  if (found.type.name.empty()) tokens.fail_expected("a type such as .u32");
  return found;
}

std::vector<Variable> parse_variable(ParseContext& context, const VariableType& type) {
  TokenStream& tokens = context.tokens;
  const Token name = tokens.peek();
  Variable variable;
  variable.name = tokens.expect_word("the name of a variable");
  variable.space = type.space;
  variable.type = type.type;
  variable.vector = type.vector;
  variable.is_extern = type.is_extern;
  variable.is_managed = type.is_managed;
  const std::uint32_t element = type.type.size * type.vector;
  variable.align = type.align != 0 ? type.align : std::max(element, 1u);
  variable.size = element;
  if (type.type.name == "pred") tokens.fail(name, "predicates live in registers only", "declare it .reg .pred");
  if (tokens.accept('<')) return parse_range(context, variable, name);
  std::vector<std::uint64_t> dimensions = parse_dimensions(tokens);
  variable.is_array = !dimensions.empty();
  variable.size = size_of(tokens, name, element, dimensions);
  if (tokens.at('=') && variable.space != Space::global && variable.space != Space::constant)
    tokens.fail(name, fmt::format("'{}' has an initial value", name.text),
                "only .global and .const variables have one");
  if (tokens.accept('=')) {
    if (is_opaque(variable.type)) {
      if (!tokens.at('{')) tokens.fail_expected("'{' to open the initialiser");
      tokens.skip_braces();
    } else {
      parse_initializer(context, variable, std::move(dimensions));
    }
  }
  if (variable.size == 0 && !variable.is_extern && variable.space != Space::param) {
    tokens.fail(name, fmt::format("'{}' has no size", name.text), "only .extern arrays may be without one");
  }
  return {std::move(variable)};
}

Variable parse_parameter(ParseContext& context) {
  TokenStream& tokens = context.tokens;
  const Token token = tokens.peek();
  const auto space = token.kind == TokenKind::directive ? space_of(token.text) : std::nullopt;
  if (space != Space::param && space != Space::reg) tokens.fail_expected("a .param or .reg parameter");
  tokens.take();
  const VariableType type = parse_variable_type(tokens, *space);
  if (*space == Space::reg) {
    Variable parameter;
    parameter.name = tokens.expect_word("the name of a parameter");
    parameter.space = *space;
    parameter.type = type.type;
    parameter.size = type.type.size;
    parameter.align = std::max(type.type.size, 1u);
    return parameter;
  }
  const Token name = tokens.peek();
  std::vector<Variable> parameters = parse_variable(context, type);
  if (parameters.size() != 1) tokens.fail(name, fmt::format("'{}' must be one parameter", name.text));
  return std::move(parameters.front());
}

Pragma parse_pragma(TokenStream& tokens) {
  constexpr std::string_view mask = "used_bytes_mask ";
  Pragma pragma;
  do {
    if (!tokens.at(TokenKind::string)) tokens.fail_expected("a string after .pragma");
    const std::string_view text = tokens.take().text;
    pragma.no_unroll |= text.find("nounroll") != std::string_view::npos;
    if (const auto at = text.find(mask); at != std::string_view::npos) {
      const std::string_view number = text.substr(at + mask.size());
      const auto bytes = parse_integer(number.substr(0, number.find_first_not_of("0123456789")));
      if (bytes && *bytes > 0) pragma.used_bytes = static_cast<std::uint32_t>(*bytes);
    }
  } while (tokens.accept(','));
  tokens.expect(';', "after .pragma");
  return pragma;
}

}  // namespace gpulab::ptx
