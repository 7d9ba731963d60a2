#include "runner/report/ncu/ncu_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "common/error.h"
#include "common/text.h"
#include "runner/report/ncu/metric_names.h"

namespace gpulab::ncu {
namespace {

/// `value`: it takes one. Those of no effect are of a GPU's clocks, caches and replays, or of what is always so here.
struct Known {
  std::string_view name, short_name{};
  bool value = true, effect = true;
};
constexpr std::array known{Known{"--set"},
                           Known{"--section"},
                           Known{"--metrics"},
                           Known{"--page"},
                           Known{"--csv", "", false},
                           Known{"--kernel-name", "-k"},
                           Known{"--launch-skip", "-s"},
                           Known{"--launch-count", "-c"},
                           Known{"--print-units"},
                           Known{"--print-kernel-base"},
                           Known{"--log-file"},
                           Known{"--provenance"},
                           Known{"--beside"},
                           Known{"--profile"},
                           Known{"--nvcc"},
                           Known{"--export", "-o"},
                           Known{"--import", "-i"},
                           Known{"--target-processes", "", true, false},
                           Known{"--replay-mode", "", true, false},
                           Known{"--app-replay-match", "", true, false},
                           Known{"--app-replay-buffer", "", true, false},
                           Known{"--cache-control", "", true, false},
                           Known{"--clock-control", "", true, false},
                           Known{"--kernel-name-base", "", true, false},
                           Known{"--devices", "", true, false},
                           Known{"--print-source", "", true, false},
                           Known{"--print-details", "", true, false},
                           Known{"--print-summary", "", true, false},
                           Known{"--import-source", "", true, false},
                           Known{"--nvtx", "", false, false},
                           Known{"--nvtx-include", "", true, false},
                           Known{"--print-fp", "", false, false},
                           Known{"--force-overwrite", "-f", false, false},
                           Known{"--quiet", "", false, false},
                           Known{"--verbose", "", false, false}};

constexpr const char* to_csv =
    "ncu --import FILE --csv --page raw > FILE.csv writes a table, which --beside FILE.csv holds beside ours";

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  for (auto& name : split(list, ','))
    if (!name.empty()) names.push_back(std::move(name));
  return names;
}

const Known& option_named(const std::string& word) {
  const auto found =
      std::ranges::find_if(known, [&](const Known& one) { return one.name == word || one.short_name == word; });
  if (found != known.end()) return *found;
  std::vector<std::string> names;
  for (const auto& one : known) names.emplace_back(one.name);
  throw usage_error(fmt::format("ncu: unknown option '{}'", visible(word)),
                    did_you_mean(word, names, "'gpulab ncu --help' has those that are known"));
}

std::vector<std::string> sections_of_set(const std::string& set) {
  if (set == "default" || set == "basic") return {"SpeedOfLight", "LaunchStats", "Occupancy"};
  std::vector<std::string> all;
  for (const auto& section : sections()) all.emplace_back(section.id);
  if (set == "detailed" || set == "full") {
    for (const auto id : unknown_sections()) all.emplace_back(id);
    return all;
  }
  throw usage_error(fmt::format("--set: there is no set '{}'", visible(set)), "sets: basic, detailed, full");
}

void add_sections(const std::string& wanted, std::vector<std::string>& ids) {
  constexpr std::string_view prefix = "regex:";
  std::vector<std::string> names;
  for (const auto& section : sections()) names.emplace_back(section.id);
  for (const auto id : unknown_sections()) names.emplace_back(id);
  for (const auto& name : names_in(wanted)) {
    if (name == prefix.substr(0, prefix.size() - 1) || name.starts_with(prefix))
      throw usage_error("--section: expressions are not known here", "sections: " + join(names));
    if (std::ranges::find(names, name) == names.end())
      throw usage_error(fmt::format("--section: there is no section '{}'", visible(name)),
                        did_you_mean(name, names, "sections: " + join(names)));
    if (std::ranges::find(ids, name) == ids.end()) ids.push_back(name);
  }
}

std::uint64_t count_of(std::string_view option, const std::string& text) {
  const auto value = parse_integer(text);
  if (!value) throw usage_error(fmt::format("{}: '{}' is no number", option, visible(text)));
  return static_cast<std::uint64_t>(*value);
}

std::string one_of(std::string_view option, const std::string& value, std::initializer_list<std::string_view> words) {
  if (std::ranges::find(words, value) != words.end()) return value;
  throw usage_error(fmt::format("{}: '{}' is none of: {}", option, visible(value), join({words.begin(), words.end()})));
}

void take(NcuOptions& options, std::string_view name, const std::string& value) {
  if (name == "--set")
    options.sections = sections_of_set(value);
  else if (name == "--section")
    add_sections(value, options.sections);
  else if (name == "--metrics")
    for (auto& metric : names_in(value)) options.metrics.push_back(std::move(metric));
  else if (name == "--page")
    options.page = one_of(name, value, {"details", "raw", "source"}) == "raw" ? Page::raw
                   : value == "source"                                        ? Page::source
                                                                              : Page::details;
  else if (name == "--csv")
    options.csv = true;
  else if (name == "--kernel-name")
    options.filter.kernel = value;
  else if (name == "--launch-skip")
    options.filter.skip = count_of(name, value);
  else if (name == "--launch-count")
    options.filter.count = count_of(name, value);
  else if (name == "--print-units")
    options.base_units = one_of(name, value, {"auto", "base"}) == "base";
  else if (name == "--print-kernel-base")
    options.base_names = one_of(name, value, {"demangled", "function"}) == "function";
  else if (name == "--log-file")
    options.log_file = value;
  else if (name == "--provenance")
    options.provenance = value;
  else if (name == "--beside")
    options.beside = value;
  else if (name == "--profile")
    options.profile = value;
  else if (name == "--nvcc")
    for (auto& word : split(value, ' ')) {
      if (!word.empty()) options.nvcc.push_back(std::move(word));
    }
  else
    throw usage_error(fmt::format("ncu: {} is of ncu's own report (.ncu-rep), which only ncu writes and reads", name),
                      name == "--import" ? to_csv : "--csv --log-file FILE.csv writes a table");
}

void refuse_report(const std::string& file) {
  if (file.ends_with(".ncu-rep"))
    throw usage_error(fmt::format("ncu: {} is ncu's own report, which only ncu reads", visible(file)), to_csv);
}

}  // namespace

NcuOptions parse_ncu_options(const std::vector<std::string>& words) {
  NcuOptions options;
  std::size_t i = 0;
  for (; i < words.size() && words[i].starts_with('-') && words[i] != "--"; ++i) {
    auto word = words[i];
    std::string value;
    const auto equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    if (equals != std::string::npos) {
      value = word.substr(equals + 1);
      word.resize(equals);
    }
    const auto& option = option_named(word);
    if (option.value && equals == std::string::npos) {
      if (i + 1 == words.size()) throw usage_error(fmt::format("ncu: {} needs a value", option.name));
      value = words[++i];
    }
    if (option.effect)
      take(options, option.name, value);
    else
      options.ignored.emplace_back(option.name);
  }
  if (i < words.size() && words[i] == "--") ++i;
  options.program.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  if (options.program.empty()) throw usage_error("ncu: which program?", "as in: gpulab ncu --set full vecadd.cu 1024");
  refuse_report(options.program.front());
  refuse_report(options.beside);
  if (options.sections.empty() && options.metrics.empty()) options.sections = sections_of_set("basic");
  return options;
}

}  // namespace gpulab::ncu
