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

constexpr double wavefront_bytes = 128, schedulers = 4;  // of an SM
constexpr double widest_words = 4;                       // that one instruction loads

/// What one case did, as far as it is known.
struct Demand {
  double ms = 0, flops = 0, declared_bytes = 0;
  double bytes = 0, written = 0;  ///< of memory, distinct sectors
  double instructions = 0, shared_bytes = 0;
  int launches = 1;
  bool by_tensors = false;    ///< perhaps
  bool is_other_mix = false;  ///< counts of a smaller case do not say what SMs do
  std::string missing{};
};

Work declared_work(const Lab& lab, const SweepCase& swept) {
  if (lab.file || !swept.variant) return {};
  return swept.variant->work ? swept.variant->work(swept.settings) : lab.work ? lab.work(swept.settings) : Work{};
}

/// What the model says that the GPU does: machine instructions, of which PTX often needs more (a multiplication and the
/// addition behind it are one, moves vanish), and bytes of shared memory, of whose neighbouring accesses ptxas makes
/// wide ones, so that they may take a quarter of the wavefronts that are counted.
struct ModelledDemand {
  double instructions = 0, shared_bytes = 0;
};
ModelledDemand modelled_demand(const ModelledTime& model) {
  const auto& gpu = gpu_profile(model.gpu);
  const auto* known = simt::gpu_timing(model.gpu);
  const double ghz = (known != nullptr ? *known : simt::estimated_timing(gpu)).clock_ghz;
  const double cycles = model.kernel_ms * 1e6 * ghz * model.sms_used;
  return {model.issue * cycles * schedulers, model.shared * cycles * wavefront_bytes};
}

/// Of the case that was simulated beside a GPU.
Work smaller_work(const Lab& lab, const SweepCase& swept, const Result& r) {
  SweepCase smaller = swept;
  for (const auto& [name, value] : r.counters_params) smaller.settings.params.values[name] = value;
  return declared_work(lab, smaller);
}

/// Counts of a smaller case, simulated beside a GPU, stand for the large one by their proportion to its bytes. Where
/// operations grow faster than bytes (a product's), what SMs do goes by neither: a part is of its loops, a part of what
/// surrounds them (by operations an H100 seemed to issue 1.4 times what it can), and nobody knows it.
void add_counts(const Lab& lab, const SweepCase& swept, const Result& r, Demand& demand) {
  if (!r.counters) return;
  const auto& c = *r.counters;
  demand.written = static_cast<double>(c["global_write_footprint_bytes"]);
  demand.bytes = static_cast<double>(c["global_read_footprint_bytes"]) + demand.written;
  demand.instructions = static_cast<double>(c["warp_instructions"]);
  demand.shared_bytes =
      wavefront_bytes * static_cast<double>(c["shared_load_wavefronts"] + c["shared_store_wavefronts"]);
  if (r.model) {
    const auto modelled = modelled_demand(*r.model);
    demand.instructions = std::min(demand.instructions, modelled.instructions);
    demand.shared_bytes = std::min(demand.shared_bytes, modelled.shared_bytes);
  }
  if (r.counters_params.empty() || !(demand.bytes > 0)) return;
  if (!(demand.declared_bytes > 0)) {
    demand.missing = "its counters are of a smaller case, and nobody declares its bytes";
    return;
  }
  const double larger = demand.declared_bytes / demand.bytes, small_flops = smaller_work(lab, swept, r).flops;
  for (auto* value : {&demand.bytes, &demand.written, &demand.instructions, &demand.shared_bytes}) *value *= larger;
  constexpr double nearly = 1.1;
  const double busier = demand.flops > 0 && small_flops > 0 ? demand.flops / small_flops : larger;
  if (busier < larger * nearly && larger < busier * nearly) return;
  demand.instructions = demand.shared_bytes = 0;
  demand.is_other_mix = true;
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
  add_counts(lab, swept, r, demand);
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

/// Why a ceiling does not bound what takes this share of it, above 1; empty: nothing explains it.
std::string why_not_bound(const std::string& ceiling, const Demand& demand, double l2_bytes, double share) {
  if (ceiling == "memory" && demand.bytes <= l2_bytes)
    return fmt::format("its {} fit into L2, which has {}", bytes_text(demand.bytes), bytes_text(l2_bytes));
  const double stays = std::min(demand.written, l2_bytes);
  if (ceiling == "memory" && share * (1 - stays / demand.bytes) <= 1)
    return fmt::format("{} of what it writes may stay in L2", bytes_text(stays));
  if (demand.by_tensors && (ceiling == "fp32" || ceiling == "fp16"))
    return "tensor cores do it, of which no ceiling is known here";
  if (ceiling == "launch" && demand.launches > 1) return "its launches overlap";
  return {};
}

std::string why_above(const std::string& ceiling, double share) {
  if (ceiling == "shared" && share <= widest_words)
    return "ptxas makes one wide load of loads of neighbours, which are counted one by one here";
  if (ceiling == "issue") return "ptxas makes fewer instructions of those of PTX, which are counted here";
  if (ceiling == "memory") return "not explained: is the work declared that it does?";
  return "not explained: is it done by other units, or at a higher clock than the ceiling?";
}

void add_share(CeilingShare share, const Demand& demand, double l2_bytes, RooflineRow& row) {
  if (share.share > 1) {
    if (auto why = why_not_bound(share.ceiling, demand, l2_bytes, share.share); !why.empty()) {
      row.not_bound_by.push_back({share.ceiling, std::move(why)});
      return;
    }
    share.why = why_above(share.ceiling, share.share);
  }
  row.shares.push_back(std::move(share));
}

void add_rate(const Roofline& roofline, const std::string& name, double per_ms, const Demand& demand, double l2_bytes,
              RooflineRow& row) {
  const auto* ceiling = roofline.ceiling(name);
  if (ceiling == nullptr || !(ceiling->value > 0) || !(per_ms > 0)) return;
  add_share({name, per_ms / (ceiling->value * 1e6)}, demand, l2_bytes, row);  // GB/s and GFLOP/s: 10^6 a millisecond
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
  const auto add = [&](const std::string& ceiling, double amount) {
    add_rate(roofline, ceiling, amount / demand.ms, demand, l2_bytes, row);
  };
  add("memory", demand.bytes);
  if (!roofline.of_instructions) add(row.roof, demand.flops);
  add("issue", demand.instructions);
  add("shared", demand.shared_bytes);
  if (const auto* launch = roofline.ceiling("launch"))
    add_share({"launch", demand.launches * launch->value / (1000 * demand.ms)}, demand, l2_bytes, row);
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
  if (std::ranges::any_of(demands, &Demand::is_other_mix))
    roofline.notes.emplace_back(
        "instructions and shared memory were counted of a smaller case, which has another number of operations for a "
        "byte: no shares of them");
}

}  // namespace gpulab
