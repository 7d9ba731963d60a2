#include "runner/options/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

constexpr std::string_view forms = "a size is 4096, 2^22, 4M (10^6) or 4Mi (2^20)";
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
/// A sweep of more points than this is a slip, not a plan.
constexpr std::size_t most_points = 10000;

[[noreturn]] void refuse(std::string_view option, std::string_view text, std::string_view why, std::string_view hint) {
  throw usage_error(fmt::format("{}: {} '{}'", option, why, text), std::string(hint));
}

std::optional<std::int64_t> multiplier(std::string_view suffix) {
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 10> suffixes{{{"k", 1'000},
                                                                                       {"K", 1'000},
                                                                                       {"M", 1'000'000},
                                                                                       {"G", 1'000'000'000},
                                                                                       {"T", 1'000'000'000'000},
                                                                                       {"Ki", 1LL << 10},
                                                                                       {"Mi", 1LL << 20},
                                                                                       {"Gi", 1LL << 30},
                                                                                       {"Ti", 1LL << 40},
                                                                                       {"", 1}}};
  const auto it = std::find_if(suffixes.begin(), suffixes.end(), [&](const auto& s) { return s.first == suffix; });
  return it == suffixes.end() ? std::nullopt : std::optional(it->second);
}

/// "1e6", "2.5e3": as people write it. Nothing where it is no such number, or no whole one.
std::optional<std::int64_t> scientific(std::string_view text, std::string_view option) {
  const auto e = text.find_first_of("eE");
  const auto mantissa = text.substr(0, e);
  const auto dot = std::min(mantissa.find('.'), mantissa.size());
  const auto fraction = dot == mantissa.size() ? std::string_view() : mantissa.substr(dot + 1);
  const auto exponent = e == std::string_view::npos ? std::nullopt : parse_integer(text.substr(e + 1));
  const auto value = parse_integer(std::string(mantissa.substr(0, dot)) + std::string(fraction));
  if (!exponent || !value || dot == 0 || static_cast<std::int64_t>(fraction.size()) > *exponent) return std::nullopt;
  auto scaled = *value;
  for (auto left = *exponent - static_cast<std::int64_t>(fraction.size()); left > 0 && scaled != 0; --left) {
    if (scaled > largest / 10) refuse(option, text, "size too large for 64 bits", {});
    scaled *= 10;
  }
  return scaled;
}

std::int64_t power(std::string_view text, std::string_view option) {
  const auto caret = text.find('^');
  const auto base = parse_integer(text.substr(0, caret)), exponent = parse_integer(text.substr(caret + 1));
  if (!base || !exponent) refuse(option, text, "malformed size", forms);
  std::int64_t value = 1;
  for (std::int64_t i = 0; i < *exponent && *base != 1 && value != 0; ++i) {
    if (*base != 0 && value > largest / *base) refuse(option, text, "size too large for 64 bits", {});
    value *= *base;
  }
  return value;
}

std::vector<std::int64_t> doubling(std::string_view range, std::int64_t from, std::int64_t to,
                                   std::string_view option) {
  const auto is_power = [](std::int64_t v) { return v > 0 && std::has_single_bit(static_cast<std::uint64_t>(v)); };
  if (!is_power(from) || !is_power(to)) {
    refuse(option, range, "a range without a step runs over powers of two, unlike",
           "give a step, as in 1000:5000:1000, or powers of two, as in 2^10:2^24");
  }
  std::vector<std::int64_t> values;
  for (std::int64_t value = from; value <= to; value *= 2) {
    values.push_back(value);
    if (value > largest / 2) break;
  }
  return values;
}

std::vector<std::int64_t> stepping(std::string_view range, std::int64_t from, std::int64_t to, std::int64_t step,
                                   std::string_view option) {
  if (step == 0) refuse(option, range, "the step is 0 in", "a:b:step needs a step of at least 1");
  if (static_cast<std::uint64_t>(to - from) / static_cast<std::uint64_t>(step) >= most_points) {
    refuse(option, range, fmt::format("more than {} values in", most_points), "give a larger step");
  }
  std::vector<std::int64_t> values;
  for (std::int64_t value = from;; value += step) {
    values.push_back(value);
    if (value > to - step) return values;
  }
}

std::vector<std::int64_t> one_item(std::string_view item, std::string_view option) {
  const auto parts = split(item, ':');
  if (parts.size() == 1) return {parse_size(item, option)};
  if (parts.size() > 3) refuse(option, item, "malformed range", "a range is a:b (powers of two) or a:b:step");
  const auto from = parse_size(parts[0], option), to = parse_size(parts[1], option);
  if (from > to) refuse(option, item, "the range ends before it starts:", "a range is a:b (powers of two) or a:b:step");
  if (parts.size() == 2) return doubling(item, from, to, option);
  return stepping(item, from, to, parse_size(parts[2], option), option);
}

}  // namespace

std::int64_t parse_size(std::string_view text, std::string_view option) {
  if (text.starts_with('-')) refuse(option, text, "a size cannot be negative:", forms);
  if (text.find('^') != std::string_view::npos) return power(text, option);
  if (const auto value = scientific(text, option)) return *value;
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto scale = multiplier(text.substr(digits));
  if (digits == 0 || !scale) refuse(option, text, "malformed size", forms);
  const auto value = parse_integer(text.substr(0, digits));
  if (!value || *value > largest / *scale) refuse(option, text, "size too large for 64 bits", {});
  return *value * *scale;
}

std::vector<std::int64_t> parse_sizes(std::string_view text, std::string_view option) {
  std::vector<std::int64_t> values;
  for (const auto& item : split(text, ',')) {
    for (const auto value : one_item(item, option)) {
      if (std::find(values.begin(), values.end(), value) != values.end()) {
        throw usage_error(fmt::format("{}: {} appears twice in '{}'", option, value, text));
      }
      values.push_back(value);
    }
  }
  return values;
}

}  // namespace gpulab
