#include "runner/judge/kernel_search/launch_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "common/text.h"
#include "labs/contract_parts.h"
#include "runner/listing/contract_text.h"

namespace gpulab {
namespace {

/// "32x8"; nothing of what is no block.
std::optional<Dim3> dim_in(std::string_view text) {
  std::array<std::uint32_t, 3> extents{1, 1, 1};
  const auto parts = split(text, 'x');
  if (parts.size() > extents.size()) return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto* end = parts[i].data() + parts[i].size();
    const auto [behind, failed] = std::from_chars(parts[i].data(), end, extents[i]);
    if (failed != std::errc() || behind != end || extents[i] == 0) return std::nullopt;
  }
  return Dim3{extents[0], extents[1], extents[2]};
}

Dim3 covered(const ContractLaunch& launch) { return launch.covers.x == 0 ? launch.block : launch.covers; }

std::string listed(const std::vector<ContractLaunch>& launches) {
  std::vector<std::string> texts;
  for (const auto& launch : launches) texts.push_back(launch_text(launch));
  return join(texts);
}

std::string too_small(const Contract& contract) {
  return fmt::format("a block of one warp is not judged in '{}', whose threads wait for each other at barriers",
                     contract.name);
}

/// What `// gpulab: block …` names: right with each.
LaunchChoice named(const Contract& contract, const std::vector<std::string>& asked) {
  LaunchChoice made{.because = "which its source asks for"};
  for (const auto& text : asked) {
    const auto place = launch_named(contract.launches, text);
    if (!place) {
      made.launches.clear();
      made.problem = fmt::format("its source asks for a block '{}' that '{}' does not list: there is {}", text,
                                 contract.name, listed(contract.launches));
      return made;
    }
    const auto& launch = contract.launches[*place];
    if (is_one_warp(launch) && contract.about_barriers) {
      made.launches.clear();
      made.problem = "its source asks for a block of " + dim_text(launch.block) + ": " + too_small(contract);
      return made;
    }
    const bool known = std::ranges::any_of(made.launches, [&](const AskedLaunch& one) {
      return one.launch.block == launch.block && covered(one.launch) == covered(launch);
    });
    if (!known) made.launches.push_back({launch});
  }
  return made;
}

/// Those that the compiled kernel can be launched with.
std::vector<ContractLaunch> possible(const Contract& contract, const KernelSignature& kernel) {
  auto launches = contract.launches;
  std::erase_if(launches, [&](const ContractLaunch& launch) {
    if (kernel.exact_block.x != 0 && launch.block != kernel.exact_block) return true;
    return kernel.most_threads != 0 && launch.block.volume() > kernel.most_threads;
  });
  return launches;
}

std::string limit_text(const KernelSignature& kernel) {
  return kernel.exact_block.x != 0 ? fmt::format("its __block_size__ of {}", dim_text(kernel.exact_block))
                                   : fmt::format("its __launch_bounds__({})", kernel.most_threads);
}

/// A thread for an element of a row: any block is right for a kernel that asks how many threads there are. The usual
/// one is tried on every class, and on a few the next smaller one, which a number written for blockDim does not
/// survive.
void ask_two(const std::vector<ContractLaunch>& launches, LaunchChoice& made) {
  made.launches.push_back({launches.front()});
  if (const auto* next = next_smaller(launches)) made.launches.push_back({*next, false});
}

/// Is it an instance for the block's number of threads: `total<int, 256>` of a template that takes that?
bool is_instance_for(const KernelSignature& kernel, const Dim3& block) {
  const auto open = kernel.name.find('<');
  if (open == std::string::npos || !kernel.name.ends_with('>')) return false;
  for (auto argument : split(std::string_view(kernel.name).substr(open + 1, kernel.name.size() - open - 2), ',')) {
    const auto first = argument.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    argument = argument.substr(first);
    if (argument.starts_with('(')) argument = argument.substr(std::min(argument.find(')') + 1, argument.size()));
    while (argument.ends_with('u') || argument.ends_with('l')) argument.pop_back();  // "256u", as a demangler writes it
    if (argument == std::to_string(block.x)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::size_t> launch_named(const std::vector<ContractLaunch>& launches, std::string text) {
  // "32x8 for 32x32 each" were the words of `gpulab list` once.
  constexpr std::string_view each = " each", for_what = " for ";
  if (text.ends_with(each)) text.resize(text.size() - each.size());
  const auto at = text.find(for_what);
  const auto block = dim_in(std::string_view(text).substr(0, at));
  if (!block) return std::nullopt;
  const auto covers = at == std::string::npos ? block : dim_in(std::string_view(text).substr(at + for_what.size()));
  std::vector<std::size_t> of_block;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (launches[i].block != *block) continue;
    if (covers == covered(launches[i])) return i;
    of_block.push_back(i);
  }
  if (at == std::string::npos && of_block.size() == 1) return of_block.front();
  return std::nullopt;
}

Contract with_launches(const Contract& contract, const std::vector<std::size_t>& chosen, bool every_launch) {
  auto made = contract;
  made.every_launch = every_launch;
  if (chosen.empty()) return made;
  made.launches.clear();
  for (const auto index : chosen) made.launches.push_back(contract.launches.at(index));
  if (std::ranges::any_of(made.launches, is_one_warp)) made.about_barriers = false;
  return made;
}

LaunchChoice choose_launches(const Contract& contract, const KernelSignature& kernel,
                             const std::vector<std::string>& asked) {
  if (!asked.empty()) return named(contract, asked);
  LaunchChoice made;
  auto launches = possible(contract, kernel);
  if (launches.empty()) {
    made.problem = fmt::format("{} allows none of the blocks that '{}' lists: {}", limit_text(kernel), contract.name,
                               listed(contract.launches));
    return made;
  }
  const bool limited = launches.size() < contract.launches.size();
  if (limited) made.because = "as " + limit_text(kernel) + " asks for";
  if (contract.every_launch) {
    for (const auto& launch : launches) made.launches.push_back({launch});
    return made;
  }
  // One warp alone: where the assignment or the contract begins with it, or the source allows no other.
  const bool all_small = std::ranges::all_of(launches, is_one_warp);
  if (!all_small) std::erase_if(launches, is_one_warp);
  if (all_small && limited && contract.about_barriers) {
    made.problem = limit_text(kernel) + " leaves no other: " + too_small(contract);
    return made;
  }
  if (contract.takes_any_block && is_instance_for(kernel, launches.front().block)) {
    made.launches.push_back({launches.front()});
    made.because = "for which its template is made";
  } else if (contract.takes_any_block) {
    ask_two(launches, made);
  } else {
    for (const auto& launch : launches) made.launches.push_back({launch});
    made.one_is_enough = launches.size() > 1;
  }
  return made;
}

}  // namespace gpulab
