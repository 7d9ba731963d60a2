#include "runner/options/measure_options.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {

OptionList measure_options() {
  using heading::timing;
  return {
      {"reps", "N", "samples, exactly [as many as the next two ask for]", timing},
      {"warmup", "N", "runs before the first sample [3]", timing},
      {"min-time", "SECONDS", "of all samples together [0.1]", timing},
      {"max-noise", "PERCENT", "spread of the middle half that is quiet enough [5]", timing},
      {"stop",
       "BY",
       "noise: by --max-noise; entropy: further samples bring nothing new [noise]",
       timing,
       false,
       {"noise", "entropy"}},
      {"warm", "", "leave the L2 cache as it is between samples", timing},
  };
}

MeasureOptions parse_measure_options(const Given& given) {
  MeasureOptions measure;
  if (const auto* text = single_value(given, "reps"))
    measure.reps = static_cast<int>(whole_number("reps", *text, 1, 1'000'000));
  if (const auto* text = single_value(given, "warmup")) {
    measure.warmup = static_cast<int>(whole_number("warmup", *text, 0, 1'000'000));
  }
  if (const auto* text = single_value(given, "min-time")) measure.min_time_s = positive_real("min-time", *text);
  if (const auto* text = single_value(given, "max-noise")) measure.max_noise = positive_real("max-noise", *text) / 100;
  if (const auto* text = single_value(given, "stop")) {
    const auto by = from_text<StopBy>(*text);
    if (!by)
      throw usage_error(fmt::format("--stop: '{}' is neither noise nor entropy", visible(*text)),
                        "--reps N stops by count");
    measure.stop = *by;
  }
  measure.warm = single_value(given, "warm") != nullptr;
  return measure;
}

}  // namespace gpulab
