#include "common/simt/counting/data_dependence.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/simt/isa/facts.h"

namespace gpulab::simt {

namespace {

/// Where a register's value may come from: memory, and the kernel's parameters, a bit each. The last bit stands for all
/// parameters that have none.
using Origins = std::uint64_t;
constexpr Origins kMemory = 1;
constexpr Origins kAnyParameter = ~kMemory;
constexpr std::size_t kMostParameters = 62;  ///< with a bit of their own
constexpr Origins origin_of_parameter(std::size_t i) { return Origins{2} << std::min(i, kMostParameters); }

/// The same in each launch of one shape.
bool is_of_shape(std::string_view special) {
  constexpr std::array names{"%tid",    "%ntid",     "%ctaid",        "%nctaid",
                             "%laneid", "%lanemask", "%dynamic_smem", "%total_smem"};
  return std::ranges::any_of(names, [&](std::string_view name) { return special.starts_with(name); });
}

bool writes_first_operand(const Row& row) {
  const Role role = row.meaning.operands[0].role;
  return role == Role::out || role == Role::optional_out;
}

/// The kernel's registers, until none of them has an origin more.
class Flow {
 public:
  explicit Flow(const Program& program)
      : program_(program), kernel_(*program.functions[0].function), of_(kernel_.registers.size()) {}
  /// Whether an end was reached: one of compiled code is within a few loops' depth, one of a text that somebody wrote
  /// from behind might take a pass for each instruction.
  bool follow() {
    constexpr int most_passes = 64;
    int pass = 0;
    while (pass < most_passes && followed_once()) ++pass;
    return pass < most_passes;
  }
  /// Of all that decides which instructions are executed, and where memory is accessed.
  [[nodiscard]] Origins deciding() const {
    Origins all = 0;
    for (const Site& site : program_.sites) all |= deciding(site);
    return all;
  }

 private:
  bool followed_once() {
    bool more = false;
    for (const Site& site : program_.sites) {
      const ptx::Instruction& i = *site.instruction;
      if (i.operands.empty() || !writes_first_operand(*site.row)) continue;
      const Origins result = of_result(site);
      const auto add = [&](std::int32_t reg, Origins origins) {
        if (reg < 0 || (of_[static_cast<std::size_t>(reg)] | origins) == of_[static_cast<std::size_t>(reg)]) return;
        of_[static_cast<std::size_t>(reg)] |= origins;
        more = true;
      };
      add(i.operands[0].reg, result);
      // Whether the lane that a shuffle reads is in range has nothing to do with what it holds: CUB adds where it is.
      add(i.operands[0].second_reg, site.facts & kShuffle ? of_sources(i, 2) : result);
      for (const ptx::Operand& element : i.operands[0].elements) add(element.reg, result);
    }
    return more;
  }

  [[nodiscard]] bool is_predicate(const ptx::Operand& operand) const {
    return operand.reg >= 0 && kernel_.registers[static_cast<std::size_t>(operand.reg)].type.name == "pred";
  }
  [[nodiscard]] Origins of_register(std::int32_t reg) const { return reg < 0 ? 0 : of_[static_cast<std::size_t>(reg)]; }
  [[nodiscard]] Origins of_operand(const ptx::Operand& operand) const {
    if (operand.kind == ptx::Operand::Kind::special) return is_of_shape(operand.name) ? 0 : kMemory;
    Origins all = of_register(operand.reg) | of_register(operand.second_reg);
    for (const ptx::Operand& element : operand.elements) all |= of_operand(element);
    return all;
  }
  /// Of what an instruction reads, from operand `first` on.
  [[nodiscard]] Origins of_sources(const ptx::Instruction& i, std::size_t first) const {
    Origins all = 0;
    for (std::size_t k = first; k < i.operands.size(); ++k) all |= of_operand(i.operands[k]);
    return all;
  }

  [[nodiscard]] Origins of_parameter(const ptx::Operand& address) const {
    const auto& all = kernel_.parameters;
    const auto found = std::ranges::find(all, address.name, &ptx::Variable::name);
    if (address.is_reg || found == all.end()) return kAnyParameter;
    return origin_of_parameter(static_cast<std::size_t>(found - all.begin()));
  }

  [[nodiscard]] Origins of_result(const Site& site) const {
    const ptx::Instruction& i = *site.instruction;
    const bool loads = (site.row->meaning.traits & (kLoad | kAtomic)) != 0;
    switch (site.row->unit) {
      case Unit::alu:
      case Unit::fp32:
      case Unit::fp64:
      case Unit::sfu:
      case Unit::conversion:
      case Unit::matrix:
        return loads ? kMemory : of_sources(i, 1);
      case Unit::warp:  // activemask has no sources: which lanes have come is the scheduler's choice
        return i.operands.size() < 2 ? kMemory : of_sources(i, 1);
      case Unit::barrier:
        return site.facts & kMbarrier ? kMemory : of_sources(i, 1);
      case Unit::param:
        return i.operands.size() == 2 ? of_parameter(i.operands[1]) : kMemory;
      default:
        return kMemory;
    }
  }

  [[nodiscard]] Origins deciding(const Site& site) const {
    const ptx::Instruction& i = *site.instruction;
    Origins all = of_register(i.guard_reg);
    for (const ptx::Operand& operand : i.operands)
      if (operand.kind == ptx::Operand::Kind::address) all |= of_operand(operand);
    switch (site.row->unit) {
      case Unit::control:
      case Unit::async:
      case Unit::system:
        return all | of_sources(i, writes_first_operand(*site.row) ? 1 : 0);
      case Unit::barrier:  // of which number, and of how many threads; what these vote is no matter
        for (const ptx::Operand& operand : std::span(i.operands).subspan(writes_first_operand(*site.row) ? 1 : 0))
          if (!is_predicate(operand)) all |= of_operand(operand);
        return all;
      case Unit::warp:  // the lanes that wait for each other
        return all | (i.operands.empty() ? 0 : of_operand(i.operands.back()));
      default:
        return all;
    }
  }

  const Program& program_;
  const ptx::Function& kernel_;
  std::vector<Origins> of_;  ///< by register
};

}  // namespace

CountsDependOn counts_depend_on(const Program& program) {
  CountsDependOn result;
  const std::size_t count = program.parameter_offsets.size();
  result.parameters.assign(count, true);
  result.memory = program.functions.size() != 1 || !program.calls.empty() || program.communicates;
  if (result.memory) return result;
  Flow flow(program);
  result.memory = !flow.follow();
  if (result.memory) return result;
  const Origins deciding = flow.deciding();
  result.memory = (deciding & kMemory) != 0;
  for (std::size_t i = 0; i < count; ++i) result.parameters[i] = (deciding & origin_of_parameter(i)) != 0;
  return result;
}

}  // namespace gpulab::simt
