#include "runner/listing/course_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/text.h"
#include "runner/case/plan.h"
#include "runner/listing/contract_text.h"
#include "runner/listing/metric_table.h"
#include "runner/report/grid_text.h"

namespace gpulab {
namespace {

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

/// "branch_efficiency  (ratio, 0 to 1)", its definition, its names in profilers.
std::string entry_of(const ListedMetric& metric, std::size_t width) {
  std::string unit = metric.unit == "ratio" ? "ratio, 0 to 1" : metric.unit;
  if (unit == "count" || unit == "mean") unit.clear();
  std::string text = fmt::format("\n{}{}\n", metric.name, unit.empty() ? "" : fmt::format("  ({})", unit));
  text += hanging("", 4, (metric.lab.empty() ? "" : metric.lab + ": ") + metric.definition, width);
  if (!metric.ncu.empty()) text += hanging("    ncu", 12, metric.ncu, width);
  if (!metric.nvprof.empty()) text += hanging("    nvprof", 12, metric.nvprof, width);
  return text;
}

std::string contract_text(const Contract& contract, std::size_t indent, std::size_t width) {
  std::string text;
  for (const auto& line : contract_lines(contract))
    text += hanging(text.empty() ? "    " + contract.name : "", indent, line, width);
  return text;
}

}  // namespace

std::string labs_text(std::span<const Lab> labs, std::size_t width) {
  std::string text = "The course, in the order of its lectures\n";
  const auto indent = longest_name(labs) + 5;
  for (const auto& lab : labs) {
    text += '\n' + hanging("  " + lab.name, indent, lab.topic, width);
    text += hanging("", indent, lab.question, width);
    text += hanging("", indent,
                    fmt::format("{}, {} by default{}", plural(lab.variants.size(), "variant"), lab.headline,
                                lab.prerequisites.empty() ? "" : "; after " + join(lab.prerequisites)),
                    width);
  }
  return text + '\n' +
         hanging("", 0, "'gpulab list LAB' shows a lab's variants, parameters and contracts; 'gpulab LAB' runs it.",
                 width);
}

std::string lab_text(const Lab& lab, std::size_t width) {
  std::string text = fmt::format("{}: {}\n", lab.name, lab.topic);
  for (const auto& line : wrapped(lab.question, width)) text += line + '\n';
  if (!lab.prerequisites.empty()) text += fmt::format("After: {}\n", join(lab.prerequisites));
  text +=
      "\nVariants, in the order of the lecture and not of their times\n"
      "(* runs by default: what the lecture is about; others may be faster)\n";
  const auto indent = longest_name(lab.variants) + 6;
  for (const auto& variant : lab.variants) {
    text += hanging((variant.name == lab.headline ? "  * " : "    ") + variant.name, indent, variant.summary, width);
    text += hanging("", indent, needs_text(variant), width);
  }
  text += "\nParameters (lists and ranges sweep)\n";
  const auto param_indent = longest_name(lab.params) + 8;
  for (const auto& param : lab.params) text += hanging("    --" + param.name, param_indent, param_text(param), width);
  std::vector<std::string> presets;
  for (const auto& block : lab.block_presets) presets.push_back(dim_text(block));
  text += hanging("    --block", param_indent,
                  fmt::format("threads per block; default {}{}", dim_text(lab.default_block),
                              presets.empty() ? "" : ", try " + join(presets)),
                  width);
  if (!lab.contracts.empty())
    text += '\n' + hanging("", 0,
                           fmt::format("Contracts: kernels of yours ('gpulab new {0}' writes a starter, 'gpulab check "
                                       "{0} FILE.cu' judges)",
                                       lab.name),
                           width);
  for (const auto& contract : lab.contracts) text += contract_text(contract, longest_name(lab.contracts) + 6, width);
  return text;
}

std::string metrics_text(std::span<const Lab> labs, std::size_t width) {
  const std::pair<MetricKind, std::string_view> parts[] = {
      {MetricKind::counter,
       "Counters of a launch, from the PTX as the simulator executes it. Counts that derive from addresses equal a "
       "GPU's; counts of instructions and branches differ from its machine code (SASS) by nature."},
      {MetricKind::rate, "What follows from time, which comes from a GPU alone, and from counts, in any lab:"},
      {MetricKind::modelled,
       "What profilers say of time, as modelled on the simulator and not measured (--metrics NAME,NAME):"},
      {MetricKind::fact, "What labs work out from their data, beside the counters:"},
  };
  const auto metrics = listed_metrics(labs);
  std::string text;
  for (const auto& [kind, heading] : parts) {
    text += (text.empty() ? "" : "\n") + hanging("", 0, heading, width);
    for (const auto& metric : metrics)
      if (metric.kind == kind) text += entry_of(metric, width);
  }
  return text;
}

}  // namespace gpulab
