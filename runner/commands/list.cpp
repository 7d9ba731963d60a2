// `gpulab list`: the labs, one lab, its kernels' resources, or the counters.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "common/counters.h"
#include "common/demangle.h"
#include "common/embedded.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/case/plan.h"
#include "runner/command.h"
#include "runner/report/grid_text.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

constexpr std::size_t width = 100;

/// `text` at a hanging indent behind a label: "  label   text text" / "          text".
std::string hanging(const std::string& label, std::size_t indent, const std::string& text) {
  std::string out, first = padded(label, indent, false);
  if (columns(label) + 2 > indent) {
    out = label + '\n';
    first = std::string(indent, ' ');
  }
  for (const auto& line : wrapped(text, width - indent)) {
    out += first + line + '\n';
    first = std::string(indent, ' ');
  }
  return out;
}

std::string needs_text(const Variant& variant) {
  std::vector<std::string> needs;
  if (variant.vendor.run != nullptr) needs.emplace_back("GPU only: a vendor library");
  if (variant.gpu_only) needs.emplace_back("GPU only");
  if (variant.host) needs.emplace_back("runs on the host");
  if (variant.min_compute_capability > 50) {
    needs.push_back(fmt::format("compute capability {}.{}", variant.min_compute_capability / 10,
                                variant.min_compute_capability % 10));
  }
  for (const auto& [name, words] : variant.only) needs.push_back(fmt::format("--{} {}", name, join(words)));
  if (variant.cooperative) needs.emplace_back("a cooperative launch");
  if (variant.racy) needs.emplace_back("races on purpose");
  if (launches_kernels(variant)) needs.push_back("blocks: " + blocks_text(variant.blocks));
  return join(needs, "; ");
}

std::string param_text(const Param& param) {
  std::string text = param.help;
  if (const auto* size = std::get_if<std::int64_t>(&param.fallback)) {
    text += fmt::format("; {} to {}, default {}", param.min, size_text(param.max), size_text(*size));
  } else if (const auto* real = std::get_if<double>(&param.fallback)) {
    text += fmt::format("; a number, default {}", *real);
  } else {
    text += fmt::format("; {}, default {}", join(param.choices), std::get<std::string>(param.fallback));
  }
  return text;
}

std::size_t longest_name(const auto& items) {
  std::size_t longest = 0;
  for (const auto& item : items) longest = std::max(longest, item.name.size());
  return longest;
}

std::string list_labs(std::span<const Lab> labs) {
  std::string text = "The course, in the order of its lectures\n";
  const auto indent = longest_name(labs) + 5;
  for (const auto& lab : labs) {
    text += '\n' + hanging("  " + lab.name, indent, lab.topic);
    text += hanging("", indent, lab.question);
    text += hanging("", indent,
                    fmt::format("{}, {} by default{}", plural(lab.variants.size(), "variant"), lab.headline,
                                lab.prerequisites.empty() ? "" : "; after " + join(lab.prerequisites)));
  }
  return text + "\n'gpulab list LAB' shows a lab's variants, parameters and contracts; 'gpulab LAB' runs it.\n";
}

/// Registers, and bytes of local memory where there are any: "18", "40 +64 B".
std::string resources_text(const PtxasRow& row) {
  if (row.stack_bytes == 0) return std::to_string(row.registers);
  return fmt::format("{} +{} B{}", row.registers, row.stack_bytes, row.spill_store_bytes > 0 ? " spilled" : "");
}

/// A file's kernels, one per line: static shared memory, and what each architecture takes.
std::string resources_table(const EmbeddedKernels& kernels) {
  std::map<std::string, std::map<int, const PtxasRow*>> by_kernel;
  std::set<int> architectures;
  for (const auto& row : kernels.resources) {
    by_kernel[kernel_name(row.entry)][row.sm] = &row;
    architectures.insert(row.sm);
  }
  TextColumn names{{"kernel"}, {}, false}, shared{{"shared"}, {}, true};
  std::vector<TextColumn> table;
  for (const auto& [name, rows] : by_kernel) {
    names.cells.push_back(name);
    shared.cells.push_back(bytes_text(rows.begin()->second->static_shared_bytes));
  }
  table.push_back(std::move(names));
  table.push_back(std::move(shared));
  for (const int sm : architectures) {
    TextColumn column{{fmt::format("sm_{}", sm)}, {}, true};
    for (const auto& [name, rows] : by_kernel) {
      const auto it = rows.find(sm);
      column.cells.push_back(it == rows.end() ? "-" : resources_text(*it->second));
    }
    table.push_back(std::move(column));
  }
  std::vector<std::string> left_out;
  return aligned(std::move(table), std::string::npos, left_out);
}

/// What ptxas says of the lab's kernels on each architecture.
std::string list_resources(const Lab& lab) {
  std::string text = fmt::format(
      "{}: registers per thread, + local memory per thread, and static shared memory per block, as ptxas\n"
      "of CUDA {} says for the architectures of configs/gpus that it knows\n",
      lab.name, toolkit_version());
  for (const auto& kernels : embedded_kernels()) {
    if (kernels.lab == lab.name)
      text += fmt::format("\nlabs/{}/{}\n{}", kernels.lab, kernels.file, resources_table(kernels));
  }
  return text;
}

std::string list_lab(const Lab& lab) {
  std::string text = fmt::format("{}: {}\n", lab.name, lab.topic);
  for (const auto& line : wrapped(lab.question, width)) text += line + '\n';
  if (!lab.prerequisites.empty()) text += fmt::format("After: {}\n", join(lab.prerequisites));
  text += "\nVariants, worst to best (* runs by default)\n";
  const auto indent = longest_name(lab.variants) + 6;
  for (const auto& variant : lab.variants) {
    text += hanging((variant.name == lab.headline ? "  * " : "    ") + variant.name, indent, variant.summary);
    text += hanging("", indent, needs_text(variant));
  }
  text += "\nParameters (lists and ranges sweep)\n";
  const auto param_indent = longest_name(lab.params) + 8;
  for (const auto& param : lab.params) text += hanging("    --" + param.name, param_indent, param_text(param));
  std::vector<std::string> presets;
  for (const auto& block : lab.block_presets) presets.push_back(dim_text(block));
  text += hanging("    --block", param_indent,
                  fmt::format("threads per block; default {}{}", dim_text(lab.default_block),
                              presets.empty() ? "" : ", try " + join(presets)));
  if (!lab.contracts.empty()) text += "\nContracts: signatures of a kernel of yours\n";
  for (const auto& contract : lab.contracts) {
    text += hanging("    " + contract.name, longest_name(lab.contracts) + 6, contract.signature);
    text += hanging("", longest_name(lab.contracts) + 6, contract.summary);
  }
  return text;
}

/// Words of commentaries and of "what moved" that no counter has.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> lab_facts{{
    {"global_queue", "atomics: atomic updates of the word in global memory that gets most, one after the other"},
    {"shared_queue", "atomics: the same of a block's own histogram in shared memory"},
    {"busiest_warp_rows", "segsum: rows that the warp with most work adds up, one step of the warp each"},
    {"load_imbalance", "segsum: rows of the busiest warp / rows of a warp on average; 1: all work alike"},
    {"lanes_busy", "segsum: of the lanes of the warps' steps, those that have an element (ratio, 0 to 1)"},
    {"operations", "scan: additions (or what the operator is) that all threads execute together"},
    {"operations_per_element", "scan: operations / n; one pass of one thread needs 1"},
}};

std::string list_metrics() {
  std::string text =
      "Counters of a launch, from the PTX as the simulator executes it. Counts that derive from addresses equal a\n"
      "GPU's; counts of instructions and branches differ from its machine code (SASS) by nature.\n";
  for (const auto& info : counter_table()) {
    text += fmt::format("\n{}{}\n", info.name, info.unit == CounterUnit::ratio ? "  (ratio, 0 to 1)" : "");
    text += hanging("", 4, std::string(info.definition));
    if (!info.ncu.empty()) text += hanging("    ncu", 12, std::string(info.ncu));
    if (!info.nvprof.empty()) text += hanging("    nvprof", 12, std::string(info.nvprof));
  }
  text += "\nWhat labs work out from their data, beside the counters:\n";
  for (const auto& [name, definition] : lab_facts) {
    text += fmt::format("\n{}\n", name);
    text += hanging("", 4, std::string(definition));
  }
  return text;
}

std::string answer(const CommandLine& line) {
  const auto& labs = *line.labs;
  const auto* named = line.arguments.empty() ? nullptr : &line.arguments.front();
  if (line.given.contains("metrics")) return list_metrics();
  if (line.given.contains("resources")) {
    if (named == nullptr) throw usage_error("list --resources: which lab?", "as in: gpulab list reduce --resources");
    return list_resources(find_lab(labs, *named));
  }
  return named == nullptr ? list_labs(labs) : list_lab(find_lab(labs, *named));
}

Usage usage(const Lab*) {
  return {{{"metrics", "", "every counter, with its names in ncu and nvprof"},
           {"resources", "", "of LAB: registers and shared memory of its kernels"}},
          {}};
}

ExitCode run(const CommandLine& line) {
  print_report(answer(line));
  return ExitCode::ok;
}

}  // namespace

extern const Command list{
    .name = "list",
    .positionals = {{"LAB", ""}},
    .help = "labs; with LAB its variants, parameters and contracts; --metrics: all counters",
    .usage = usage,
    .run = run,
};

}  // namespace gpulab::command
