#include "runner/compare/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "runner/compare/counter_differences.h"
#include "runner/compare/measured.h"

namespace gpulab {
namespace {

/// Why two measured times are not compared; empty: they are.
std::string measured_apart(const MeasuredTime& a, const MeasuredTime& b) {
  if (a.gpu != b.gpu) return fmt::format("measured on different GPUs: {} and {}", a.gpu, b.gpu);
  if (a.mode != b.mode) return fmt::format("measured {} and {}", a.mode, b.mode);
  return {};
}

/// The same of modelled ones. What it says is what is to be done instead.
std::string modelled_apart(const ModelTime& a, const ModelTime& b) {
  if (a.gpu != b.gpu) return fmt::format("modelled for different GPUs: {} and {}", a.gpu, b.gpu);
  if (!a.validated || !b.validated)
    return fmt::format("times of {} are estimates that nobody has compared with that GPU: measure it", a.gpu);
  for (const auto* one : {&a, &b})
    if (!one->no_ground.empty()) return fmt::format("the model has no ground ({}): measure it", one->no_ground);
  return {};
}

/// A wrong answer is never faster: nothing else is said of its time.
bool judged_by_answer(bool documents, ComparedPair& pair) {
  const auto said = [](const ComparedResult& one) {
    if (one.message.empty()) return one.status;
    return one.status == "wrong" ? one.message : fmt::format("{}: {}", one.status, one.message);
  };
  const bool was = pair.a.answer == Answer::right, is = pair.b.answer == Answer::right;
  if (was && is) return false;
  pair.regression = was;
  if (pair.b.answer == Answer::unknown || pair.a.answer == Answer::unknown) {
    const bool of_b = was || pair.b.answer == Answer::unknown;
    pair.why = fmt::format("{}did not run{}: {}",
                           documents ? ""
                           : of_b    ? "B "
                                     : "A ",
                           of_b || !documents ? "" : " before", said(of_b ? pair.b : pair.a));
  } else if (was) {
    pair.why = (documents ? "wrong now and not before: " : "B is wrong: ") + said(pair.b);
  } else if (is) {
    pair.why = (documents ? "right now, and not before: " : "A is wrong: ") + said(pair.a);
  } else {
    pair.why = (documents ? "wrong, as before: " : "both are wrong: ") + said(pair.b);
  }
  return true;
}

void judge_measured(const RatioEstimate& estimate, const JudgedRatio& judged, double threshold, ComparedPair& pair) {
  pair.basis = CompareBasis::measured;
  pair.ratio = std::exp(estimate.log_ratio);
  pair.low = judged.low;
  pair.high = judged.high;
  const bool inside = judged.low >= 1 / (1 + threshold) && judged.high <= 1 + threshold;
  using enum CompareVerdict;
  pair.verdict = judged.differs ? (*pair.ratio > 1 ? slower : faster) : inside ? same : undecided;
  pair.why =
      fmt::format("measured on {}, {} and {} samples, interval from {}", pair.a.measured->gpu, pair.a.measured->samples,
                  pair.b.measured->samples, estimate.from_samples ? "the samples" : "their quartiles");
  if (pair.a.measured->in_turn && pair.b.measured->in_turn) pair.why += ", taken in turn";
  if (std::abs(estimate.clock_ratio - 1) > kOneClock)
    pair.warnings.push_back(fmt::format("the clock stood at {:.3g} times A's beside B: the interval has room for that",
                                        estimate.clock_ratio));
  for (const auto* one : {&pair.a, &pair.b})
    if (!one->measured->throttled.empty())
      pair.warnings.push_back(
          fmt::format("{}'s clock was held back meanwhile: {}", one == &pair.a ? "A" : "B", one->measured->throttled));
  if (pair.verdict == undecided) pair.why += ": more samples would tell (--min-time, --max-noise)";
}

void judge_modelled(const RatioErrors& errors, double threshold, ComparedPair& pair) {
  pair.basis = CompareBasis::modelled;
  const auto &a = *pair.a.modelled, &b = *pair.b.modelled;
  pair.ratio = b.ms / a.ms;
  const auto has_few = [](const ModelTime& time) { return time.sms_used > 0 && time.sms_used < kMeasuredSms; };
  const auto odds = odds_of(errors, *pair.ratio, has_few(a) + has_few(b), threshold);
  pair.low = odds.low;
  pair.high = odds.high;
  const bool is_exact = a.ms == b.ms && pair.counters.empty() && !pair.a.counters.empty() && a.bound == b.bound;
  using enum CompareVerdict;
  const double direction = std::max(odds.faster, odds.slower);
  if (is_exact) {
    pair.verdict = same;
    pair.low = pair.high = 1;
    pair.why = "every counter and the modelled time are equal";
  } else if (direction >= errors.sure) {
    pair.verdict = odds.slower > odds.faster ? slower : faster;
    pair.probability = direction;
  } else if (odds.same >= kSureSame) {
    pair.verdict = same;
    pair.probability = odds.same;
  } else {
    pair.verdict = undecided;
    pair.probability = direction;
    pair.why = fmt::format("modelled {:.3g} times as long: measure it", *pair.ratio);
  }
  if (pair.why.empty()) pair.why = fmt::format("modelled for {}", a.gpu);
}

void judge_counted(double threshold, ComparedPair& pair) {
  pair.basis = CompareBasis::counters;
  const auto counted = counter_verdict(pair.counters, threshold);
  using enum CompareVerdict;
  pair.verdict = counted.rises && counted.falls ? undecided : counted.rises ? slower : counted.falls ? faster : same;
  pair.why = pair.counters.empty()       ? "no time that both have; every counter is equal"
             : pair.verdict == undecided ? "no time that both have; some counters rise, others fall"
                                         : "no time that both have; by counters alone";
}

/// Whatever times leave open, counts are exact.
void look_for_regression(double threshold, ComparedPair& pair) {
  if (pair.regression) return;
  const bool slower = pair.verdict == CompareVerdict::slower;
  if (slower && pair.ratio) pair.regression = *pair.ratio > 1 + threshold;
  if (slower && pair.basis == CompareBasis::counters) pair.regression = true;
  if (pair.verdict != CompareVerdict::undecided || pair.basis == CompareBasis::measured) return;
  const auto counted = counter_verdict(pair.counters, threshold);
  if (!counted.rises || counted.falls) return;
  pair.regression = true;
  pair.why += fmt::format("{}counted more: {}", pair.why.empty() ? "" : "; ", join(counted.which));
}

/// By modelled times, else by counters, else not at all.
void judge_unmeasured(const RatioErrors& errors, double threshold, const std::string& apart, ComparedPair& pair) {
  std::string why = apart;
  if (pair.a.modelled && pair.b.modelled) {
    const auto unsure = modelled_apart(*pair.a.modelled, *pair.b.modelled);
    if (unsure.empty()) {
      judge_modelled(errors, threshold, pair);
      if (!apart.empty()) pair.warnings.push_back(apart);
      return;
    }
    why += (why.empty() ? "" : "; ") + unsure;
  } else if (!pair.a.counters.empty() && !pair.b.counters.empty() && pair.a.counted_at == pair.b.counted_at) {
    judge_counted(threshold, pair);
    if (!apart.empty()) pair.warnings.push_back(apart);
    return;
  }
  if (why.empty()) {
    const auto& missing = pair.b.unmodelled.empty() ? pair.a.unmodelled : pair.b.unmodelled;
    why = missing.empty() ? "neither times nor counters that both have" : "no modelled time: " + missing;
  }
  pair.why = why;
}

}  // namespace

void judge_pairs(Comparison& comparison, PairKind kind) {
  std::vector<RatioEstimate> estimates;
  std::vector<ComparedPair*> measured;
  for (auto& pair : comparison.pairs) {
    pair.counters = counter_differences(pair.a, pair.b);
    if (judged_by_answer(comparison.documents, pair)) continue;
    std::string apart;
    if (pair.a.measured && pair.b.measured) {
      apart = measured_apart(*pair.a.measured, *pair.b.measured);
      if (comparison.documents) pair.a.measured->in_turn = pair.b.measured->in_turn = false;  // of another one each
      const auto estimate = apart.empty() ? ratio_estimate(*pair.a.measured, *pair.b.measured) : std::nullopt;
      if (apart.empty() && !estimate) apart = fmt::format("measured with fewer than {} samples", kFewestSamples);
      if (estimate) {
        estimates.push_back(*estimate);
        measured.push_back(&pair);
        continue;
      }
    }
    judge_unmeasured(ratio_errors(kind), comparison.threshold, apart, pair);
  }
  const auto& errors = ratio_errors(kind);
  comparison.odds = fmt::format(
      "{} pairs of {}, measured on {}", grouped(std::uint64_t(errors.pairs)),
      kind == PairKind::rungs ? "rungs of one lab" : "kernels of one program that nobody here wrote", errors.gpu);
  const auto judged = judged_ratios(estimates);
  for (std::size_t i = 0; i < measured.size(); ++i)
    judge_measured(estimates[i], judged[i], comparison.threshold, *measured[i]);
  for (auto& pair : comparison.pairs) look_for_regression(comparison.threshold, pair);
}

}  // namespace gpulab
