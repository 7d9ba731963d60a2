#pragma once
// Parses one function body. Statements and scopes: parse_function.cpp; instructions and calls: parse_instruction.cpp;
// operands: parse_operand.cpp; source locations: parse_location.cpp.

#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/ptx/parse/parse_context.h"
#include "common/ptx/parse/scopes.h"

namespace gpulab::ptx {

class FunctionParser {
 public:
  /// Declares the function's parameters; may rename them.
  FunctionParser(ParseContext& context, Function& function);
  /// The current token is the body's '{'.
  void parse_body();

 private:
  // Statements.
  void parse_statement();
  void parse_directive();
  void parse_registers();
  void parse_register_name(const VariableType& type);
  void parse_variables(Space space, bool is_extern);
  void parse_table(const Token& name);
  void skip_prototype();
  void declare_label(const Token& name);
  Declaration& declare(const Token& name, Declaration::Kind kind, std::string_view unique);
  void open_scope();
  void close_scope();

  // Instructions.
  void parse_guarded_instruction();
  void parse_instruction(const Token& opcode, Instruction instruction);
  void parse_call(Instruction& instruction);
  void parse_call_results(CallSite& call);
  void parse_call_arguments(CallSite& call);
  [[nodiscard]] std::string_view full_opcode(const Token& opcode);
  void defer_unresolved(std::vector<Operand>& operands, std::size_t& next);
  void check_at_module_scope();

  // Operands.
  Operand parse_operand(int depth = 0);
  Operand parse_vector(int depth);
  Operand parse_address(int depth);
  Operand parse_negated_register();
  Operand parse_constant_operand();
  Operand parse_name();
  Operand resolve_name(const Token& token);
  Operand resolve_component(const Token& token, std::size_t dot);
  void parse_second_destination(Operand& operand);
  void parse_offset(const Token& token, Operand& operand);
  std::uint64_t element_size(const Token& name) const;
  Operand register_operand(Declaration& declaration, std::uint64_t number);
  std::int32_t occurrence(Declaration& declaration, std::uint64_t number);
  [[nodiscard]] bool at_negated_register() const;

  // Locations.
  void parse_location();
  std::int32_t call_site(std::uint32_t file, std::uint32_t line, std::uint32_t column);
  std::int32_t add_location(const Location& location);

  ParseContext& context_;
  TokenStream& tokens_;
  Function& function_;
  Scopes scopes_;
  std::string_view opcode_;                   ///< of the instruction being parsed, for messages
  std::vector<std::string_view> unresolved_;  ///< of the current instruction, in order: labels or module-scope names
  std::uint64_t declared_registers_ = 0;
  /// Names that may turn out to be labels when their scope closes. Operands keep their place: an instruction that
  /// moves takes its vectors' memory along.
  struct Reference {
    std::string_view* name;
    Operand* operand;  ///< null: an entry of a branch table, which must be a label
  };
  std::vector<Reference> references_;
  std::vector<std::size_t> reference_starts_;     ///< per open scope
  std::int32_t location_ = -1;                    ///< in force: index into Module::locations
  std::uint32_t used_bytes_ = ~std::uint32_t{0};  ///< of the next instruction: Instruction::used_bytes
  struct Position {
    std::uint64_t file_and_line;
    std::uint32_t column;
    bool operator==(const Position&) const = default;
  };
  struct PositionHash {
    std::size_t operator()(const Position& position) const {
      return static_cast<std::size_t>((position.file_and_line ^ position.column) * 0x9E3779B97F4A7C15u >> 16);
    }
  };
  std::unordered_map<Position, std::int32_t, PositionHash> locations_;  ///< the latest at each position
};

}  // namespace gpulab::ptx
