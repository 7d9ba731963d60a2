#include "common/simt/observers/trace/site_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "common/simt/isa/kind.h"
#include "common/simt/observers/trace/variables.h"

namespace gpulab::simt {

namespace {

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::pred:
      return "pred";
    case Kind::u8:
      return "u8";
    case Kind::s8:
      return "s8";
    case Kind::u16:
      return "u16";
    case Kind::s16:
      return "s16";
    case Kind::f16:
      return "f16";
    case Kind::bf16:
      return "bf16";
    case Kind::u32:
      return "u32";
    case Kind::s32:
      return "s32";
    case Kind::f32:
      return "f32";
    case Kind::u64:
      return "u64";
    case Kind::s64:
      return "s64";
    case Kind::f64:
      return "f64";
    case Kind::none:
      break;
  }
  return "u32";
}

/// How a value is shown: as what the instruction takes it for; `.b32` and `.u32` rows of a register declared `.f32` as
/// that.
std::string shown_type(Kind kind, const ptx::Register& reg) {
  if (reg.type.name == "f32" || reg.type.name == "f64") return std::string(reg.type.name);
  return std::string(name_of(kind));
}

class SiteReader {
 public:
  SiteReader(const Program& program, const Variables& variables, const Site& site, SiteFacts& facts)
      : site_(site), facts_(facts), meaning_(site.row->meaning), variables_(variables) {
    for (const FunctionInfo& info : program.functions)
      if (info.function == site.function) function_ = &info;
  }

  void add_results() {
    const auto& given = site_.instruction->operands;
    const OperandType& first = meaning_.operands[0];
    const bool writes = first.role == Role::out || first.role == Role::optional_out;
    if (!writes || given.empty() || site_.instruction->call >= 0) return;
    if (given[0].kind == ptx::Operand::Kind::vector) {
      for (const ptx::Operand& element : given[0].elements) add_result(element.reg, first.kind);
      return;
    }
    add_result(given[0].reg, first.kind);
    if (given[0].second_reg >= 0) add_result(given[0].second_reg, Kind::pred);
  }

  void add_stored() {
    if (facts_.use.space == MemoryUse::Space::none || !(facts_.use.store || facts_.use.atomic)) return;
    std::size_t entry = 0;
    for (const OperandType& type : meaning_.operands) {
      if (type.role == Role::in && entry == facts_.use.value)
        for (int e = 0; e < type.vector; ++e) {
          const std::string name = stored_name(e);
          facts_.shown.stored.push_back(
              {name, stored_type(type.kind, e), std::string(variables_.held(name, site_.instruction->ptx_line))});
          facts_.stored_wide.push_back(register_class(type.kind) == 1);
        }
      entry += type.vector;
    }
  }

 private:
  [[nodiscard]] const ptx::Register* register_of(std::int32_t reg) const {
    const auto& all = site_.function->registers;
    return reg >= 0 && static_cast<std::size_t>(reg) < all.size() ? &all[static_cast<std::size_t>(reg)] : nullptr;
  }

  void add_result(std::int32_t reg, Kind kind) {
    const ptx::Register* known = register_of(reg);
    if (known == nullptr || function_ == nullptr) return;
    ReadableRegister place;
    if (static_cast<std::size_t>(reg) < function_->places.size())
      place.at = function_->places[static_cast<std::size_t>(reg)].at;
    place.predicate = known->type.name == "pred";
    place.wide = known->type.size == 8;
    facts_.results.push_back(place);
    facts_.shown.results.push_back(
        {std::string(known->name), place.predicate ? "pred" : shown_type(kind, *known), variable_in(known->name)});
  }

  /// The variable that the instruction's result is: what its register holds when the next one begins; of a parameter
  /// that is read, the parameter's name.
  [[nodiscard]] std::string variable_in(std::string_view reg) const {
    const auto& all = site_.function->instructions;
    const auto* next = site_.instruction + 1;
    std::string_view name;
    if (next < all.data() + all.size()) name = variables_.held(reg, next->ptx_line);
    if (!name.empty() || facts_.operands.size() != 2 || !site_.instruction->opcode.starts_with("ld.param"))
      return std::string(name);
    std::string_view place = facts_.operands[1];  // "[kernel_param_0]"
    if (place.starts_with('[') && place.ends_with(']')) place = place.substr(1, place.size() - 2);
    return std::string(variables_.parameter(place));
  }

  /// The operand behind the address.
  [[nodiscard]] const ptx::Operand* stored_operand(int element) const {
    const auto& given = site_.instruction->operands;
    const auto address = std::ranges::find(given, ptx::Operand::Kind::address, &ptx::Operand::kind);
    if (address == given.end() || address + 1 == given.end()) return nullptr;
    const ptx::Operand& value = *(address + 1);
    if (value.kind != ptx::Operand::Kind::vector) return &value;
    return static_cast<std::size_t>(element) < value.elements.size()
               ? &value.elements[static_cast<std::size_t>(element)]
               : nullptr;
  }
  [[nodiscard]] std::string stored_name(int element) const {
    const ptx::Operand* operand = stored_operand(element);
    return operand != nullptr && operand->kind == ptx::Operand::Kind::reg ? std::string(operand->name) : "";
  }
  [[nodiscard]] std::string stored_type(Kind kind, int element) const {
    const ptx::Operand* operand = stored_operand(element);
    const ptx::Register* known = operand != nullptr ? register_of(operand->reg) : nullptr;
    return known != nullptr ? shown_type(kind, *known) : std::string(name_of(kind));
  }

  const Site& site_;
  SiteFacts& facts_;
  const Meaning& meaning_;
  const Variables& variables_;
  const FunctionInfo* function_ = nullptr;
};

/// Where the lines of a text begin.
std::vector<std::size_t> line_starts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    starts.push_back(at + 1);
  return starts;
}

/// "0f3F800000" -> "1"; "%tid.x" -> "%tid.x (threadIdx.x)".
std::string readable(std::string operand) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> names{
      {{"%tid.", "threadIdx."}, {"%ntid.", "blockDim."}, {"%ctaid.", "blockIdx."}, {"%nctaid.", "gridDim."}}};
  for (const auto& [ptx, cuda] : names)
    if (operand.starts_with(ptx)) return fmt::format("{} ({}{})", operand, cuda, operand.substr(ptx.size()));
  std::uint64_t bits = 0;
  const auto* end = operand.data() + operand.size();
  const bool real =
      (operand.size() == 10 && operand.starts_with("0f")) || (operand.size() == 18 && operand.starts_with("0d"));
  if (!real || std::from_chars(operand.data() + 2, end, bits, 16).ptr != end) return operand;
  return operand[1] == 'f' ? fmt::format("{:.7g}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                           : fmt::format("{:.9g}", std::bit_cast<double>(bits));
}

std::vector<std::string> operands_of(std::string_view text, const std::vector<std::size_t>& lines,
                                     const ptx::Instruction& instruction) {
  if (instruction.ptx_line == 0 || instruction.ptx_line > lines.size()) return {};
  const std::size_t opcode = text.find(instruction.opcode, lines[instruction.ptx_line - 1]);
  const std::size_t end = text.find(';', lines[instruction.ptx_line - 1]);
  if (opcode == std::string_view::npos || end == std::string_view::npos || opcode > end) return {};
  std::vector<std::string> operands(1);
  int depth = 0;
  const std::size_t first = opcode + instruction.opcode.size();
  for (const char c : text.substr(first, end - first)) {
    depth += c == '{' || c == '[' || c == '(' ? 1 : c == '}' || c == ']' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      operands.emplace_back();
    else if (c >= ' ' && (!operands.back().empty() || c != ' '))
      operands.back() += c;
  }
  for (std::string& operand : operands) operand = readable(std::move(operand));
  return operands;
}

/// Sites of one function by the PTX instruction.
using SitesByInstruction = std::unordered_map<const ptx::Instruction*, std::uint32_t>;

/// Where a branch leads, and where its ways meet again.
void add_ways(const Program& program, const SitesByInstruction& sites, const std::vector<std::uint32_t>& first_sites,
              const Site& site, SiteFacts& facts) {
  const auto& instructions = site.function->instructions;
  const auto site_of = [&](std::size_t index) {
    if (index >= instructions.size()) return kNoSite;
    const auto found = sites.find(&instructions[index]);
    return found == sites.end() ? kNoSite : found->second;
  };
  const auto& operands = site.instruction->operands;
  if (operands.size() != 1 || !(site.row->meaning.traits & kEndsBlock) || site.instruction->call >= 0) return;
  for (const ptx::Label& label : site.function->labels)
    if (label.name == operands[0].name) facts.taken = site_of(label.instruction);
  facts.fall_through = site_of(static_cast<std::size_t>(site.instruction - instructions.data()) + 1);
  const std::uint32_t meeting =
      site.block < program.blocks.size() ? program.blocks[site.block].post_dominator : kNoBlock;
  if (meeting != kNoBlock) facts.meeting = first_sites[meeting];
}

}  // namespace

std::vector<SiteFacts> facts_of_sites(const Program& program, const std::vector<std::uint32_t>& lines) {
  std::vector<SiteFacts> all(program.sites.size());
  SitesByInstruction sites;
  std::vector<std::uint32_t> first_sites(program.blocks.size(), kNoSite);
  for (std::uint32_t i = 0; i < program.sites.size(); ++i) {
    const Site& site = program.sites[i];
    if (site.instruction) sites.emplace(site.instruction, i);
    if (site.block < first_sites.size() && first_sites[site.block] == kNoSite) first_sites[site.block] = i;
  }
  const std::string_view text = program.module->text;
  const std::vector<std::size_t> starts = line_starts(text);
  const Variables variables(text);
  for (std::uint32_t i = 0; i < program.sites.size(); ++i) {
    const Site& site = program.sites[i];
    SiteFacts& facts = all[i];
    facts.leader = site.leader == kNoSite ? i : site.leader;
    if (!site.instruction || !site.row || !site.function) continue;
    facts.known = site.block != kNoBlock;
    facts.shown.line = i < lines.size() ? lines[i] : 0;
    facts.shown.ptx_line = site.instruction->ptx_line;
    facts.use = memory_use_of(site);
    facts.operands = operands_of(text, starts, *site.instruction);
    SiteReader reader(program, variables, site, facts);
    reader.add_results();
    reader.add_stored();
    add_ways(program, sites, first_sites, site, facts);
  }
  return all;
}

}  // namespace gpulab::simt
