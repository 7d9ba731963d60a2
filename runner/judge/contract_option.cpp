#include "runner/judge/contract_option.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {

OptionList contract_option(const Lab* lab) {
  std::vector<std::string> names;
  if (lab != nullptr)
    for (const auto& contract : lab->contracts) names.push_back(contract.name);
  return {{"contract", "NAME", "which contract of the lab ('gpulab list LAB')", heading::what_runs, false, names}};
}

const Contract* contract_asked_for(const Lab& lab, const Given& given) {
  const auto* name = single_value(given, "contract");
  if (name == nullptr) return nullptr;
  const auto found = std::ranges::find(lab.contracts, *name, &Contract::name);
  if (found != lab.contracts.end()) return &*found;
  std::vector<std::string> names;
  for (const auto& contract : lab.contracts) names.push_back(contract.name);
  throw usage_error(fmt::format("--contract: {} has no contract '{}'", lab.name, *name),
                    did_you_mean(*name, names, "there is " + join(names)));
}

OptionList contract_option_of_files() {
  return {{"contract", "NAME", "a lab's contract launches the kernel, as for check: transpose, reduce/total",
           heading::what_runs}};
}

void refuse_launch_beside_contract(const Given& given) {
  for (const char* name :
       {"arg", "set", "shared", "cooperative", "expect", "tolerance", "block", "grid", "compiler", "compile-limit"})
    if (given.contains(name))
      throw usage_error(fmt::format("--{} and --contract: the contract says how the kernel is launched", name),
                        "leave one of them out");
}

}  // namespace gpulab
