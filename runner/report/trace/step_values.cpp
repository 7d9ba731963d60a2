#include "runner/report/trace/step_values.h"

#include <fmt/format.h>

#include <bit>

#include "common/short_float.h"
#include "common/simt/observers/trace/wording.h"

namespace gpulab {

namespace {

std::int64_t signed_value(std::uint64_t bits, int width) {
  return static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width);
}

/// "in + 64 bytes", where a 64-bit value points into global memory; else empty.
std::string pointer_text(const StepTrace& trace, std::string_view type, std::uint64_t bits) {
  if (!type.ends_with("64") || type.starts_with('f')) return {};
  for (const StepArray& array : trace.arrays)
    if (!array.shared && bits >= array.address && bits - array.address <= array.bytes)
      return fmt::format("{} + {} bytes", array.name, bits - array.address);  // of its start, too: "in" alone is a word
  return {};
}

}  // namespace

std::vector<StepValue> values_of(const StepTrace& trace, const TraceStep& step) {
  std::vector<StepValue> values;
  if (step.site == no_step_part || step.values == no_step_part) return values;
  const StepSite& site = trace.sites[step.site];
  const std::uint32_t lanes = step.active & ~step.off;
  std::size_t at = step.values;
  const auto add = [&](const StepRegister& reg, bool stored) {
    StepValue value{reg, stored};
    if (const auto unpacked = simt::unpack_values(trace.values, at, lanes)) {
      value.known = true;
      value.lanes = *unpacked;
    }
    values.push_back(std::move(value));
  };
  for (const StepRegister& reg : site.results) add(reg, false);
  if (step.access != no_step_part)
    for (const StepRegister& reg : site.stored) add(reg, true);
  return values;
}

std::string value_text(std::string_view type, std::uint64_t bits) {
  if (type == "pred") return bits != 0 ? "true" : "false";
  if (type == "f32") return fmt::format("{:.7g}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (type == "f64") return fmt::format("{:.9g}", std::bit_cast<double>(bits));
  if (type == "f16") return fmt::format("{:.5g}", half_value(static_cast<std::uint16_t>(bits)));
  if (type == "bf16") return fmt::format("{:.4g}", bfloat16_value(static_cast<std::uint16_t>(bits)));
  const int width = type.ends_with("64") ? 64 : type.ends_with("16") ? 16 : type.ends_with('8') ? 8 : 32;
  if (width == 64 && bits >= std::uint64_t{1} << 32 && bits < std::uint64_t{1} << 63) return fmt::format("{:#x}", bits);
  if (type.starts_with('s')) return fmt::format("{}", signed_value(bits, width));
  const std::uint64_t kept = width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1);
  // Negative numbers in registers whose type is bits alone.
  if (kept > (std::uint64_t{1} << (width - 1)) && kept >= (~std::uint64_t{0} >> (64 - width)) - 0xffff)
    return fmt::format("{}", signed_value(kept, width));
  return fmt::format("{}", kept);
}

std::string lanes_value_text(const StepTrace& trace, const StepValue& value, std::uint32_t mask) {
  if (!value.known) return "not kept: nobody reads it later";
  const int count = std::popcount(mask);
  const auto at = [&](int lane) { return value.lanes[static_cast<std::size_t>(lane)]; };
  const int first = std::countr_zero(mask), last = 31 - std::countl_zero(mask);
  if (value.reg.type == "pred") {
    std::uint32_t holds = 0;
    for (std::uint32_t left = mask; left; left &= left - 1)
      if (at(std::countr_zero(left)) != 0) holds |= left & (0u - left);
    return holds == mask ? "true in all of them"
           : holds == 0  ? "false in all of them"
                         : "true in " + simt::lanes_text(holds);
  }
  bool same = true;
  for (std::uint32_t left = mask; left; left &= left - 1) same = same && at(std::countr_zero(left)) == at(first);
  const auto text_of = [&](int lane) {
    const std::string pointer = pointer_text(trace, value.reg.type, at(lane));
    return pointer.empty() ? value_text(value.reg.type, at(lane)) : pointer;
  };
  if (same) return text_of(first) + (count > 1 ? " in all of them" : "");
  std::string text;
  int shown = 0;
  std::uint32_t left = mask;
  for (; left && shown < 4; left &= left - 1, ++shown) text += (shown ? ", " : "") + text_of(std::countr_zero(left));
  if (left) text += fmt::format(" … {}", text_of(last));
  return text;
}

std::string step_text(const StepTrace& trace, const TraceStep& step) {
  const std::string& form = trace.texts[step.text];
  std::string text;
  std::size_t arg = step.first_arg, from = 0;
  for (std::size_t at = form.find("{}"); at != std::string::npos; at = form.find("{}", from)) {
    text += form.substr(from, at - from) + std::to_string(trace.args[arg++]);
    from = at + 2;
  }
  return text + form.substr(from);
}

}  // namespace gpulab
