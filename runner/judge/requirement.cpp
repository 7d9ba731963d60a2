#include "runner/judge/requirement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/counters.h"
#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

constexpr std::array beyond_counters{"sms_used", "waves", "tail", "model.time_ms", "modelled_time"};
constexpr double us_per_ms = 1000;
constexpr std::array operators{"==", "!=", ">=", "<=", ">", "<"};

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

Error no_form(const std::string& text) {
  return usage_error(fmt::format("--require: '{}' is not of the form COUNTER OP VALUE", text),
                     "as in 'shared_load_bank_conflicts==0', 'warp_instructions<=1.3*tiled_padded'");
}

void check_counter(const std::string& name) {
  if (find_counter(name) != nullptr || std::ranges::count(beyond_counters, name) > 0) return;
  std::vector<std::string> names(beyond_counters.begin(), beyond_counters.end());
  for (const auto& row : counter_table()) names.emplace_back(row.name);
  throw usage_error(fmt::format("--require: unknown counter '{}'", name),
                    did_you_mean(name, names, "'gpulab list --metrics' shows all"));
}

/// Ratios are fractions of 1. One that is compared with a percentage is never reached, or always.
void check_fraction(const Requirement& made) {
  constexpr double no_fraction = 10;
  const auto* counter = find_counter(made.counter);
  if (!made.rung.empty() || counter == nullptr || counter->unit != CounterUnit::ratio || made.value < no_fraction)
    return;
  throw usage_error(
      fmt::format("--require: {} is a ratio, and '{}' asks for {:g}%", made.counter, made.text, 100 * made.value),
      fmt::format("for {:g}%: '{}{}{:g}'", made.value, made.counter, made.op, made.value / 100));
}

/// Chance decides whether a modelled time is one exact number.
void check_time(const Requirement& made) {
  if (is_modelled_time(made.counter) && (made.op == "==" || made.op == "!="))
    throw usage_error(fmt::format("--require: '{}' asks for one exact modelled time", made.text),
                      "as in 'model.time_ms<=1.3*RUNG': a model is right within an interval");
}

void check_rung(const std::string& name, const Lab& lab, const std::vector<std::string>& further) {
  if (std::ranges::count(further, name) > 0) return;
  auto names = further;
  for (const auto& variant : lab.variants) {
    if (variant.name == name && !variant.kernel.empty() && !variant.gpu_only) return;
    if (!variant.kernel.empty() && !variant.gpu_only) names.push_back(variant.name);
  }
  throw usage_error(fmt::format("--require: {} has no rung '{}' that the simulator runs", lab.name, name),
                    did_you_mean(name, names, "rungs: " + join(names)));
}

Requirement parse(const std::string& text, const Lab& lab, const std::vector<std::string>& further) {
  Requirement made{.text = text};
  const auto at = text.find_first_of("=!<>");
  if (at == std::string::npos) throw no_form(text);
  const auto op =
      std::ranges::find_if(operators, [&](const char* o) { return text.compare(at, std::string(o).size(), o) == 0; });
  if (op == operators.end()) throw no_form(text);
  made.op = *op;
  made.counter = trimmed(text.substr(0, at));
  auto right = trimmed(text.substr(at + made.op.size()));
  if (const auto star = right.find('*'); star != std::string::npos) {
    made.rung = trimmed(right.substr(star + 1));
    right = trimmed(right.substr(0, star));
  } else if (!right.empty() && right.find_first_not_of("0123456789.") == 0) {
    made.rung = right;  // the factor is 1
    right = "1";
  }
  const auto value = parse_real(right);
  if (!value) throw no_form(text);
  made.value = *value;
  check_counter(made.counter);
  check_time(made);
  check_fraction(made);
  if (!made.rung.empty()) check_rung(made.rung, lab, further);
  return made;
}

bool holds(double left, const std::string& op, double right) {
  if (op == "==") return left == right;
  if (op == "!=") return left != right;
  if (op == ">=") return left >= right;
  if (op == "<=") return left <= right;
  return op == ">" ? left > right : left < right;
}

/// "1200", "0.875".
std::string number(double value) { return fmt::format("{:.10g}", value); }

/// The two sides of a requirement, in one unit.
struct Comparison {
  double value = 0, bound = 0;
  double nearest = 0;  ///< of what the value may be, the end that is nearest to what was asked for
  std::optional<double> zero{};
  std::string text{};
};

Comparison comparison(const Requirement& asked, const Measured& own, const Measured& theirs) {
  const double unit = asked.rung.empty() ? 1 : *theirs.value;
  Comparison made{.value = *own.value, .bound = asked.value * unit, .nearest = *own.value};
  if (asked.zero_at) made.zero = *asked.zero_at * unit;
  const auto against = asked.rung.empty() ? number(made.bound)
                                          : fmt::format("{} ({} * {} of {})", number(made.bound), number(asked.value),
                                                        number(unit), asked.rung);
  made.text = fmt::format("{} is {}, asked for {} {}", asked.counter, number(*own.value), asked.op, against);
  return made;
}

/// Against a rung in times of the rung's.
Comparison comparison_of_times(const Requirement& asked, const Measured& own, const Measured& theirs) {
  Comparison made{.value = *own.value, .bound = asked.value, .zero = asked.zero_at};
  double low = own.low, high = own.high;
  if (!asked.rung.empty()) {
    made.value /= *theirs.value;
    low /= theirs.high;
    high /= theirs.low;
  }
  made.nearest = asked.op.starts_with('<') ? low : high;
  const auto what = asked.rung.empty()
                        ? fmt::format("{:.4g} (modelled: {:.4g} to {:.4g})", made.value, low, high)
                        : fmt::format("{:.4g} times that of {} (both are modelled: {:.4g} to {:.4g} times)", made.value,
                                      asked.rung, low, high);
  made.text = fmt::format("{} is {}, asked for {} {}", asked.counter, what, asked.op, number(made.bound));
  return made;
}

/// 1 at the bound, 0 where zero_at is and beyond.
double nearness(const Comparison& compared) {
  if (!compared.zero || *compared.zero == compared.bound) return 0;
  return std::clamp((*compared.zero - compared.nearest) / (*compared.zero - compared.bound), 0.0, 1.0);
}

}  // namespace

std::vector<Requirement> parse_requirements(const std::string& text, const Lab& lab,
                                            const std::vector<std::string>& further_rungs) {
  std::vector<Requirement> all;
  for (const auto& part : split(text, ',')) all.push_back(parse(trimmed(part), lab, further_rungs));
  return all;
}

bool is_modelled_time(std::string_view counter) { return counter == "model.time_ms" || counter == "modelled_time"; }

std::string why_no_time(const Result& result) {
  if (result.model) return result.model->validated ? "" : "the modelled times of this GPU have not been validated";
  return result.model_unavailable.empty() ? result.message : result.model_unavailable;
}

std::optional<double> measured(const Result& result, const std::string& counter) {
  if (is_modelled_time(counter) || counter == "model.low_ms" || counter == "model.high_ms") {
    if (!result.model || !result.model->validated) return std::nullopt;
    const auto& model = *result.model;
    return counter == "modelled_time"   ? us_per_ms * model.ms
           : counter == "model.low_ms"  ? model.low_ms
           : counter == "model.high_ms" ? model.high_ms
                                        : model.ms;
  }
  if (counter == "sms_used") return result.spread ? std::optional<double>(result.spread->sms_used) : std::nullopt;
  if (counter == "waves") return result.spread ? result.spread->waves : std::nullopt;
  if (counter == "tail") return result.spread ? result.spread->tail : std::nullopt;
  const auto* row = find_counter(counter);
  return row != nullptr && result.counters ? row->value(*result.counters) : std::nullopt;
}

Measured measured_time(const std::string& counter, const NamedValue& value_of, std::string problem) {
  const double unit = counter == "modelled_time" ? us_per_ms : 1;
  return {.value = value_of(counter),
          .problem = std::move(problem),
          .low = unit * value_of("model.low_ms").value_or(0),
          .high = unit * value_of("model.high_ms").value_or(0)};
}

Measured measured_with_reason(const Result& result, const std::string& counter) {
  if (!is_modelled_time(counter)) return {.value = measured(result, counter), .problem = result.message};
  return measured_time(
      counter, [&](const std::string& name) { return measured(result, name); }, why_no_time(result));
}

JudgedRequirement judged(const Requirement& requirement, const Measured& own, const Measured& theirs) {
  JudgedRequirement made{.text = requirement.text, .counter = requirement.counter};
  const bool model = is_modelled_time(requirement.counter);
  if (!own.value) {
    made.verdict = model ? Verdict::pending : Verdict::failed;
    made.message = model ? "there is no modelled time: " + own.problem
                         : fmt::format("{} is not defined: the kernel does nothing of the kind", requirement.counter);
    return made;
  }
  if (!requirement.rung.empty() && (!theirs.value || (model && !(*theirs.value > 0)))) {
    made.verdict = Verdict::pending;
    made.message = fmt::format("rung {} has no {} here{}", requirement.rung, requirement.counter,
                               theirs.problem.empty() ? "" : ": " + theirs.problem);
    return made;
  }
  const auto compared = model ? comparison_of_times(requirement, own, theirs) : comparison(requirement, own, theirs);
  made.value = compared.value;
  made.bound = compared.bound;
  made.verdict = holds(compared.nearest, requirement.op, compared.bound) ? Verdict::passed : Verdict::failed;
  made.share = made.verdict == Verdict::passed ? 1 : nearness(compared);
  made.message = compared.text;
  if (made.verdict == Verdict::passed && !holds(compared.value, requirement.op, compared.bound))
    made.message += ", and may be that";
  if (made.share < 1 && compared.zero)
    made.message += fmt::format(": {:.0f} % of the points, none from {} on", 100 * made.share, number(*compared.zero));
  return made;
}

JudgedRequirement judged(const Requirement& requirement, const Result& own, const std::vector<Result>& rungs) {
  const auto rung = std::ranges::find(rungs, requirement.rung, &Result::variant);
  Measured theirs;
  if (rung != rungs.end()) theirs = measured_with_reason(*rung, requirement.counter);
  return judged(requirement, measured_with_reason(own, requirement.counter), theirs);
}

}  // namespace gpulab
