#pragma once
// What an option of the command line is, and what was typed. Options come in groups that commands share, one file each
// in this folder (machine_options.h, report_options.h …): the group's options for --help and for the parser of the
// command line, the values that they become, and how.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

struct Option {
  std::string name;   ///< without dashes
  std::string value;  ///< what --help calls its value, "N"; empty: a flag
  std::string help;
  std::string_view heading = "Options";  ///< in --help; its options stand together, wherever they are declared
  bool is_switch = false;                ///< its value, true or false, may be left out: --print is --print true
  std::vector<std::string> words{};      ///< what its value can be, or a list's element, where these are words
};
using OptionList = std::vector<Option>;

/// Headings that several groups share.
namespace heading {
inline constexpr std::string_view problem = "Problem", what_runs = "What runs", where = "Where",
                                  simulator = "Simulator", timing = "Timing on a GPU", report = "Report",
                                  trace = "Trace";
}

[[nodiscard]] OptionList joined(std::initializer_list<OptionList> lists);
/// Those of these names: of a group, what a command takes.
[[nodiscard]] OptionList only(const OptionList& options, std::initializer_list<std::string_view> names);

/// What the user typed, by option name without dashes; flags have the value "true".
using Given = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The value of an option that may be given once; null where it was not given. Throws usage_error.
[[nodiscard]] const std::string* single_value(const Given& given, std::string_view name);
/// The values of one that may be given several times.
[[nodiscard]] std::vector<std::string> values_of(const Given& given, std::string_view name);

/// Throw usage_error, which names the option.
[[nodiscard]] std::int64_t whole_number(std::string_view option, const std::string& text, std::int64_t least,
                                        std::int64_t most);
[[nodiscard]] double positive_real(std::string_view option, const std::string& text);

}  // namespace gpulab
