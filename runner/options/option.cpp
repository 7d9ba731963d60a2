#include "runner/options/option.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {

OptionList joined(std::initializer_list<OptionList> lists) {
  OptionList all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

OptionList only(const OptionList& options, std::initializer_list<std::string_view> names) {
  OptionList chosen;
  for (const auto name : names) {
    const auto it = std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
    if (it == options.end()) throw std::logic_error(fmt::format("no option '{}' to choose", name));
    chosen.push_back(*it);
  }
  return chosen;
}

const std::string* single_value(const Given& given, std::string_view name) {
  const auto it = given.find(name);
  if (it == given.end() || it->second.empty()) return nullptr;
  if (it->second.size() > 1) {
    throw usage_error(fmt::format("--{} is given {} times", name, it->second.size()),
                      "give it once; lists are separated by commas");
  }
  return &it->second.front();
}

std::vector<std::string> values_of(const Given& given, std::string_view name) {
  const auto it = given.find(name);
  return it == given.end() ? std::vector<std::string>{} : it->second;
}

std::int64_t whole_number(std::string_view option, const std::string& text, std::int64_t least, std::int64_t most) {
  const auto value = parse_integer(text);
  if (!value || *value < least || *value > most) {
    const std::string range = most == std::numeric_limits<std::int64_t>::max() ? fmt::format("{} or more", least)
                                                                               : fmt::format("{} to {}", least, most);
    throw usage_error(fmt::format("--{}: '{}' is not a whole number of {}", option, text, range));
  }
  return *value;
}

double positive_real(std::string_view option, const std::string& text) {
  const auto value = parse_real(text);
  if (!value || *value < 0) throw usage_error(fmt::format("--{}: '{}' is not a number of 0 or more", option, text));
  return *value;
}

}  // namespace gpulab
