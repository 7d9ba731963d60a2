#pragma once
// What the parts of the parser share: the tokens, the module under construction, the names at module scope, and what
// can only be settled at the end of the text.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/ptx/module.h"
#include "common/ptx/parse/token_stream.h"

namespace gpulab::ptx {

/// What hostile text may ask for at most; far beyond what compilers emit.
struct Limits {
  static constexpr std::uint64_t variable_bytes = std::uint64_t{1} << 40;
  static constexpr std::uint64_t initial_bytes = std::uint64_t{256} << 20;  ///< all initialisers of a module
  static constexpr std::uint64_t registers = std::uint64_t{1} << 22;        ///< declared in a function
  static constexpr std::uint64_t range_variables = 1024;                    ///< of one `.local .u32 a<…>`
  static constexpr std::uint64_t ranged_variables = 65536;                  ///< of a module
  static constexpr std::size_t scope_depth = 256;
  static constexpr int operand_depth = 16;
  static constexpr int initializer_depth = 16;
};

struct ParseContext {
  ParseContext(std::string_view text, Module& module) : tokens(text, module.name), module(module) {}

  TokenStream tokens;
  Module& module;
  std::unordered_map<std::string_view, std::uint32_t> names;  ///< module scope: 2 · index + (1: function)
  std::vector<std::string_view> names_to_check;               ///< must be in `names` at the end of the text
  /// function_name of a .loc: a label in .debug_str, which stands at the end of the text.
  struct FunctionName {
    std::uint32_t location;
    std::string_view label;
    std::uint64_t offset;
  };
  std::vector<FunctionName> function_names;
  std::uint64_t initial_bytes = 0;
  std::uint64_t ranged_variables = 0;
};

/// Everything of a declaration before its names: `.const .align 4 .v2 .f32`. The tokens are behind the state space.
struct VariableType {
  Space space = Space::global;
  Type type;
  std::uint32_t vector = 1, align = 0;  ///< 0: natural
  bool is_extern = false, is_managed = false;
};

/// The state space that a directive names; nothing if it is none. `.reg` included, `.tex` is a global.
[[nodiscard]] std::optional<Space> space_of(std::string_view directive);
[[nodiscard]] VariableType parse_variable_type(TokenStream& tokens, Space space);
/// One name with its dimensions and initialiser; `name<N>` gives N variables.
[[nodiscard]] std::vector<Variable> parse_variable(ParseContext& context, const VariableType& type);
/// `.param .align 8 .b8 name[24]` or `.reg .u32 name`, without the separator behind it.
[[nodiscard]] Variable parse_parameter(ParseContext& context);
void parse_initializer(ParseContext& context, Variable& variable, std::vector<std::uint64_t> dimensions);
/// Gives locations the names of their inlined functions; `section` is the text of .debug_str.
void resolve_function_names(ParseContext& context, std::string_view section);
/// `.pragma "a", "b";`: what we know of it.
struct Pragma {
  bool no_unroll = false;                        ///< the loop that follows is not to be unrolled
  std::uint32_t used_bytes = ~std::uint32_t{0};  ///< Instruction::used_bytes of the load that follows
};
Pragma parse_pragma(TokenStream& tokens);

}  // namespace gpulab::ptx
