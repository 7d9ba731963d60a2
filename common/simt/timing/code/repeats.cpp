#include "common/simt/timing/code/repeats.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gpulab::simt {

namespace {

/// Numbers of values: two registers of a function have one number where they hold the same.
class Values {
 public:
  std::uint32_t of(std::int32_t reg) {
    const auto [place, is_new] = numbers_.try_emplace(reg, next_);
    if (is_new) ++next_;
    return place->second;
  }
  void set(std::int32_t reg, std::uint32_t number) { numbers_[reg] = number; }
  std::uint32_t fresh(std::uint32_t count) { return std::exchange(next_, next_ + count); }

 private:
  std::unordered_map<std::int32_t, std::uint32_t> numbers_;
  std::uint32_t next_ = 0;
};

/// Adds what an operand's value is to a key; false: that is more than registers and numbers say.
bool add_to_key(const ptx::Operand& operand, Values& values, std::string& key) {
  using Operand = ptx::Operand::Kind;
  if (operand.second_reg >= 0 || !operand.second.empty()) return false;
  switch (operand.kind) {
    case Operand::reg:
      if (operand.reg < 0) return false;
      key += (operand.negated ? " -v" : " v") + std::to_string(values.of(operand.reg));
      key += operand.selector;
      return true;
    case Operand::integer:
      key += " i" + std::to_string(operand.integer);
      return true;
    case Operand::f32:
    case Operand::f64:
      key += " f" + std::to_string(operand.bits);
      return true;
    case Operand::vector:
      key += " {";
      return std::ranges::all_of(operand.elements,
                                 [&](const ptx::Operand& element) { return add_to_key(element, values, key); });
    default:
      return false;  // a special register may have changed; an address is of memory
  }
}

/// The registers that an instruction's first operand stands for.
std::vector<std::int32_t> results_of(const ptx::Instruction& instruction) {
  std::vector<std::int32_t> results;
  if (instruction.operands.empty()) return results;
  const ptx::Operand& first = instruction.operands.front();
  for (const ptx::Operand& element : first.elements) results.push_back(element.reg);
  if (first.kind == ptx::Operand::Kind::reg) results.push_back(first.reg);
  return results;
}

struct Made {
  std::uint32_t number = 0;  ///< of its first result
  std::size_t at = 0;        ///< in the code
};

/// Whether its results follow from its operands alone. (The carry is an operand that no instruction names.)
bool is_pure(const Site& site) {
  const std::string_view opcode = site.instruction->opcode;
  const bool carries = opcode.find(".cc") != std::string_view::npos || opcode.starts_with("addc") ||
                       opcode.starts_with("subc") || opcode.starts_with("madc");
  switch (site.row->unit) {
    case Unit::alu:
    case Unit::fp32:
    case Unit::fp64:
    case Unit::sfu:
    case Unit::conversion:
      return !carries && site.instruction->guard_reg < 0 && !(site.row->meaning.traits & (kEndsBlock | kSideEffect));
    default:
      return false;
  }
}

class Repeats {
 public:
  Repeats(const Program& program, std::vector<TimedInstruction>& code, std::span<std::uint32_t> readers)
      : program_(program), code_(code), readers_(readers) {}

  void look_at(std::size_t at) {
    const Site& site = program_.sites[code_[at].site];
    const auto& operands = site.instruction->operands;
    const std::vector<std::int32_t> results = results_of(*site.instruction);
    std::string key(site.instruction->opcode);
    if (!is_pure(site) || results.empty() || !is_known(operands, key)) return forget(operands);
    if (key.starts_with("mov.") && results.size() == 1 && operands[1].kind == ptx::Operand::Kind::reg)
      return values_.set(results[0], values_.of(operands[1].reg));
    const auto found = made_.find(key);
    if (found != made_.end()) return repeat(at, found->second, results);
    const std::uint32_t number = values_.fresh(static_cast<std::uint32_t>(results.size()));
    made_.emplace(std::move(key), Made{number, at});
    name(results, number);
  }

 private:
  bool is_known(const std::vector<ptx::Operand>& operands, std::string& key) {
    const auto add = [&](const ptx::Operand& operand) { return add_to_key(operand, values_, key); };
    return operands.size() > 1 && operands.front().second.empty() &&
           std::ranges::all_of(operands.begin() + 1, operands.end(), add);
  }
  void name(const std::vector<std::int32_t>& results, std::uint32_t number) {
    for (const std::int32_t reg : results) {
      if (reg >= 0) values_.set(reg, number);
      ++number;
    }
  }
  /// Whatever it may write holds something new.
  void forget(const std::vector<ptx::Operand>& operands) {
    const auto forget_one = [&](std::int32_t reg) {
      if (reg >= 0) values_.set(reg, values_.fresh(1));
    };
    for (const ptx::Operand& operand : operands) {
      for (const ptx::Operand& element : operand.elements) forget_one(element.reg);
      forget_one(operand.second_reg);
    }
    if (!operands.empty()) forget_one(operands.front().reg);
  }
  void repeat(std::size_t at, const Made& made, const std::vector<std::int32_t>& results) {
    TimedInstruction& t = code_[at];
    const std::vector<std::int32_t> first = results_of(*program_.sites[code_[made.at].site].instruction);
    t.cost = {Pipe::none, 0, 0, 0};
    t.alone = t.steps = false;
    t.in = {};
    // A register that something else has been written to since: its value lies elsewhere.
    if (first[0] >= 0 && values_.of(first[0]) == made.number) t.in = code_[made.at].out;
    for (std::size_t k = 0; k < t.out.size(); ++k)
      if (t.in[k] != 0 && t.out[k] != 0) readers_[t.in[k]] += readers_[t.out[k]];
    name(results, made.number);
  }

  const Program& program_;
  std::vector<TimedInstruction>& code_;
  std::span<std::uint32_t> readers_;
  Values values_;
  std::unordered_map<std::string, Made> made_;
};

}  // namespace

void leave_out_repeats(const Program& program, std::vector<TimedInstruction>& code, std::span<std::uint32_t> readers) {
  Repeats repeats(program, code, readers);
  for (std::size_t at = 0; at < code.size(); ++at) repeats.look_at(at);
}

}  // namespace gpulab::simt
