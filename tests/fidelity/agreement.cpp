#include "tests/fidelity/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "tests/fidelity/suite.h"
#include "tests/folder.h"

namespace gpulab::fidelity {
namespace {

constexpr double kNoise = 0.05;  // of the wavefronts

/// Names of one thing: which of them ncu has differs between its versions and GPUs.
using Metric = std::vector<std::string>;

/// Warp instructions of atomics on global memory whose result is used, by what ncu calls them on one GPU or another: on
/// an H200 it does not know the first name (ncu 2025.3). scripts/compare_counters.py asks for the first that it knows.
const Metric kGlobalAtom = {"smsp__inst_executed_op_global_atom.sum", "smsp__sass_inst_executed_op_global_atom.sum",
                            "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"};

/// One of our counters, and the ncu metrics that add up to it.
struct Exact {
  CountName count;
  std::vector<Metric> metrics;
  bool optional = false;  ///< not judged where the data lack a metric
};
const Exact kExact[] = {
    {"global_load_requests", {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}}},
    {"global_store_requests", {{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}}},
    {"global_load_sectors", {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}}},
    {"global_store_sectors", {{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}}},
    {"local_load_sectors", {{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"}}},
    {"local_store_sectors", {{"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"}}},
    {"global_atomic_requests", {{"smsp__inst_executed_op_global_red.sum"}, kGlobalAtom}, true},
    {"shared_atomic_requests", {{"smsp__inst_executed_op_shared_atom.sum"}}},
};

struct Noisy {
  const char* op;
  CountName wavefronts, conflicts;
  const char* wavefront_metric;
  const char* conflict_metric;
};
constexpr Noisy kNoisy[] = {
    {"shared_load", "shared_load_wavefronts", "shared_load_bank_conflicts",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"shared_store", "shared_store_wavefronts", "shared_store_bank_conflicts",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
};

std::optional<double> measured(const Metrics& metrics, const Metric& names) {
  for (const auto& name : names)
    if (const auto found = metrics.find(name); found != metrics.end()) return found->second;
  return std::nullopt;
}

double metric(const Metrics& metrics, const Metric& names) {
  const auto value = measured(metrics, names);
  if (!value) throw std::runtime_error("the data have no " + names.front());
  return *value;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The fields of a line; from the `most`th on they are one, which may contain commas.
std::vector<std::string> fields(const std::string& line, std::size_t most) {
  std::vector<std::string> found;
  std::size_t at = 0;
  for (std::size_t comma = 0; found.size() + 1 < most && (comma = line.find(',', at)) != std::string::npos;
       at = comma + 1)
    found.push_back(line.substr(at, comma - at));
  found.push_back(line.substr(at));
  return found;
}
std::vector<std::string> fields(const std::string& line, std::size_t count, const std::string& where) {
  auto found = fields(line, count);
  if (found.size() != count) throw std::runtime_error(fmt::format("{}: {} fields expected", where, count));
  return found;
}

double number(const std::string& text, const std::string& where) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::logic_error&) {
    used = 0;
  }
  if (used == 0 || used != text.size()) throw std::runtime_error(fmt::format("{}: '{}' is no number", where, text));
  return value;
}

std::string text_of(const Difference& d) {
  return fmt::format("{}: {}: {}: simulator {}, hardware {}", d.gpu, d.name, d.counter, d.simulator, d.hardware);
}

/// An atomic on global memory whose result is used: PTX's `atom`, not its `red`.
bool fetches_from_global(const Case& one) {
  return std::any_of(one.steps.begin(), one.steps.end(),
                     [](const Step& step) { return step.action == Action::fetch && step.space != Space::shared; });
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

HardwareData parse_hardware(const std::string& text, const std::string& file) {
  HardwareData data;
  data.gpu = std::filesystem::path(file).stem().string().substr(std::string("fidelity_").size());
  std::vector<std::string> names;  // of the columns
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string where = fmt::format("{}:{}", file, i + 1);
    if (lines[i].starts_with("# ")) {
      const auto colon = lines[i].find(": ");
      if (colon != std::string::npos) data.about[lines[i].substr(2, colon - 2)] = lines[i].substr(colon + 2);
    } else if (names.empty()) {
      names = fields(lines[i], lines[i].size());
      if (names.front() != "case") throw std::runtime_error(where + ": 'case' and the metrics' names expected");
    } else {
      const auto row = fields(lines[i], names.size(), where);
      Metrics& metrics = data.cases[row[0]];
      for (std::size_t k = 1; k < row.size(); ++k)
        if (!row[k].empty()) metrics[names[k]] = number(row[k], where);
    }
  }
  for (const char* key : {"gpu", "driver", "ncu"})
    if (data.about[key].empty()) throw std::runtime_error(fmt::format("{}: no '# {}: ' line", file, key));
  return data;
}

std::vector<Residual> parse_residuals(const std::string& text, const std::string& file) {
  std::vector<Residual> residuals;
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("#") || lines[i] == "gpu,kernel,counter,simulator,hardware,cause") continue;
    const std::string where = fmt::format("{}:{}", file, i + 1);
    const auto row = fields(lines[i], 6, where);
    if (row[5].empty()) throw std::runtime_error(where + ": a residual without its cause");
    residuals.push_back({{row[0], row[1], row[2], number(row[3], where), number(row[4], where)}, row[5]});
  }
  return residuals;
}

std::vector<Judged> judged(const Counters& counters, const Metrics& metrics) {
  using Verdict = Judged::Verdict;
  std::vector<Judged> all;
  const auto judge = [&](const std::string& counter, double ours, double theirs, double noise) {
    const double apart = std::abs(ours - theirs);
    all.push_back({counter, ours, theirs,
                   apart == 0       ? Verdict::equal
                   : apart <= noise ? Verdict::within_noise
                                    : Verdict::differs});
  };
  for (const Exact& exact : kExact) {
    const auto ours = static_cast<double>(counters[exact.count]);
    const std::string name(counted_rows[exact.count.index()].name);
    const auto lacks = [&](const Metric& names) { return !measured(metrics, names); };
    if (exact.optional && std::any_of(exact.metrics.begin(), exact.metrics.end(), lacks)) {
      all.push_back({name, ours, 0, Verdict::not_measured});
      continue;
    }
    double theirs = 0;
    for (const auto& one : exact.metrics) theirs += metric(metrics, one);
    judge(name, ours, theirs, 0);
  }
  for (const Noisy& noisy : kNoisy) {
    const std::string op = noisy.op;
    const auto ours = static_cast<double>(counters[noisy.wavefronts]);
    const auto our_conflicts = static_cast<double>(counters[noisy.conflicts]);
    const double theirs = metric(metrics, {noisy.wavefront_metric});
    const double their_conflicts = metric(metrics, {noisy.conflict_metric});
    const double allowed = kNoise * std::max(ours, theirs);
    judge(op + "_wavefronts", ours, theirs, allowed);
    judge(op + "_bank_conflicts", our_conflicts, their_conflicts, allowed);
    judge(op + "_wavefronts - conflicts", ours - our_conflicts, theirs - their_conflicts, 0);
  }
  return all;
}

std::vector<std::string> unexplained(const std::string& gpu, std::span<const Difference> found,
                                     std::span<const Residual> residuals) {
  std::vector<std::string> wrong;
  for (const auto& one : found)
    if (std::none_of(residuals.begin(), residuals.end(), [&](const Residual& r) { return r.difference == one; }))
      wrong.push_back(text_of(one));
  for (const auto& residual : residuals)
    if (residual.difference.gpu == gpu && std::find(found.begin(), found.end(), residual.difference) == found.end())
      wrong.push_back(text_of(residual.difference) + ": listed as a residual, but not so (any more)");
  return wrong;
}

Comparison compare(const HardwareData& data, std::span<const Residual> residuals) {
  const auto device = make_simulator(gpu_profile("h200"));
  for (const auto& module : suite_modules()) device->load(module);
  Comparison comparison;
  std::vector<Difference> found;
  auto rest = data.cases;
  for (const Case& one : all_cases()) {
    auto measured = rest.extract(one.name());
    if (measured.empty()) {
      comparison.wrong.push_back(fmt::format("{}: {}: not in the data", data.gpu, one.name()));
      continue;
    }
    // Whatever ncu calls them: there are none.
    if (!fetches_from_global(one)) measured.mapped().try_emplace(kGlobalAtom.front(), 0);
    (void)launch(*device, one);
    const auto all = judged(*device->take_counters(), measured.mapped());
    comparison.table.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Judged& j = all[i];
      comparison.table[i].counter = j.counter;
      if (j.simulator != 0 || j.hardware != 0) ++comparison.table[i].cases[j.verdict];
      if (j.verdict == Judged::Verdict::differs)
        found.push_back({data.gpu, one.name(), j.counter, j.simulator, j.hardware});
    }
  }
  for (const auto& [name, metrics] : rest)
    comparison.wrong.push_back(fmt::format("{}: {}: the suite has no such case (any more)", data.gpu, name));
  const auto unlisted = unexplained(data.gpu, found, residuals);
  comparison.wrong.insert(comparison.wrong.end(), unlisted.begin(), unlisted.end());
  return comparison;
}

std::vector<std::string> data_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests::tests_folder() / "data")) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("fidelity_") && name.ends_with(".csv") && name != "fidelity_residuals.csv")
      files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

HardwareData read_hardware(const std::string& path) { return parse_hardware(file_text(path), path); }
std::vector<Residual> read_residuals(const std::string& path) { return parse_residuals(file_text(path), path); }

}  // namespace gpulab::fidelity
