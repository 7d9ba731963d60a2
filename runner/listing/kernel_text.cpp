#include "runner/listing/kernel_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "common/demangle.h"
#include "common/device/ptx_entries.h"
#include "common/embedded.h"
#include "common/text.h"
#include "runner/listing/ptx_excerpt.h"
#include "runner/report/grid_text.h"

namespace gpulab {
namespace {

/// Registers, and bytes of local memory where there are any: "18", "40 +64 B".
std::string resources_text(const PtxasRow& row) {
  if (row.stack_bytes == 0) return std::to_string(row.registers);
  return fmt::format("{} +{} B{}", row.registers, row.stack_bytes, row.spill_store_bytes > 0 ? " spilled" : "");
}

/// Bytes of constant memory (arguments, constants, `__constant__` variables), the same on all architectures of which
/// ptxas says it: of sm_90 and later it says nothing.
std::string constant_text(const std::map<int, const PtxasRow*>& rows) {
  int bytes = 0;
  for (const auto& [sm, row] : rows) bytes = std::max(bytes, row->constant_bytes);
  return bytes == 0 ? "-" : bytes_text(bytes);
}

/// Where names and numbers do not stand side by side: each name above its numbers.
std::string named_above(const std::vector<std::string>& names, std::vector<TextColumn> table, std::size_t width) {
  constexpr std::size_t heading_lines = 2;
  std::vector<std::string> left_out;
  const auto lines = split(aligned(std::move(table), width - 2, left_out), '\n');
  std::string text;
  for (std::size_t i = 0; i < heading_lines; ++i) text += "  " + lines[i] + '\n';
  for (std::size_t i = 0; i < names.size(); ++i)
    text += hanging("", 0, names[i], width) + "  " + lines[heading_lines + i] + '\n';
  if (!left_out.empty())
    text +=
        hanging("", 0, fmt::format("Not shown for want of width: {} (--format json has all).", join(left_out)), width);
  return text;
}

/// A file's kernels, one per line: static shared memory, constant memory, and what each architecture takes.
std::string resources_table(const EmbeddedKernels& kernels, std::size_t width) {
  std::map<std::string, std::map<int, const PtxasRow*>> by_kernel;
  std::set<int> architectures;
  for (const auto& row : kernels.resources) {
    by_kernel[kernel_name(row.entry)][row.sm] = &row;
    architectures.insert(row.sm);
  }
  TextColumn names{{"kernel"}, {}, false}, shared{{"shared"}, {}, true}, constant{{"constant"}, {}, true};
  std::vector<TextColumn> table;
  for (const auto& [name, rows] : by_kernel) {
    names.cells.push_back(name);
    shared.cells.push_back(bytes_text(rows.begin()->second->static_shared_bytes));
    constant.cells.push_back(constant_text(rows));
  }
  table.push_back(std::move(shared));
  table.push_back(std::move(constant));
  for (const int sm : architectures) {
    TextColumn column{{fmt::format("sm_{}", sm)}, {}, true, static_cast<int>(1000 - sm)};  // old ones go first
    for (const auto& [name, rows] : by_kernel) {
      const auto it = rows.find(sm);
      column.cells.push_back(it == rows.end() ? "-" : resources_text(*it->second));
    }
    table.push_back(std::move(column));
  }
  std::vector<std::string> left_out;
  auto beside = table;
  beside.insert(beside.begin(), names);
  const auto wide = aligned(std::move(beside), std::string::npos, left_out);
  if (columns(wide.substr(0, wide.find('\n'))) <= width) return wide;
  return named_above(names.cells, std::move(table), width);
}

/// A comment of PTX: which text follows.
std::string title_of(const EmbeddedKernels& kernels, const std::string& what) {
  return fmt::format("// labs/{}/{}{}: PTX for compute_{}, by the compiler of CUDA {}\n", kernels.lab, kernels.file,
                     what, kernels.compute_capability, toolkit_version());
}

}  // namespace

std::string resources_text(const Lab& lab, std::size_t width) {
  std::string text = hanging("", 0,
                             fmt::format("{}: static shared and constant memory per block, and registers per thread, + "
                                         "local memory per thread, as ptxas of CUDA {} says for the architectures of "
                                         "configs/gpus that it knows",
                                         lab.name, toolkit_version()),
                             width);
  for (const auto& kernels : embedded_kernels()) {
    if (kernels.lab == lab.name)
      text += fmt::format("\nlabs/{}/{}\n{}", kernels.lab, kernels.file, resources_table(kernels, width));
  }
  return text;
}

std::string ptx_text(const Lab& lab) {
  std::string text;
  for (const auto& kernels : embedded_kernels())
    if (kernels.lab == lab.name) text += title_of(kernels, "") + std::string(kernels.ptx);
  return text;
}

std::string ptx_text(const Lab& lab, std::string_view file, const std::vector<std::string>& kernels) {
  for (const auto& held : embedded_kernels()) {
    if (held.lab != lab.name || held.file != file) continue;
    const auto found = outline(held.ptx);
    std::vector<std::string_view> entries, wanted;
    for (const auto& entry : found.entries) entries.push_back(entry.name);
    for (const auto& kernel : kernels) wanted.push_back(find_entry(kernel, entries));
    return title_of(held, ", " + join(kernels)) + ptx_excerpt(held.ptx, wanted);
  }
  throw std::logic_error(fmt::format("labs/{}/{} is not in this build", lab.name, file));
}

}  // namespace gpulab
