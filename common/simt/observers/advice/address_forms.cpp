#include "common/simt/observers/advice/address_forms.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/simt/observers/instruction_registers.h"

namespace gpulab::simt {

namespace {

using ptx::Instruction, ptx::Operand;

constexpr int kDeepest = 24;  ///< instructions from an address back to what it is made of
constexpr int kMostSteps = 1024;
constexpr std::size_t kMostLoads = 64;

std::string_view name_of(const Instruction& instruction) {
  return instruction.opcode.substr(0, instruction.opcode.find('.'));
}
bool ends_in_an_integer_type(std::string_view opcode) {
  constexpr std::string_view types[] = {".u32", ".s32", ".b32", ".u64", ".s64", ".b64"};
  return std::ranges::any_of(types, [&](auto type) { return opcode.ends_with(type); });
}
/// Between 32 and 64 bits, or none: what is lost above 32 bits are no indices.
bool keeps_integers(std::string_view opcode) {
  const std::size_t last = opcode.rfind('.');
  return last != std::string_view::npos && ends_in_an_integer_type(opcode) &&
         ends_in_an_integer_type(opcode.substr(0, last));
}

const Operand* address_operand(const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const auto found = std::ranges::find(operands, Operand::Kind::address, &Operand::kind);
  return found == operands.end() ? nullptr : &*found;
}

void add_registers(const Operand& operand, std::vector<std::int32_t>& to) {
  each_register(operand, [&](std::int32_t reg) { to.push_back(reg); });
}

}  // namespace

AddressForms::AddressForms(const ptx::Function& function) : function_(function), made_by_(function.registers.size()) {
  for (const Instruction& one : function_.instructions)
    each_register_written(one, [&](std::int32_t reg) { made_by_[static_cast<std::size_t>(reg)].push_back(&one); });
}

// ---- sums ----

void AddressForms::Form::add(const Form& other, std::int64_t times) {
  // A stranger's constants may be as large as they like: they wrap.
  const auto wrapping = [](std::int64_t a, std::int64_t b, std::int64_t c) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                     static_cast<std::uint64_t>(b) * static_cast<std::uint64_t>(c));
  };
  constant = wrapping(constant, other.constant, times);
  for (const auto& [leaf, count] : other.terms) {
    std::int64_t& mine = terms[leaf];
    mine = wrapping(mine, count, times);
    if (mine == 0) terms.erase(leaf);
  }
}

AddressForms::Form AddressForms::named(std::string_view name, std::int64_t offset) {
  return {{{{-1, std::string(name)}, 1}}, offset};
}

AddressForms::Form AddressForms::form_of(const Operand& operand, int depth) const {
  using Kind = Operand::Kind;
  if (operand.kind == Kind::integer) return {{}, operand.integer};
  if (operand.kind == Kind::special) return named(operand.name, 0);
  if (operand.kind == Kind::symbol) return named(operand.name, operand.integer);
  if (operand.reg < 0) return named("?", 0);
  const auto& made = made_by_[static_cast<std::size_t>(operand.reg)];
  if (made.size() == 1 && made.front()->guard_reg < 0 && depth < kDeepest && ++steps_ < kMostSteps)
    if (const auto form = form_of_result(*made.front(), depth + 1)) return *form;
  return {{{{operand.reg, {}}, 1}}, 0};
}

/// Nothing: not a sum.
std::optional<AddressForms::Form> AddressForms::form_of_result(const Instruction& instruction, int depth) const {
  const std::string_view name = name_of(instruction), opcode = instruction.opcode;
  const auto& operands = instruction.operands;
  const auto of = [&](std::size_t i) { return form_of(operands[i], depth); };
  if (opcode.starts_with("ld.param") && operands.size() == 2 && !operands[1].is_reg) {
    // No pointer is so short.
    const bool index = opcode.ends_with("32") || opcode.ends_with("16") || opcode.ends_with("8");
    return named(fmt::format("{}{}+{}", index ? "%" : "", operands[1].name, operands[1].integer), 0);
  }
  if (operands.size() == 2 && (name == "mov" || name == "cvta" || (name == "cvt" && keeps_integers(opcode))))
    return operands[1].kind == Operand::Kind::vector ? std::nullopt : std::optional(of(1));
  if (!ends_in_an_integer_type(opcode)) return std::nullopt;
  const auto product = [&](std::size_t i, std::size_t k) -> std::optional<Form> {
    Form a = of(i), b = of(k), made;
    if (!a.is_constant()) std::swap(a, b);
    if (!a.is_constant()) return std::nullopt;
    made.add(b, a.constant);
    return made;
  };
  if (operands.size() == 3 && (name == "add" || name == "sub")) {
    Form sum = of(1);
    sum.add(of(2), name == "add" ? 1 : -1);
    return sum;
  }
  if (operands.size() == 3 && name == "shl" && operands[2].kind == Operand::Kind::integer && operands[2].integer >= 0 &&
      operands[2].integer < 63) {
    Form made;
    made.add(of(1), std::int64_t{1} << operands[2].integer);
    return made;
  }
  const bool low = opcode.find(".hi") == std::string_view::npos;
  if (operands.size() == 3 && name == "mul" && low) return product(1, 2);
  if (operands.size() == 4 && name == "mad" && low) {
    auto made = product(1, 2);
    if (made) made->add(of(3), 1);
    return made;
  }
  return std::nullopt;
}

std::optional<AddressForms::Form> AddressForms::address_of(const Instruction& access) const {
  const Operand* address = address_operand(access);
  if (!address) return std::nullopt;
  if (!address->is_reg) return named(address->name, address->integer);
  steps_ = 0;
  Form form = form_of(*address, 0);
  form.add({{}, address->integer}, 1);
  return form;
}

AddressForms::Element AddressForms::compare(const Instruction& a, const Instruction& b) const {
  auto first = address_of(a);
  const auto second = address_of(b);
  if (!first || !second) return Element::unknown;
  first->add(*second, -1);
  if (first->is_constant()) return first->constant == 0 ? Element::same : Element::other;
  // What is left over: of indices alone, two elements; of pointers, or of what was loaded, who knows.
  for (const auto& [leaf, count] : first->terms)
    if (leaf.first < 0 && !leaf.second.starts_with('%')) return Element::elsewhere;
  for (const auto& [leaf, count] : first->terms) {
    if (leaf.first < 0) continue;
    const Ingredients made = of({leaf.first});
    if (made.memory) return Element::unknown;
    const bool wide = function_.registers[static_cast<std::size_t>(leaf.first)].type.size == 8;
    if (wide && made.parameters) return Element::unknown;
  }
  return Element::other;
}

// ---- what goes into a value ----

/// `visit` sees each instruction that has a part in what the registers hold.
void AddressForms::visit_sources(std::vector<std::int32_t> open, const auto& visit) const {
  std::vector<bool> seen(made_by_.size());
  while (!open.empty()) {
    const auto reg = static_cast<std::size_t>(open.back());
    open.pop_back();
    if (seen[reg]) continue;
    seen[reg] = true;
    for (const Instruction* one : made_by_[reg]) {
      if (!visit(*one)) continue;
      each_register_read(*one, [&](std::int32_t source) { open.push_back(source); });
    }
  }
}

Ingredients AddressForms::of(const std::vector<std::int32_t>& registers) const {
  Ingredients made;
  visit_sources(registers, [&](const Instruction& one) {
    constexpr std::string_view afar[] = {"ld", "atom", "shfl", "vote", "match", "activemask", "redux", "tex", "suld"};
    const bool parameter = one.opcode.starts_with("ld.param");
    made.parameters |= parameter;
    if (one.call >= 0 || (!parameter && std::ranges::any_of(afar, [&](auto s) { return one.opcode.starts_with(s); }))) {
      made.memory = true;
      return false;
    }
    for (const Operand& operand : one.operands) {
      if (operand.kind != Operand::Kind::special) continue;
      made.block |= operand.name.starts_with("%ctaid");
      made.grid |= operand.name.starts_with("%nctaid");
      made.block_dim |= operand.name.starts_with("%ntid");
    }
    return true;
  });
  return made;
}

bool AddressForms::feeds(const Instruction& load, const Instruction& store) const {
  const auto loads = loads_for(store);
  return std::ranges::find(loads, &load) != loads.end();
}

std::vector<const Instruction*> AddressForms::loads_for(const Instruction& store) const {
  std::vector<std::int32_t> stored;
  for (std::size_t i = 1; i < store.operands.size(); ++i) add_registers(store.operands[i], stored);
  std::vector<const Instruction*> loads;
  visit_sources(stored, [&](const Instruction& one) {
    if (one.opcode.starts_with("ld.") && loads.size() < kMostLoads) loads.push_back(&one);
    return true;
  });
  return loads;
}

Ingredients AddressForms::of_address(const Instruction& access) const {
  std::vector<std::int32_t> registers;
  if (const Operand* address = address_operand(access)) add_registers(*address, registers);
  return of(registers);
}

std::vector<Ingredients> AddressForms::steps_of_address(const Instruction& access) const {
  std::vector<std::int32_t> registers;
  if (const Operand* address = address_operand(access)) add_registers(*address, registers);
  std::vector<Ingredients> steps;
  visit_sources(registers, [&](const Instruction& one) {
    if (one.opcode.starts_with("ld") || name_of(one) != "add" || one.operands.size() != 3) return true;
    const std::int32_t to = one.operands[0].reg;
    for (const std::size_t k : {1, 2}) {
      const Operand &again = one.operands[k], &step = one.operands[3 - k];
      bool goes_round = again.kind == Operand::Kind::reg && again.reg == to;
      if (!goes_round && again.reg >= 0)  // of a loop that has its rounds' values in two registers
        visit_sources({again.reg}, [&](const Instruction& source) {
          goes_round |= &source == &one;
          return !goes_round && name_of(source) == "mov";
        });
      if (!goes_round || step.kind != Operand::Kind::reg) continue;
      steps.push_back(of({step.reg}));
    }
    return true;
  });
  return steps;
}

}  // namespace gpulab::simt
