#pragma once
// Every name that a report puts a number to, and what it means: counters of the simulator, what follows from time and
// copies, and what labs work out of a case.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "labs/lab.h"

namespace gpulab {

/// counter: the simulator's; rate: what follows from time, copies or a counter, in any lab; fact: what one lab works
/// out; modelled: the profilers' metrics of time, which --metrics shows as the model has them.
enum class MetricKind { counter, rate, modelled, fact };

struct ListedMetric {
  MetricKind kind = MetricKind::counter;
  std::string name;  ///< an N that ends it stands for a number: launches_depth_N
  std::string unit;  ///< of counters "count", "ratio" or "mean"; of others as in results, empty for a plain number
  std::string definition;
  std::string ncu{}, nvprof{};  ///< Nsight Compute's name and nvprof's; empty: it has none
  std::string lab{};            ///< of a fact
  bool simulated = false;       ///< in results of the simulator, or, of a GPU, under --counters
  bool measured = false;        ///< in results of a GPU
};

/// What `gpulab list --metrics` lists: counters first, then what time and copies give, then what labs add.
[[nodiscard]] std::vector<ListedMetric> listed_metrics(std::span<const Lab> labs);

/// The meaning of a metric of a result of `lab`, or null.
[[nodiscard]] const ListedMetric* meaning_of(std::span<const ListedMetric> metrics, std::string_view lab,
                                             std::string_view name);

}  // namespace gpulab
