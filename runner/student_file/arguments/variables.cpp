#include "runner/student_file/arguments/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "common/demangle.h"
#include "common/error.h"
#include "common/ptx/parser.h"
#include "common/text.h"

namespace gpulab {
namespace {

/// Variables that NVIDIA's headers declare in every file that includes them.
bool is_of_a_library(std::string_view name) {
  static constexpr std::array parts{"cuda::", "thrust::", "cub::", "std::", "cooperative_groups::", "__nv"};
  return name.starts_with('$') ||
         std::any_of(parts.begin(), parts.end(), [&](const char* part) { return name.find(part) != name.npos; });
}

Scalar type_of(const ptx::Variable& variable) {
  if (variable.is_array || variable.vector != 1 || variable.type.size != variable.size) return Scalar::u8;
  std::string name(variable.type.name);
  if (name.front() == 's') name.front() = 'i';
  if (name.front() == 'b') name.front() = 'u';
  return scalar_named(name).value_or(Scalar::u8);
}

/// Which variables a function loads from, by following addresses from where they are named through registers.
class Reads {
 public:
  Reads(const ptx::Module& module, std::map<std::string_view, FileVariable*> variables)
      : module_(module), variables_(std::move(variables)) {}

  void follow(std::string_view name) {
    if (!seen_.insert(name).second) return;
    for (const auto& function : module_.functions)
      if (function.name == name && function.has_body) look_at(function);
  }

 private:
  using Named = std::set<FileVariable*>;

  void look_at(const ptx::Function& function) {
    std::map<std::string_view, Named> held;  // addresses in registers
    // A loop may carry an address back to above: twice is enough for what compilers write.
    for (int pass = 0; pass < 2; ++pass)
      for (const auto& instruction : function.instructions) step(instruction, held);
    for (const auto& call : function.calls)
      if (!call.target.is_reg) follow(call.target.name);
  }
  void step(const ptx::Instruction& instruction, std::map<std::string_view, Named>& held) const {
    const auto& operands = instruction.operands;
    const auto starts = [&](std::string_view with) { return instruction.opcode.starts_with(with); };
    if (operands.size() < 2 || starts("st") || starts("red") || starts("atom")) return;
    const bool loads = starts("ld") && !starts("ld.param");
    Named used;
    for (std::size_t i = 1; i < operands.size(); ++i) add(operands[i], held, used);
    if (loads) {
      for (auto* variable : used) variable->is_read = true;
    } else if (!used.empty()) {
      held[operands[0].name].insert(used.begin(), used.end());
    }
  }
  void add(const ptx::Operand& operand, const std::map<std::string_view, Named>& held, Named& used) const {
    if (const auto variable = variables_.find(operand.name); variable != variables_.end())
      used.insert(variable->second);
    if (const auto known = held.find(operand.name); known != held.end())
      used.insert(known->second.begin(), known->second.end());
  }

  const ptx::Module& module_;
  std::map<std::string_view, FileVariable*> variables_;
  std::set<std::string_view> seen_;
};

void find_reads(const std::string& ptx, const std::string& file, std::string_view entry,
                std::map<std::string_view, FileVariable*> variables) {
  const auto entries = ptx::entry_names(ptx);
  try {
    const auto module = ptx::parse(ptx, file, [&](std::string_view name) {
      return name == entry || std::find(entries.begin(), entries.end(), name) == entries.end();
    });
    Reads(module, std::move(variables)).follow(entry);
  } catch (const Error&) {
    // What is wrong with a body is the launch's to say.
  }
}

}  // namespace

std::vector<FileVariable> variables_of(const std::string& ptx, const std::string& file, std::string_view entry) {
  const auto module = ptx::parse(ptx, file, [](std::string_view) { return false; });
  std::vector<FileVariable> variables;
  variables.reserve(module.variables.size());
  std::map<std::string_view, FileVariable*> by_name;
  for (const auto& variable : module.variables) {
    const bool constant = variable.space == ptx::Space::constant;
    auto name = kernel_name(variable.name);
    if ((!constant && variable.space != ptx::Space::global) || variable.size == 0 || is_of_a_library(name)) continue;
    const bool initialised = !variable.initial.empty() || !variable.relocations.empty();
    variables.push_back(
        {std::string(variable.name), std::move(name), variable.size, type_of(variable), constant, false, initialised});
    by_name[variable.name] = &variables.back();
  }
  const auto is_set = [](const FileVariable& variable) { return variable.is_initialised; };
  if (!std::all_of(variables.begin(), variables.end(), is_set)) find_reads(ptx, file, entry, std::move(by_name));
  return variables;
}

std::vector<Buffer> start_values(const std::string& ptx, const std::string& file, const std::set<std::string>& set) {
  std::vector<Buffer> buffers;
  if (ptx.find(".global") == std::string::npos) return buffers;
  std::uint64_t left = std::uint64_t{64} << 20;
  const auto module = ptx::parse(ptx, file, [](std::string_view) { return false; });
  for (const auto& variable : module.variables) {
    std::string symbol(variable.name);
    // An address among the values is the device's to fill in.
    if (variable.space != ptx::Space::global || variable.is_extern || !variable.relocations.empty() ||
        variable.size == 0 || variable.size > left || set.contains(symbol))
      continue;
    left -= variable.size;
    std::vector<std::byte> bytes(variable.size);
    if (!variable.initial.empty())  // memcpy takes no null pointer, however little it copies
      std::memcpy(bytes.data(), variable.initial.data(), std::min<std::size_t>(variable.initial.size(), bytes.size()));
    buffers.push_back({symbol, Scalar::u8, bytes.size(), BufferRole::scratch, std::move(bytes), false, symbol});
  }
  return buffers;
}

std::vector<std::string> unset_reads(const std::vector<FileVariable>& variables, const std::set<std::string>& set,
                                     const std::string& kernel) {
  std::vector<std::string> notes;
  for (const auto& variable : variables) {
    if (!variable.is_read || variable.is_initialised || set.contains(variable.symbol)) continue;
    notes.push_back(fmt::format(
        "{} reads {} '{}' ({}), which nothing sets: it is zero; --set '{}:{}' sets it", kernel,
        variable.constant ? "__constant__" : "__device__", variable.name, plural(variable.bytes, "byte"), variable.name,
        variable.type == Scalar::u8 && variable.bytes > 1 ? "TYPE[COUNT]=INIT"
                                                          : fmt::format("{}=VALUE", name_of(variable.type))));
  }
  return notes;
}

}  // namespace gpulab
