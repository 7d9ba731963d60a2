#include "runner/judge/find_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "common/demangle.h"
#include "common/error.h"
#include "common/ptx/parser.h"
#include "common/text.h"
#include "runner/judge/template_kernels.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

/// More kernels than this are no homework; each is parsed.
constexpr std::size_t most_kernels = 64;

/// "total" of "mine::total<float>".
std::string bare(const std::string& name) {
  const auto end = name.find('<');
  const auto scope = name.rfind("::", end);
  return name.substr(scope == std::string::npos ? 0 : scope + 2,
                     end == std::string::npos ? end : end - (scope == std::string::npos ? 0 : scope + 2));
}

bool is_named(const std::string& kernel, const std::string& asked) {
  return kernel == asked || same_kernel_name(kernel, asked) || bare(kernel) == asked;
}

bool is_of_a_library(const std::string& name) {
  static constexpr std::array namespaces{"cub::", "thrust::", "cuda::", "std::"};
  return std::ranges::any_of(namespaces, [&](const char* start) { return name.starts_with(start); });
}

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

struct Candidate {
  std::string entry, name;
  KernelSignature signature;
};

/// Those first that have a name that matters.
std::vector<Candidate> candidates_in(const std::string& ptx, const std::string& source, const std::string& file,
                                     const std::vector<Contract>& contracts, const std::string& asked) {
  std::vector<Candidate> all;
  const auto code = code_only(source);
  auto entries = ptx::entry_names(ptx);
  std::stable_partition(entries.begin(), entries.end(), [&](std::string_view entry) {
    const auto name = kernel_name(entry);
    if (!asked.empty()) return is_named(name, asked);
    return std::ranges::any_of(contracts, [&](const Contract& contract) { return bare(name) == contract.name; });
  });
  for (const auto entry : entries) {
    auto name = kernel_name(entry);
    if (is_of_a_library(name) || all.size() == most_kernels) continue;
    try {
      auto signature = signature_of(ptx, file, entry);
      read_declaration(code, signature);
      all.push_back({std::string(entry), std::move(name), std::move(signature)});
    } catch (const Error&) {
      continue;  // PTX that inline assembly has made unreadable holds no kernel
    }
  }
  return all;
}

std::string signatures(const std::vector<Candidate>& candidates) {
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
                            const std::vector<Candidate>& candidates, const std::string& asked) {
  if (contracts.size() == 1) return contracts.front();
  std::set<const Contract*> named;
  for (const auto& contract : contracts) {
    for (const auto& one : candidates)
      if (bare(one.name) == contract.name && (asked.empty() || is_named(one.name, asked))) named.insert(&contract);
  }
  if (named.size() == 1) return **named.begin();
  const auto main = std::ranges::find(contracts, lab.name, &Contract::name);
  if (named.empty() && main != contracts.end()) return *main;
  std::vector<std::string> names;
  for (const auto& contract : contracts) names.push_back(contract.name);
  throw usage_error(fmt::format("check: {} has several contracts: {}", lab.name, join(names)),
                    "--contract NAME says which; or name the kernel after it");
}

/// Candidates by what was asked for, else by the contract's name, else all.
std::vector<Candidate> meant(const std::vector<Candidate>& all, const Contract& contract, const std::string& asked) {
  std::vector<Candidate> named;
  for (const auto& one : all)
    if (is_named(one.name, asked.empty() ? contract.name : asked)) named.push_back(one);
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

KernelSearch find_kernel(const std::string& ptx, const std::string& source, const std::string& file, const Lab& lab,
                         const std::vector<Contract>& contracts, const std::string& asked) {
  const auto all = candidates_in(ptx, source, file, contracts, asked);
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
    names.insert(one.name.substr(0, one.name.find('<')));
    if (types.insert(fits->type).second) search.found.push_back({one.entry, one.signature, fits->type});
  }
  if (names.size() > 1) {
    search.found.clear();
    search.problem = fmt::format("which kernel is meant? {} fit: --kernel names it, or name it {}",
                                 join({names.begin(), names.end()}), search.contract->name);
  } else if (search.found.empty()) {
    search.problem = fmt::format("{}; the file has {}", asked_text(*search.contract), signatures(candidates));
  }
  return search;
}

}  // namespace gpulab
