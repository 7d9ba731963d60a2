#include "runner/roofline/shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/gpu_profile.h"
#include "common/simt/timing/gpu_timing.h"
#include "common/text.h"
#include "runner/report/plots/panels.h"

namespace gpulab {
namespace {

constexpr double wavefront_bytes = 128;
constexpr double widest_words = 4;  // that one instruction loads

/// What one case did, as far as it is known.
struct Demand {
  double ms = 0, flops = 0, declared_bytes = 0;
  double bytes = 0, written = 0;  ///< of memory, distinct sectors
  double instructions = 0, shared_bytes = 0;
  int launches = 1;
  bool by_tensors = false;  ///< perhaps
  std::string missing{};
};

Work declared_work(const Lab& lab, const SweepCase& swept) {
  if (lab.file || !swept.variant) return {};
  return swept.variant->work ? swept.variant->work(swept.settings) : lab.work ? lab.work(swept.settings) : Work{};
}

/// What the model has shared memory do. Of loads of neighbouring words ptxas makes wide ones, which PTX's counts do not
/// know: they may take a quarter of the wavefronts that are counted.
double modelled_shared_bytes(const ModelledTime& model) {
  const auto& gpu = gpu_profile(model.gpu);
  const auto* known = simt::gpu_timing(model.gpu);
  const double ghz = (known != nullptr ? *known : simt::estimated_timing(gpu)).clock_ghz;
  return model.shared * model.kernel_ms * 1e6 * ghz * wavefront_bytes * model.sms_used;
}

/// Counts of a smaller case, simulated beside a GPU, stand for the large one by their proportion to its bytes.
void add_counts(const Result& r, Demand& demand) {
  if (!r.counters) return;
  const auto& c = *r.counters;
  demand.written = static_cast<double>(c["global_write_footprint_bytes"]);
  demand.bytes = static_cast<double>(c["global_read_footprint_bytes"]) + demand.written;
  demand.instructions = static_cast<double>(c["warp_instructions"]);
  demand.shared_bytes =
      wavefront_bytes * static_cast<double>(c["shared_load_wavefronts"] + c["shared_store_wavefronts"]);
  if (r.model) demand.shared_bytes = std::min(demand.shared_bytes, modelled_shared_bytes(*r.model));
  if (r.counters_params.empty() || !(demand.bytes > 0)) return;
  if (!(demand.declared_bytes > 0)) {
    demand.missing = "its counters are of a smaller case, and nobody declares its bytes";
    return;
  }
  const double larger = demand.declared_bytes / demand.bytes;
  for (auto* value : {&demand.bytes, &demand.written, &demand.instructions, &demand.shared_bytes}) *value *= larger;
}

bool may_use_tensors(const Variant& variant) {
  return variant.min_compute_capability >= 70 || variant.vendor.run != nullptr;
}

Demand demand_of(const Lab& lab, const SweepCase& swept, const Result& r, bool measured) {
  Demand demand;
  if (r.status != CaseStatus::ok) {
    demand.missing = r.message.empty() ? std::string(to_text(r.status)) : r.message;
    return demand;
  }
  const auto work = declared_work(lab, swept);
  if (work.over_link) {
    demand.missing = "its bytes cross the link to the host";
    return demand;
  }
  demand.flops = work.flops;
  demand.by_tensors = swept.variant != nullptr && may_use_tensors(*swept.variant);
  demand.declared_bytes = work.bytes;
  if (measured && r.timing && r.timing->source == TimeSource::cuda_events) demand.ms = r.timing->median_ms;
  if (!measured && r.model) demand.ms = r.model->ms;
  if (!(demand.ms > 0))
    demand.missing = measured                      ? "it was not measured"
                     : r.model_unavailable.empty() ? "it has no modelled time"
                                                   : "no modelled time: " + r.model_unavailable;
  if (r.launch) demand.launches = r.launch->launches;
  add_counts(r, demand);
  if (!(demand.bytes > 0)) demand.bytes = demand.declared_bytes;
  return demand;
}

/// The ceiling over a row's operations.
std::string flat_roof(const Roofline& roofline, const SweepCase& swept) {
  if (roofline.of_instructions) return "issue";
  const auto& values = swept.settings.params.values;
  const auto type = values.find("type");
  const auto* word = type != values.end() ? std::get_if<std::string>(&type->second) : nullptr;
  if (roofline.ceiling("tensor bf16") != nullptr && may_use_tensors(*swept.variant)) return "tensor bf16";
  if (word != nullptr && *word == "double") return "fp64";
  const bool is_half = word != nullptr && (*word == "half" || *word == "bf16");
  return is_half && roofline.ceiling("fp16") != nullptr ? "fp16" : "fp32";
}

/// How more than all of a ceiling can be taken.
std::string why_above(const std::string& ceiling, const Demand& demand, double l2_bytes, double share) {
  if (ceiling == "memory" && demand.bytes <= l2_bytes)
    return fmt::format("its {} fit into L2, which has {}", bytes_text(demand.bytes), bytes_text(l2_bytes));
  const double stays = std::min(demand.written, l2_bytes);
  if (ceiling == "memory" && share * (1 - stays / demand.bytes) <= 1)
    return fmt::format("{} of what it writes may stay in L2", bytes_text(stays));
  if (demand.by_tensors && (ceiling == "fp32" || ceiling == "fp16"))
    return "tensor cores do it, of which no ceiling is known here";
  if (ceiling == "launch") return "its launches overlap";
  if (ceiling == "shared" && share <= widest_words)
    return "ptxas makes one wide load of loads of neighbours, which are counted one by one here";
  if (ceiling == "memory") return "not explained: is the work declared that it does?";
  return "not explained: is it done by other units, or at a higher clock than the ceiling?";
}

void add_share(const Roofline& roofline, const std::string& name, double per_ms, const Demand& demand, double l2_bytes,
               RooflineRow& row) {
  const auto* ceiling = roofline.ceiling(name);
  if (ceiling == nullptr || !(ceiling->value > 0) || !(per_ms > 0)) return;
  CeilingShare share{name, per_ms / (ceiling->value * 1e6)};  // GB/s and GFLOP/s: 10^6 a millisecond
  if (share.share > 1) share.why = why_above(name, demand, l2_bytes, share.share);
  row.shares.push_back(std::move(share));
}

RooflineRow row_of(const Roofline& roofline, const SweepCase& swept, const Demand& demand, double l2_bytes,
                   std::string name) {
  RooflineRow row{.name = std::move(name), .missing = demand.missing, .ms = demand.ms};
  row.operations = roofline.of_instructions ? demand.instructions : demand.flops;
  row.bytes = demand.bytes;
  if (row.missing.empty() && !(row.operations > 0)) row.missing = "nobody has counted its operations";
  if (row.missing.empty() && !(row.bytes > 0)) row.missing = "it touches no memory";
  if (!row.missing.empty()) return row;
  row.roof = flat_roof(roofline, swept);
  add_share(roofline, "memory", demand.bytes / demand.ms, demand, l2_bytes, row);
  if (!roofline.of_instructions) add_share(roofline, row.roof, demand.flops / demand.ms, demand, l2_bytes, row);
  add_share(roofline, "issue", demand.instructions / demand.ms, demand, l2_bytes, row);
  add_share(roofline, "shared", demand.shared_bytes / demand.ms, demand, l2_bytes, row);
  if (const auto* launch = roofline.ceiling("launch")) {
    CeilingShare share{"launch", demand.launches * launch->value / (1000 * demand.ms)};
    if (share.share > 1) share.why = why_above("launch", demand, l2_bytes, share.share);
    row.shares.push_back(std::move(share));
  }
  std::ranges::stable_sort(row.shares, [](const auto& a, const auto& b) { return a.share > b.share; });
  return row;
}

}  // namespace

void add_rows(const Lab& lab, const std::vector<SweepCase>& cases, const Run& run, Roofline& roofline) {
  std::vector<Demand> demands;
  for (std::size_t i = 0; i < run.results.size(); ++i)
    demands.push_back(demand_of(lab, cases[i], run.results[i], roofline.measured));
  const auto declares = [](const Demand& one) { return !one.missing.empty() || one.flops > 0; };
  const auto is_known = [](const Demand& one) { return one.missing.empty(); };
  roofline.of_instructions =
      !std::ranges::all_of(demands, declares) || std::ranges::none_of(demands, is_known) || lab.file != nullptr;
  roofline.bytes = "distinct sectors of memory that a run touches, once each, or the bytes that the lab declares";
  double l2_bytes = 0;
  if (!run.device.profile.empty()) l2_bytes = static_cast<double>(gpu_profile(run.device.profile).l2_bytes);
  for (std::size_t i = 0; i < run.results.size(); ++i)
    roofline.rows.push_back(row_of(roofline, cases[i], demands[i], l2_bytes, label_of(run, run.results[i])));
}

}  // namespace gpulab
