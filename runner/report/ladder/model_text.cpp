#include "runner/report/ladder/model_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "common/text.h"
#include "runner/report/ladder/rung_time.h"

namespace gpulab {

std::string modelled_text(const Result& r) {
  if (r.model && !r.model->validated)
    return fmt::format("{} on {}, bound: {}; an estimate that nobody has compared with that GPU: perhaps {} to {}",
                       duration_text(r.model->ms), r.model->gpu, r.model->bound, duration_text(r.model->low_ms),
                       duration_text(r.model->high_ms));
  if (r.model && !r.model->no_ground.empty())
    return fmt::format("{} on {}, bound: {}; no ground to say how near that is ({}): perhaps {} to {}",
                       duration_text(r.model->ms), r.model->gpu, r.model->bound, r.model->no_ground,
                       duration_text(r.model->low_ms), duration_text(r.model->high_ms));
  if (r.model)
    return fmt::format("{} on {}, bound: {}; not measured: nine times out of ten a GPU takes {} to {}",
                       duration_text(r.model->ms), r.model->gpu, r.model->bound, duration_text(r.model->low_ms),
                       duration_text(r.model->high_ms));
  return r.model_unavailable.empty() ? "" : "no: " + r.model_unavailable;
}

double bound_share(const ModelledTime& model) {
  const std::array<std::pair<std::string_view, double>, 7> shares{{{"issue", model.issue},
                                                                   {"fp32", model.fp32},
                                                                   {"shared_bandwidth", model.shared},
                                                                   {"l1_bandwidth", model.l1},
                                                                   {"l2_bandwidth", model.l2},
                                                                   {"dram_bandwidth", model.dram},
                                                                   {"atomics", model.atomics}}};
  for (const auto& [bound, share] : shares)
    if (bound == model.bound) return share;
  return 0;
}

namespace {

/// Rungs of a ladder whose blocks leave most SMs idle: their order is that of the size, not theirs. One block is a
/// rung's own choice.
std::string about_small(const Run& run) {
  std::map<std::string, bool> is_small;  // at every point of a sweep
  std::vector<std::string> rungs;
  int sm_count = 0;
  for (const auto& r : run.results) {
    if (!r.model || !r.spread) continue;
    sm_count = r.spread->sm_count;
    const bool small = r.spread->sms_used > 1 && 2 * r.spread->sms_used <= sm_count;
    const auto [known, is_new] = is_small.emplace(r.variant, small);
    known->second &= small;
    if (is_new) rungs.push_back(r.variant);
  }
  const bool is_ladder = rungs.size() > 1;
  std::erase_if(rungs, [&](const std::string& rung) { return !is_small[rung]; });
  if (rungs.empty() || !is_ladder) return {};
  return fmt::format(
      " At this size {} {} blocks for at most half of the {} SMs: a larger one may order the rungs otherwise.",
      join(rungs), rungs.size() == 1 ? "has" : "have", sm_count);
}

/// What the words of near times mean (rung_time.h), where rungs stand beside one another.
std::string about_near(const Run& run) {
  const bool is_ladder = std::any_of(run.results.begin(), run.results.end(),
                                     [](const Result& r) { return r.model && !r.built_on.empty(); });
  if (!is_ladder) return {};
  const bool validated = std::all_of(run.results.begin(), run.results.end(),
                                     [](const Result& r) { return !r.model || r.model->validated; });
  if (!validated)
    return fmt::format(" \"About as fast\" is less than {:g} times apart; \"probably\" less than {:g}.", kAboutTheSame,
                       kEstimatesToldApart);
  return fmt::format(
      " \"About as fast\" is less than {:g} times apart; \"probably\" less than {:g}, where a GPU had six of seven "
      "pairs "
      "in this order (of those further apart 98 of 100).",
      kAboutTheSame, kToldApart);
}

}  // namespace

std::string about_modelled(const Run& run) {
  const auto first = std::find_if(run.results.begin(), run.results.end(), [](const Result& r) { return r.model; });
  if (first == run.results.end()) return {};
  if (!first->model->validated)
    return fmt::format(
        "Modelled times are estimates of what {} would take with a cold L2, full of what others wrote; nobody has "
        "compared "
        "them with that GPU.{}{}",
        first->model->gpu, about_near(run), about_small(run));
  return fmt::format(
      "Modelled times are what {} would take with a cold L2, full of what others wrote; worked out, not measured; nine "
      "of ten measured times lie within a factor of {:.1f} of them.{}{}",
      first->model->gpu, first->model->high_ms / first->model->ms, about_near(run), about_small(run));
}

std::string why_unmodelled(const Run& run) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;  // each with its rungs, in their order
  std::size_t ran = 0, lacking = 0;
  for (const auto& r : run.results) {
    if (r.model || !r.model_unavailable.empty()) ++ran;
    if (r.model_unavailable.empty()) continue;
    ++lacking;
    auto reason = std::find_if(reasons.begin(), reasons.end(),
                               [&](const auto& known) { return known.first == r.model_unavailable; });
    if (reason == reasons.end()) reason = reasons.insert(reason, {r.model_unavailable, {}});
    auto& rungs = reason->second;
    if (std::find(rungs.begin(), rungs.end(), r.variant) == rungs.end()) rungs.push_back(r.variant);
  }
  std::vector<std::string> sentences;
  for (const auto& [reason, rungs] : reasons) {
    const bool all = reasons.size() == 1 && lacking == ran;  // what holds of all needs no names
    sentences.push_back(fmt::format("No modelled time{}: {}.", all ? "" : " of " + join(rungs), reason));
  }
  return join(sentences, " ");
}

}  // namespace gpulab
