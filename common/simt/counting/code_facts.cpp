#include "common/simt/counting/code_facts.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace gpulab::simt {

namespace {

using Registers = std::set<std::int32_t>;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Of the C library's device code: tables, and functions that its functions call.
bool is_library(std::string_view name) {
  return name.starts_with("__cudart") || name.starts_with("__internal") || name.starts_with("__nv");
}

template <typename Visit>
void each_register(const ptx::Operand& operand, const Visit& visit) {
  if (operand.reg >= 0) visit(operand.reg);
  for (const auto& element : operand.elements) each_register(element, visit);
}

bool is_memory(const Site& site) { return (site.row->meaning.traits & (kLoad | kStore | kAtomic)) != 0; }

/// What is known of the registers of one function.
struct Known {
  Registers doubles;  ///< that hold one
  Registers tables;   ///< addresses within the C library's tables
};

/// Double registers: by the operands of what computes with doubles.
void learn_doubles(const Site& site, Known& known) {
  if (is_memory(site)) return;
  const auto& types = site.row->meaning.operands;
  const auto& operands = site.instruction->operands;
  for (std::size_t i = 0; i < operands.size() && i < types.size(); ++i)
    if (types[i].kind == Kind::f64) each_register(operands[i], [&](std::int32_t reg) { known.doubles.insert(reg); });
}

void learn_tables(const Site& site, Known& known) {
  const auto& operands = site.instruction->operands;
  if (is_memory(site) || operands.empty()) return;
  bool of_table = false;
  for (std::size_t i = 1; i < operands.size(); ++i) {
    of_table |= is_library(operands[i].name);
    each_register(operands[i], [&](std::int32_t reg) { of_table |= known.tables.contains(reg); });
  }
  if (of_table) each_register(operands[0], [&](std::int32_t reg) { known.tables.insert(reg); });
}

/// Does it move a double from or to where the program keeps one: memory, a parameter?
bool keeps_double(const Site& site, const Known& known) {
  const ptx::Instruction& instruction = *site.instruction;
  bool moves = has(instruction.opcode, "f64");
  const ptx::Operand* address = nullptr;
  for (const auto& operand : instruction.operands)
    if (operand.kind == ptx::Operand::Kind::address)
      address = &operand;
    else
      each_register(operand, [&](std::int32_t reg) { moves |= known.doubles.contains(reg); });
  if (!moves || address == nullptr) return false;
  if (is_library(address->name) || (address->reg >= 0 && known.tables.contains(address->reg))) return false;
  if (site.row->unit != Unit::param) return true;
  // Of the parameters of a call those of the C library's functions are its own business.
  if (!is_library(site.function->name))
    for (const auto& parameter : site.function->parameters)
      if (parameter.name == address->name) return true;
  return false;
}

/// What goes to functions of the program's own, nobody looks at.
bool calls_its_own(const Program& program) {
  return std::ranges::any_of(program.calls, [](const CallInfo& call) {
    return call.builtin == nullptr && (call.site == nullptr || !is_library(call.site->target.name));
  });
}

bool is_double_work(const Site& site) {
  const std::string_view opcode = site.instruction->opcode;
  if (site.row->unit == Unit::fp64) return true;
  return site.row->unit == Unit::conversion && has(opcode, "f64") && has(opcode, "f32");
}

/// What computes, goes elsewhere in the code, or reads memory that nobody changes meanwhile, by the first word of its
/// opcode. Whatever is not named here counts as something that others may see.
constexpr std::array silent = {
    "abs",  "activemask", "add",   "addc",  "and",   "bar",      "barrier",  "bfe",   "bfi",      "bfind", "bmsk",
    "bra",  "brev",       "brx",   "clz",   "cnot",  "copysign", "cos",      "cvt",   "cvta",     "div",   "dp2a",
    "dp4a", "elect",      "ex2",   "exit",  "fma",   "fns",      "isspacep", "ld",    "ldmatrix", "ldu",   "lg2",
    "lop3", "mad",        "mad24", "madc",  "match", "max",      "membar",   "fence", "min",      "mma",   "mov",
    "mul",  "mul24",      "neg",   "not",   "or",    "popc",     "prmt",     "rcp",   "rem",      "ret",   "rsqrt",
    "sad",  "selp",       "set",   "setp",  "shf",   "shfl",     "shl",      "shr",   "sin",      "slct",  "sqrt",
    "st",   "sub",        "subc",  "szext", "tanh",  "testp",    "tex",      "tld4",  "vote",     "wmma",  "xor"};

bool can_be_noticed(const Site& site) {
  const std::string_view opcode = site.instruction->opcode;
  const auto word = opcode.substr(0, opcode.find('.'));
  if (std::ranges::find(silent, word) == silent.end() || has(opcode, ".volatile")) return true;
  if (site.facts & (kVolatile | kStrong)) return true;
  if (word == "st" || word == "wmma") {
    const Unit unit = site.row->unit;
    if ((site.row->meaning.traits & kStore) && unit != Unit::shared && unit != Unit::local && unit != Unit::param)
      return true;
  }
  // Code that looks at the clock waits for it, or measures.
  return std::ranges::any_of(site.instruction->operands, [](const ptx::Operand& operand) {
    return has(operand.name, "clock") || has(operand.name, "globaltimer");
  });
}

}  // namespace

std::vector<bool> doubles_for_floats(const Program& program) {
  const auto is_code = [](const Site& site) { return site.instruction != nullptr && site.block != kNoBlock; };
  bool from_float = false;
  std::map<const ptx::Function*, Known> functions;
  for (const Site& site : program.sites) {
    if (!is_code(site)) continue;
    Known& known = functions[site.function];
    learn_doubles(site, known);
    learn_tables(site, known);
    from_float |= site.instruction->opcode.starts_with("cvt.f64.f32") && !is_library(site.function->name);
  }
  if (!from_float || calls_its_own(program)) return {};
  std::vector<bool> found(program.sites.size());
  for (std::size_t i = 0; i < program.sites.size(); ++i) {
    const Site& site = program.sites[i];
    if (!is_code(site)) continue;
    const bool moves = is_memory(site) || site.row->unit == Unit::param;
    if (moves && keeps_double(site, functions[site.function])) return {};
    found[i] = is_double_work(site);
  }
  return found;
}

bool leaves_nothing(const Program& program) {
  return program.calls.empty() && std::ranges::none_of(program.sites, [](const Site& site) {
           return site.instruction != nullptr && can_be_noticed(site);
         });
}

}  // namespace gpulab::simt
