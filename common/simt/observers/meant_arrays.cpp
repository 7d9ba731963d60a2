#include "common/simt/observers/meant_arrays.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "common/simt/observers/trace/variables.h"

namespace gpulab::simt {

namespace {

/// What a register may hold, over all ways to it. An address plus a number is an address; all that is neither (a
/// difference, a product, two addresses added, one way an address and the other way something else) is anything. So is
/// a function's frame plus a number, but for a constant, by which compilers name one of its variables.
struct Origin {
  enum class Kind : std::uint8_t { unset, number, frame, address, anything } kind = Kind::unset;
  std::uint64_t of = 0;  ///< an address: in these variables
  [[nodiscard]] bool is_number() const { return kind == Kind::number; }
  [[nodiscard]] bool is_unset() const { return kind == Kind::unset; }
  bool operator==(const Origin&) const = default;
};

constexpr Origin kUnset{}, kNumber{Origin::Kind::number, 0}, kAnything{Origin::Kind::anything, 0};

/// One or the other: two definitions of a register, the operands of selp.
Origin either(const Origin& a, const Origin& b) {
  if (a.is_unset()) return b;
  if (b.is_unset()) return a;
  return a.kind == b.kind ? Origin{a.kind, a.of | b.of} : kAnything;
}
Origin sum(const Origin& a, const Origin& b) {
  if (a.is_unset() || b.is_unset()) return kUnset;
  if (a.kind == Origin::Kind::frame || b.kind == Origin::Kind::frame) return kAnything;
  return a.is_number() ? b : b.is_number() ? a : kAnything;
}
/// The first, changed by numbers.
Origin changed(const Origin& a, const Origin& b) {
  if (a.is_unset() || b.is_unset()) return kUnset;
  return b.is_number() && a.kind != Origin::Kind::frame ? a : kAnything;
}

/// What names and places in the frame mean.
struct Naming {
  std::function<Origin(std::string_view)> named;
  std::function<Origin(std::int64_t)> in_frame;
};

class OriginsOfFunction {
 public:
  OriginsOfFunction(Naming naming, const ptx::Function& function)
      : naming_(std::move(naming)), function_(function), held_(function.registers.size()) {
    // Each pass takes each register at most three steps up; code that needs many is not what compilers make.
    constexpr int kPasses = 8;
    for (int pass = 0; !settled_ && pass < kPasses; ++pass) {
      settled_ = true;
      for (const ptx::Instruction& instruction : function_.instructions) define(instruction);
    }
  }

  /// Of the first address among an instruction's operands.
  [[nodiscard]] std::uint64_t meant_by(const ptx::Instruction& instruction) const {
    if (!settled_) return 0;
    for (const ptx::Operand& operand : instruction.operands) {
      if (operand.kind != ptx::Operand::Kind::address) continue;
      const Origin origin = operand.is_reg ? held_by(operand.reg) : named(operand.name);
      return origin.kind == Origin::Kind::address ? origin.of : 0;
    }
    return 0;
  }

 private:
  [[nodiscard]] Origin held_by(std::int32_t reg) const {
    return reg < 0 ? kAnything : held_[static_cast<std::size_t>(reg)];
  }
  [[nodiscard]] Origin named(std::string_view name) const { return naming_.named(name); }
  [[nodiscard]] Origin of(const ptx::Operand& operand) const {
    using Kind = ptx::Operand::Kind;
    if (operand.kind == Kind::reg) return held_by(operand.reg);
    if (operand.kind == Kind::symbol) return named(operand.name);
    if (operand.kind != Kind::vector) return kNumber;
    for (const ptx::Operand& element : operand.elements)
      if (!of(element).is_number()) return of(element).is_unset() ? kUnset : kAnything;
    return kNumber;
  }
  /// Of a result that no rule below knows: a number, unless an address went into it.
  [[nodiscard]] Origin of_any_other(const ptx::Instruction& instruction) const {
    bool unset = false;
    for (std::size_t k = 1; k < instruction.operands.size(); ++k) {
      const ptx::Operand& operand = instruction.operands[k];
      if (operand.kind == ptx::Operand::Kind::address) continue;  // what lies there is a number to us
      const Origin origin = of(operand);
      if (!origin.is_number() && !origin.is_unset()) return kAnything;
      unset = unset || origin.is_unset();
    }
    return unset ? kUnset : kNumber;
  }
  [[nodiscard]] Origin of_result(const ptx::Instruction& instruction) const {
    const std::string_view opcode = instruction.opcode, name = opcode.substr(0, opcode.find('.'));
    const auto& operands = instruction.operands;
    if (operands.size() == 2 && (name == "mov" || name == "cvta" || name == "cvt")) return of(operands[1]);
    if (operands.size() == 3) {
      if (name == "add" && operands[2].kind == ptx::Operand::Kind::integer &&
          of(operands[1]).kind == Origin::Kind::frame)
        return naming_.in_frame(operands[2].integer);
      if (name == "add" || name == "or" || name == "xor") return sum(of(operands[1]), of(operands[2]));
      if (name == "sub" || name == "and") return changed(of(operands[1]), of(operands[2]));
    }
    if (operands.size() == 4) {
      if (name == "selp") return either(of(operands[1]), of(operands[2]));
      if (name == "mad") return changed(changed(of(operands[3]), of(operands[1])), of(operands[2]));
    }
    return of_any_other(instruction);
  }
  void define(const ptx::Instruction& instruction) {
    if (instruction.operands.empty() || instruction.call >= 0) return;
    const ptx::Operand& to = instruction.operands[0];
    const Origin result = of_result(instruction);
    const auto set = [&](std::int32_t reg, const Origin& origin) {
      if (reg < 0) return;
      Origin& held = held_[static_cast<std::size_t>(reg)];
      const Origin now = either(held, origin);
      settled_ = settled_ && now == held;
      held = now;
    };
    if (to.kind == ptx::Operand::Kind::reg) set(to.reg, result);
    for (const ptx::Operand& element : to.elements)
      if (element.kind == ptx::Operand::Kind::reg) set(element.reg, result.is_number() ? kNumber : kAnything);
  }

  Naming naming_;
  const ptx::Function& function_;
  std::vector<Origin> held_;  ///< by register
  bool settled_ = false;
};

}  // namespace

std::vector<SharedVariables> meant_variables(const Program& program) {
  std::vector<SharedVariables> meant(program.sites.size());
  if (program.shared_variables.empty()) return meant;
  const auto named = [&](std::string_view name) {
    const auto& variables = program.shared_variables;
    for (std::size_t i = 0; i < variables.size() && i < 64; ++i)
      if (variables[i].name == name) return Origin{Origin::Kind::address, SharedVariables{1} << i};
    return kAnything;
  };
  std::unordered_map<const ptx::Function*, OriginsOfFunction> origins;
  for (const FunctionInfo& info : program.functions)
    origins.try_emplace(info.function, Naming{named, [](std::int64_t) { return kAnything; }}, *info.function);
  for (std::size_t i = 0; i < program.sites.size(); ++i)
    meant[i] = origins.at(program.sites[i].function).meant_by(*program.sites[i].instruction);
  return meant;
}

bool LocalVariables::are_of(const Program& program) const {
  return module_ == program.module && kernel_ == program.functions.front().function &&
         (meant_.empty() || meant_.size() == program.sites.size());
}

LocalVariables::LocalVariables(const Program& program)
    : module_(program.module), kernel_(program.functions.front().function) {
  if (!program.module->debug) return;
  const Variables variables(program.module->text);
  struct OfFunction {
    std::vector<const LocalVariable*> all;
    OriginsOfFunction origins;
  };
  std::unordered_map<const ptx::Function*, OfFunction> functions;
  for (const FunctionInfo& info : program.functions) {
    if (info.locals.size() != 1) continue;
    const auto& [symbol, start] = info.locals.front();
    const auto& told = variables.locals(symbol);
    std::vector<const LocalVariable*> own;
    for (std::size_t i = 0; i < told.size() && i < 64; ++i) {
      const std::uint64_t end = i + 1 < told.size() ? start + told[i + 1].offset : info.variable_bytes;
      own.push_back(&all_.emplace_back(LocalVariable{told[i].name, start + told[i].offset, end}));
    }
    const auto named = [symbol = symbol](std::string_view name) {
      return name == symbol ? Origin{Origin::Kind::frame, 0} : kAnything;
    };
    const auto in_frame = [own, start = start](std::int64_t offset) {
      for (std::size_t i = 0; i < own.size(); ++i)
        if (start + static_cast<std::uint64_t>(offset) == own[i]->offset && !own[i]->name.empty())
          return Origin{Origin::Kind::address, std::uint64_t{1} << i};
      return kAnything;
    };
    functions.emplace(info.function, OfFunction{own, OriginsOfFunction({named, in_frame}, *info.function)});
  }
  if (functions.empty()) return;
  meant_.resize(program.sites.size());
  for (std::size_t i = 0; i < program.sites.size(); ++i) {
    const auto found = functions.find(program.sites[i].function);
    if (found == functions.end()) continue;
    const std::uint64_t bits = found->second.origins.meant_by(*program.sites[i].instruction);
    if (std::has_single_bit(bits)) meant_[i] = found->second.all[static_cast<std::size_t>(std::countr_zero(bits))];
  }
}

}  // namespace gpulab::simt
