// Instructions and calls.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "common/ptx/parse/function_parser.h"

namespace gpulab::ptx {

void FunctionParser::parse_guarded_instruction() {
  tokens_.take();  // '@'
  Instruction instruction;
  instruction.guard_negated = tokens_.accept('!');
  const Token name = tokens_.peek();
  (void)tokens_.expect_word("a predicate register after '@'");
  unresolved_.clear();
  const Operand guard = resolve_name(name);
  if (guard.kind != Operand::Kind::reg) {
    tokens_.fail(name, fmt::format("the guard '{}' is not a register", name.text), "declare it with .reg .pred");
  }
  const auto type = function_.registers.at(static_cast<std::size_t>(guard.reg)).type.name;
  if (type != "pred") {
    tokens_.fail(name, fmt::format("the guard '{}' is no predicate but a register of .{}", name.text, type),
                 "declare it with .reg .pred");
  }
  instruction.guard = guard.name;
  instruction.guard_reg = guard.reg;
  const Token opcode = tokens_.peek();
  (void)tokens_.expect_word("an instruction after its guard");
  parse_instruction(opcode, std::move(instruction));
}

/// "ld .global .u32" is the same as "ld.global.u32".
std::string_view FunctionParser::full_opcode(const Token& opcode) {
  if (!tokens_.at(TokenKind::directive)) return opcode.text;
  std::string joined(opcode.text);
  while (tokens_.at(TokenKind::directive)) joined += tokens_.take().text;
  return context_.module.strings.emplace_back(std::move(joined));
}

void FunctionParser::parse_instruction(const Token& opcode, Instruction instruction) {
  instruction.opcode = opcode_ = full_opcode(opcode);
  instruction.ptx_line = opcode.line;
  instruction.location = location_;
  unresolved_.clear();
  if (opcode_ == "call" || opcode_.starts_with("call.")) {
    parse_call(instruction);
  } else if (!tokens_.at(';')) {
    do {
      Operand operand = parse_operand();
      std::vector<Operand> coordinates;
      if (operand.kind == Operand::Kind::address) coordinates.swap(operand.elements);
      instruction.operands.push_back(std::move(operand));
      std::move(coordinates.begin(), coordinates.end(), std::back_inserter(instruction.operands));
    } while (tokens_.accept(','));
  }
  if (!tokens_.at(';')) {
    tokens_.fail_expected(fmt::format("',' or ';' in '{}'", opcode_), "every instruction ends in ';'");
  }
  tokens_.take();
  std::size_t next = 0;
  if (!unresolved_.empty()) defer_unresolved(instruction.operands, next);
  instruction.used_bytes = std::exchange(used_bytes_, ~std::uint32_t{0});
  function_.instructions.push_back(std::move(instruction));
}

/// Remembers the operands whose names may turn out to be labels further down: those of unresolved_, in its order.
void FunctionParser::defer_unresolved(  // recursion bounded by operand_depth
    std::vector<Operand>& operands, std::size_t& next) {
  for (Operand& operand : operands) {
    if (next == unresolved_.size()) return;
    if (operand.name.data() == unresolved_[next].data()) {
      references_.push_back({&operand.name, &operand});
      ++next;
    }
    defer_unresolved(operand.elements, next);
  }
}

/// call{.uni} (results), target, (arguments), prototype-or-targets: all but the target may be absent.
void FunctionParser::parse_call(Instruction& instruction) {
  CallSite call;
  if (tokens_.at('(')) parse_call_results(call);
  const Token target = tokens_.peek();
  (void)tokens_.expect_word("a function or a register that holds its address");
  call.target = resolve_name(target);
  if (call.target.kind != Operand::Kind::reg && call.target.kind != Operand::Kind::symbol) {
    tokens_.fail(target, fmt::format("'{}' cannot be called", target.text));
  }
  if (tokens_.accept(',')) {
    const bool has_arguments = tokens_.at('(');
    if (has_arguments) parse_call_arguments(call);
    if (!has_arguments || tokens_.accept(',')) {
      const Token name = tokens_.peek();
      (void)tokens_.expect_word("a .callprototype or .calltargets");
      const Scopes::Meaning table = scopes_.find(name.text);
      if (table.declaration == nullptr || table.declaration->kind != Declaration::Kind::table) {
        tokens_.fail(name, fmt::format("'{}' is no .callprototype or .calltargets declared above", name.text));
      }
      call.prototype = table.declaration->unique;
    }
  }
  // Functions and variables of the module: a call has nothing to do with labels.
  context_.names_to_check.insert(context_.names_to_check.end(), unresolved_.begin(), unresolved_.end());
  unresolved_.clear();
  instruction.call = static_cast<std::int32_t>(function_.calls.size());
  function_.calls.push_back(std::move(call));
}

void FunctionParser::parse_call_results(CallSite& call) {
  tokens_.take();  // '('
  if (!tokens_.at(')')) {
    do {
      const Token name = tokens_.peek();
      (void)tokens_.expect_word("where the result of the call goes");
      const std::size_t unresolved_before = unresolved_.size();
      const Operand result = resolve_name(name);
      const bool is_place = result.kind == Operand::Kind::reg || result.kind == Operand::Kind::underscore ||
                            (result.kind == Operand::Kind::symbol && unresolved_.size() == unresolved_before);
      if (!is_place) tokens_.fail(name, fmt::format("'{}' is not declared here", name.text), "declare it with .param");
      call.results.push_back(result.kind == Operand::Kind::underscore ? name.text : result.name);
    } while (tokens_.accept(','));
  }
  tokens_.expect(')', "after the results of a call");
  tokens_.expect(',', "between results and target of a call");
}

void FunctionParser::parse_call_arguments(CallSite& call) {
  tokens_.take();  // '('
  if (!tokens_.at(')')) {
    do {
      call.arguments.push_back(parse_operand());
    } while (tokens_.accept(','));
  }
  tokens_.expect(')', "after the arguments of a call");
}

}  // namespace gpulab::ptx
