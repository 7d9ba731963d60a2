#include "runner/case/measuring/in_turn.h"

#include "runner/case/measuring/samples.h"

namespace gpulab {
namespace {

std::optional<StoppedBy> both_enough(const std::array<Samples, 2>& samples, const MeasureOptions& options) {
  const auto count = samples[0].milliseconds().size();
  if (options.reps == 0 && (count < kFewestInTurn || count % 2 != 0)) return std::nullopt;
  const auto a = enough(samples[0].milliseconds(), options), b = enough(samples[1].milliseconds(), options);
  return a && b ? b : std::nullopt;
}

}  // namespace

std::array<Timing, 2> measure_in_turn(const Turn& a, const Turn& b, const MeasureOptions& options) {
  const std::array turns{&a, &b};
  for (int i = 0; i < options.warmup; ++i)
    for (const auto* turn : turns) {
      turn->restore();
      turn->work();
      turn->device.synchronize();
    }
  std::array<Samples, 2> samples;
  std::optional<StoppedBy> ended;
  while (!(ended = both_enough(samples, options))) {
    const std::size_t first = samples[0].milliseconds().size() % 2;
    std::array<Sample, 2> taken;
    std::array<std::string, 2> reasons;
    for (const std::size_t side : {first, 1 - first}) {
      taken[side] = take_sample(turns[side]->device, !options.warm, turns[side]->restore, turns[side]->work);
      reasons[side] = samples[side].objection(taken[side]);
    }
    const bool is_kept = reasons[0].empty() && reasons[1].empty();
    for (const std::size_t side : {0U, 1U}) {
      if (is_kept)
        samples[side].keep(taken[side]);
      else if (!reasons[side].empty())
        samples[side].discard(reasons[side]);
    }
  }
  std::array timings{samples[0].timing(a.device, options.warm, *ended),
                     samples[1].timing(b.device, options.warm, *ended)};
  for (auto& timing : timings) timing.in_turn = true;
  return timings;
}

std::optional<std::pair<Result, Result>> run_in_turn(const RunMeasuring& a, const RunMeasuring& b,
                                                     const MeasureOptions& options) {
  std::optional<Result> second;
  bool measured = false;
  auto first = a([&](Device& device, const std::function<void()>& restore, const std::function<void()>& work) {
    std::array<Timing, 2> timings;
    second = b([&](Device& other, const std::function<void()>& other_restore, const std::function<void()>& other_work) {
      timings = measure_in_turn({device, restore, work}, {other, other_restore, other_work}, options);
      measured = true;
      return timings[1];
    });
    return timings[0];
  });
  const bool is_well = measured && first.status == CaseStatus::ok && second->status == CaseStatus::ok;
  return is_well ? std::optional(std::pair(std::move(first), std::move(*second))) : std::nullopt;
}

}  // namespace gpulab
