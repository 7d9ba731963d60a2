#include "runner/judge/kernel_search/find_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "common/error.h"
#include "common/text.h"
#include "runner/student_file/arguments/template_kernels.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

/// What stands for T, and for a type where the contract has no T: that of its first buffer.
std::vector<std::string> types_of(const Contract& contract) {
  std::vector<std::string> names;
  for (const auto type : contract.types) names.emplace_back(cpp_name_of(type));
  if (names.empty()) names.push_back(parameters_of(contract.signature).front().type);
  return names;
}

std::vector<std::string> instances_of(const TemplateKernel& kernel, const Contract& contract) {
  std::vector<std::string> instances;
  const auto& block = contract.launches.front().block;
  for (const auto& type : types_of(contract)) {
    std::vector<std::string> arguments;
    for (const auto& parameter : kernel.parameters)
      arguments.push_back(parameter == "typename" ? type : std::to_string(block.x));
    instances.push_back(fmt::format("{}<{}>", kernel.name, join(arguments)));
    if (!std::ranges::count(kernel.parameters, "typename")) break;
  }
  return instances;
}

std::string signatures(const std::vector<InspectedKernel>& candidates) {
  std::vector<std::string> texts;
  for (const auto& one : candidates) texts.push_back(one.signature.text());
  return join(texts, "; ");
}

std::string asked_text(const Contract& contract) {
  const auto types = contract.types.empty() ? "" : fmt::format(", T one of {}", join(types_of(contract)));
  return fmt::format("the contract asks for {}{}{}", contract.name, contract.signature, types);
}

/// Which contract the file is for, where several could be.
const Contract& contract_of(const Lab& lab, const std::vector<Contract>& contracts,
                            const std::vector<InspectedKernel>& candidates, const std::string& asked) {
  if (contracts.size() == 1) return contracts.front();
  std::set<const Contract*> named;
  for (const auto& contract : contracts) {
    for (const auto& one : candidates)
      if (bare_name(one.signature.name) == contract.name && (asked.empty() || is_named(one.signature.name, asked)))
        named.insert(&contract);
  }
  if (named.size() == 1) return **named.begin();
  const auto main = std::ranges::find(contracts, lab.name, &Contract::name);
  if (named.empty() && main != contracts.end()) return *main;
  std::vector<std::string> names;
  for (const auto& contract : contracts) names.push_back(contract.name);
  throw usage_error(fmt::format("check: {} has several contracts: {}", lab.name, join(names)),
                    "--contract NAME says which; or name the kernel after it");
}

/// A kernel that is named as another contract of the lab may be judged by the wrong one.
std::string note_of_name(const Lab& lab, const Contract& judged_by, const std::string& kernel) {
  const auto name = bare_name(kernel);
  if (name == judged_by.name || !std::ranges::count(lab.contracts, name, &Contract::name)) return {};
  return fmt::format("the kernel is named {}, as another contract of {}: it is judged by {}, which its signature fits",
                     name, lab.name, judged_by.name);
}

/// Candidates by what was asked for, else by the contract's name, else all.
std::vector<InspectedKernel> meant(const std::vector<InspectedKernel>& all, const Contract& contract,
                                   const std::string& asked) {
  std::vector<InspectedKernel> named;
  for (const auto& one : all)
    if (is_named(one.signature.name, asked.empty() ? contract.name : asked)) named.push_back(one);
  return named.empty() && asked.empty() ? all : named;
}

}  // namespace

std::string wanted_instances(const std::string& source, const std::vector<Contract>& contracts,
                             const std::string& asked) {
  const auto kernels = template_kernels(code_only(source));
  std::vector<std::string> all;
  const auto add = [&](bool by_name) {
    for (const auto& contract : contracts) {
      for (const auto& kernel : kernels) {
        const bool named = is_named(kernel.name, asked.empty() ? contract.name : asked);
        if (named != by_name || kernel.arguments != parameters_of(contract.signature).size()) continue;
        for (auto& instance : instances_of(kernel, contract))
          if (!std::ranges::count(all, instance)) all.push_back(std::move(instance));
      }
    }
  };
  if (asked.find('<') != std::string::npos) return asked;
  add(true);
  if (all.empty() && asked.empty()) add(false);
  return join(all, "\n");
}

KernelSearch find_kernel(const std::vector<InspectedKernel>& all, const Lab& lab,
                         const std::vector<Contract>& contracts, const std::string& asked) {
  KernelSearch search;
  search.contract = &contract_of(lab, contracts, all, asked);
  const auto candidates = meant(all, *search.contract, asked);
  if (candidates.empty()) {
    search.problem =
        all.empty() ? fmt::format("the file holds no kernel (a __global__ function); {}", asked_text(*search.contract))
                    : fmt::format("no kernel is named '{}'; there is {}", asked, signatures(all));
    return search;
  }
  std::set<std::string> names;
  std::set<std::optional<Scalar>> types;
  for (const auto& one : candidates) {
    const auto fits = fit(*search.contract, one.signature);
    if (!fits) continue;
    names.insert(one.signature.name.substr(0, one.signature.name.find('<')));
    if (types.insert(fits->type).second) search.found.push_back({one.entry, one.signature, fits->type, one.constructs});
  }
  if (names.size() > 1) {
    search.found.clear();
    search.problem = fmt::format("which kernel is meant? {} fit: --kernel names it, or name it {}",
                                 join({names.begin(), names.end()}), search.contract->name);
  } else if (!search.found.empty()) {
    search.note = note_of_name(lab, *search.contract, *names.begin());
  } else {
    search.problem = fmt::format("{}; the file has {}", asked_text(*search.contract), signatures(candidates));
  }
  return search;
}

}  // namespace gpulab
