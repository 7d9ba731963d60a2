#include "runner/listing/contract_text.h"

#include <fmt/format.h>

#include "common/text.h"
#include "labs/contract_parts.h"
#include "runner/report/grid_text.h"

namespace gpulab {
namespace {

std::string types_text(const std::vector<Scalar>& types) {
  std::vector<std::string> names;
  for (const auto type : types) names.emplace_back(cpp_name_of(type));
  return join(names);
}

std::string launches_text(const Contract& contract) {
  const auto& all = contract.launches;
  std::vector<std::string> texts;
  for (const auto& launch : all) texts.push_back(launch_text(launch));
  auto text = "blocks of " + join(texts);
  if (all.size() == 1) return text;
  if (contract.every_launch) return text + "; it is right with each";
  const auto* next = contract.takes_any_block ? next_smaller(all) : nullptr;
  if (!contract.takes_any_block) {
    text += "; the first with which it is right counts";
  } else {
    text += fmt::format("; it is right with {}", texts.front());
    if (next != nullptr) text += fmt::format(", and with {} on {}", launch_text(*next), fmt::join(few_classes, ", "));
  }
  // In quotes: a line of a starter that begins with the word itself would be such a comment.
  return text + fmt::format("; a kernel that is made for others says so in a comment, 'gpulab: block {}'",
                            launch_text(next != nullptr && all.size() > 2 ? all[2] : all[1]));
}

constexpr std::size_t starter_width = 80;

/// "__global__ void name(int* out, int n) {"; parameters that the line does not hold below the first one.
std::string opening(const Contract& contract) {
  std::string text, line = "__global__ void " + contract.name;
  const std::string below(columns(line) + 1, ' ');
  const auto parameters = split(contract.signature + " {", ',');  // the first with its bracket, others with a blank
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto part = parameters[i] + (i + 1 < parameters.size() ? "," : "\n");
    if (i > 0 && columns(line) + columns(part) > starter_width) {
      text += line + '\n';
      line = below + part.substr(1);
    } else {
      line += part;
    }
  }
  return text + line;
}

/// How a kernel gets at its dynamic shared memory. One of a template cannot be declared as of T.
std::string how_to_share(const Contract& contract) {
  if (contract.shared.empty()) return {};
  const std::string_view type = contract.shared.find("float") != std::string::npos ? "float" : "int";
  if (contract.types.empty())
    return fmt::format("  // dynamic shared memory, if you want it:  extern __shared__ {} s[];\n", type);
  return "  // dynamic shared memory, if you want it (not as extern __shared__ T s[],\n"
         "  // which does not compile for several T):\n"
         "  //   extern __shared__ __align__(16) unsigned char memory[];\n"
         "  //   T* s = reinterpret_cast<T*>(memory);\n";
}

}  // namespace

std::string launch_text(const ContractLaunch& launch) {
  if (launch.covers.x == 0 || launch.covers == launch.block) return dim_text(launch.block);
  return fmt::format("{} for {}", dim_text(launch.block), dim_text(launch.covers));
}

std::vector<std::string> contract_lines(const Contract& contract) {
  std::vector<std::string> lines{contract.signature, contract.summary};
  if (!contract.types.empty())
    lines.push_back(fmt::format("T: a template is made for {}; without a template one of these or {}",
                                types_text(contract.types), types_text(contract.more_types)));
  lines.push_back("launch: " + (contract.grid.empty() ? "a thread for each element" : contract.grid));
  lines.push_back(launches_text(contract));
  lines.push_back("shared: " + (contract.shared.empty() ? "no dynamic shared memory"
                                                        : "dynamic shared memory for " + contract.shared));
  lines.push_back(
      "before: " + (contract.before.empty() ? "outputs hold nothing that was ever written" : contract.before) +
      (contract.may_write.empty() ? "; inputs stay as they are"
                                  : fmt::format("; {} may be overwritten", join(contract.may_write))));
  if (!contract.precision.empty()) lines.push_back("numbers: " + contract.precision);
  if (!contract.classes.empty()) {
    std::vector<std::string> classes;
    for (const auto& one : contract.classes) classes.push_back(one.name);
    lines.push_back("classes: " + join(classes));
  }
  return lines;
}

std::string starter_text(const Lab& lab, const Contract& contract) {
  std::string text;
  for (const auto& line : wrapped(fmt::format("{}: {}", lab.name, lab.question), starter_width - 3))
    text += fmt::format("// {}\n", line);
  text += "//\n";
  auto lines = contract_lines(contract);
  lines.erase(lines.begin());
  for (const auto& line : lines) {
    std::string lead = "//   ";
    for (const auto& part : wrapped(line, starter_width - 9)) {
      text += lead + part + '\n';
      lead = "//       ";
    }
  }
  text += fmt::format("//\n// Write the kernel, then: gpulab check {} {}.cu{}\n", lab.name, contract.name,
                      lab.contracts.size() > 1 ? " --contract " + contract.name : "");
  text += "// Other names of parameters, helper functions, printf and host code beside it\n// are fine.\n\n";
  if (!contract.types.empty()) text += "template <typename T>\n";
  return text + opening(contract) + how_to_share(contract) + "  // your code\n}\n";
}

}  // namespace gpulab
