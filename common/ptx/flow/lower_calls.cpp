#include "common/ptx/flow/lower_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "common/error.h"

namespace gpulab::ptx {

namespace {

constexpr std::string_view loads[] = {"ld.param.b8", "ld.param.b16", "ld.param.b32", "ld.param.b64"};
constexpr std::string_view stores[] = {"st.param.b8", "st.param.b16", "st.param.b32", "st.param.b64"};

Operand register_operand(std::string_view name) {
  Operand operand;
  operand.name = name;
  return operand;
}

Operand symbol_operand(std::string_view name) {
  Operand operand;
  operand.kind = Operand::Kind::symbol;
  operand.name = name;
  return operand;
}

/// One function's parameters, arguments and results in registers.
class FunctionLowering {
 public:
  FunctionLowering(Module& module, Function& function) : module_(module), function_(function) {}

  void run() {
    std::vector<Instruction> entry, exit;
    for (auto& parameter : function_.parameters)
      if (parameter.space == Space::reg) {
        const std::string_view reg = parameter.name;
        entry.push_back(load(reg, to_memory(parameter)));
      }
    for (auto& result : function_.results)
      if (result.space == Space::reg) {
        const Operand value = register_operand(result.name);
        exit.push_back(store(value, to_memory(result)));
      }
    const bool calls = std::any_of(function_.calls.begin(), function_.calls.end(),
                                   [&](const CallSite& call) { return passes_registers(call); });
    if (function_.has_body && (calls || !entry.empty() || !exit.empty())) rewrite(std::move(entry), exit);
  }

 private:
  std::string_view intern(std::string text) { return module_.strings.emplace_back(std::move(text)); }

  [[noreturn]] void fail(const std::string& what, std::uint32_t line) const {
    throw usage_error(what, {}, fmt::format("{}:{}", module_.name, line));
  }

  const Register* find_register(std::string_view name) const {
    for (const auto& reg : function_.registers)
      if (reg.name == name) return &reg;
    return nullptr;
  }

  /// A .param variable that holds a register of `type`.
  Variable variable(std::string name, const Type& type, std::uint32_t line) {
    if (type.size == 0) fail("a predicate is passed in a register: the simulator passes numbers alone", line);
    Variable made;
    made.name = intern(std::move(name));
    made.space = Space::param;
    made.type = type;
    made.size = made.align = type.size;
    return made;
  }

  const Variable& to_memory(Variable& parameter) {
    parameter = variable(std::string(parameter.name) + "@param", parameter.type, function_.ptx_line);
    return parameter;
  }

  static Instruction access(std::string_view opcode, const Variable& memory) {
    Instruction made;
    made.opcode = opcode;
    made.operands.resize(2);
    Operand& address = made.operands[opcode.starts_with("ld") ? 1 : 0];
    address.kind = Operand::Kind::address;
    address.name = memory.name;
    return made;
  }
  static Instruction load(std::string_view reg, const Variable& memory) {
    Instruction made = access(loads[std::countr_zero(memory.type.size)], memory);
    made.operands[0] = register_operand(reg);
    return made;
  }
  static Instruction store(const Operand& value, const Variable& memory) {
    Instruction made = access(stores[std::countr_zero(memory.type.size)], memory);
    made.operands[1] = value;
    if (value.kind == Operand::Kind::f64 && memory.type.name == "f32") {  // 2.5: a literal without a width of its own
      made.operands[1].kind = Operand::Kind::f32;
      made.operands[1].bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value.bits)));
    }
    return made;
  }

  bool passes_registers(const CallSite& call) const {
    return std::any_of(call.arguments.begin(), call.arguments.end(),
                       [](const Operand& a) { return a.kind != Operand::Kind::symbol; }) ||
           std::any_of(call.results.begin(), call.results.end(),
                       [&](std::string_view name) { return find_register(name) != nullptr; });
  }

  /// The type that the k-th argument has: the register's own, or that of the callee's parameter.
  Type argument_type(const CallSite& call, std::size_t k, std::uint32_t line) const {
    if (const Register* reg = find_register(call.arguments[k].name)) return reg->type;
    for (const auto& callee : module_.functions)
      if (callee.name == call.target.name && k < callee.parameters.size()) return callee.parameters[k].type;
    fail(fmt::format("argument {} of a call is a literal, and its type is not known", k + 1), line);
  }

  /// Adds `call` to `out`, with its arguments stored before and its results loaded behind it.
  void add_call(const Instruction& instruction, std::vector<Instruction>& out) {
    CallSite& call = function_.calls[static_cast<std::size_t>(instruction.call)];
    const auto add = [&](Instruction made) { out.push_back(at_place_of(instruction, std::move(made))); };
    const auto name = [&](const char* what, std::size_t k) {
      return fmt::format("@call{}.{}{}", instruction.call, what, k);
    };
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      if (call.arguments[k].kind == Operand::Kind::symbol) continue;
      function_.variables.push_back(
          variable(name("argument", k), argument_type(call, k, instruction.ptx_line), instruction.ptx_line));
      add(store(call.arguments[k], function_.variables.back()));
      call.arguments[k] = symbol_operand(function_.variables.back().name);
    }
    std::vector<Instruction> results;
    for (std::size_t k = 0; k < call.results.size(); ++k)
      if (const Register* reg = find_register(call.results[k])) {
        function_.variables.push_back(variable(name("result", k), reg->type, instruction.ptx_line));
        results.push_back(load(call.results[k], function_.variables.back()));
        call.results[k] = function_.variables.back().name;
      }
    out.push_back(instruction);
    for (auto& made : results) add(std::move(made));
  }

  static Instruction at_place_of(const Instruction& instruction, Instruction made) {
    made.guard = instruction.guard;
    made.guard_negated = instruction.guard_negated;
    made.guard_reg = instruction.guard_reg;
    made.location = instruction.location;
    made.ptx_line = instruction.ptx_line;
    return made;
  }

  void rewrite(std::vector<Instruction> out, const std::vector<Instruction>& exit) {
    std::vector<std::uint32_t> moved;
    for (const auto& instruction : function_.instructions) {
      moved.push_back(static_cast<std::uint32_t>(out.size()));
      if (instruction.opcode.starts_with("ret"))
        for (const auto& made : exit) out.push_back(at_place_of(instruction, made));
      if (instruction.call >= 0)
        add_call(instruction, out);
      else
        out.push_back(instruction);
    }
    moved.push_back(static_cast<std::uint32_t>(out.size()));
    out.insert(out.end(), exit.begin(), exit.end());  // the end of the body returns, too
    for (auto& label : function_.labels) label.instruction = moved[label.instruction];
    function_.instructions = std::move(out);
  }

  Module& module_;
  Function& function_;
};

/// Names of functions, with aliases replaced.
class AliasLowering {
 public:
  explicit AliasLowering(Module& module) : module_(module) {
    for (const auto& [alias, function] : module.aliases) functions_[alias] = function;
  }
  void run() {
    if (functions_.empty()) return;
    for (auto& function : module_.functions) {
      for (auto& call : function.calls) replace(call.target);
      for (auto& instruction : function.instructions)
        for (auto& operand : instruction.operands) replace(operand);
      for (auto& [table, targets] : function.call_targets)
        for (auto& target : targets) target = meant(target);
    }
    for (auto& variable : module_.variables)
      for (auto& relocation : variable.relocations) relocation.symbol = meant(relocation.symbol);
  }

 private:
  /// An alias of an alias leads on; a ring of them ends somewhere in it.
  std::string_view meant(std::string_view name) const {
    for (std::size_t steps = 0; steps < functions_.size(); ++steps) {
      const auto found = functions_.find(name);
      if (found == functions_.end()) break;
      name = found->second;
    }
    return name;
  }
  void replace(Operand& operand) const {
    if (operand.kind == Operand::Kind::symbol) operand.name = meant(operand.name);
  }
  Module& module_;
  std::map<std::string_view, std::string_view> functions_;
};

}  // namespace

void lower_calls(Module& module) {
  AliasLowering(module).run();
  for (auto& function : module.functions) FunctionLowering(module, function).run();
}

}  // namespace gpulab::ptx
