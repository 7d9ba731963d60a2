#include "tests/fidelity/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "common/device/simulated.h"
#include "common/gpu_profile.h"
#include "tests/fidelity/suite.h"
#include "tests/folder.h"

namespace gpulab::fidelity {
namespace {

constexpr double kNoise = 0.05;  // of the wavefronts

/// One of our counters, and the ncu metrics that add up to it.
struct Exact {
  const char* name;
  std::uint64_t Counters::*field;
  std::vector<std::string> metrics;
};
const Exact kExact[] = {
    {"global_load_requests", &Counters::global_load_requests, {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}},
    {"global_store_requests", &Counters::global_store_requests, {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}},
    {"global_load_sectors", &Counters::global_load_sectors, {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
    {"global_store_sectors", &Counters::global_store_sectors, {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}},
    {"local_load_sectors", &Counters::local_load_sectors, {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"}},
    {"local_store_sectors", &Counters::local_store_sectors, {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"}},
    {"global_atomic_requests",
     &Counters::global_atomic_requests,
     {"smsp__inst_executed_op_global_red.sum", "smsp__inst_executed_op_global_atom.sum"}},
    {"shared_atomic_requests", &Counters::shared_atomic_requests, {"smsp__inst_executed_op_shared_atom.sum"}},
};

struct Noisy {
  const char* op;
  std::uint64_t Counters::*wavefronts;
  std::uint64_t Counters::*conflicts;
  const char* wavefront_metric;
  const char* conflict_metric;
};
constexpr Noisy kNoisy[] = {
    {"shared_load", &Counters::shared_load_wavefronts, &Counters::shared_load_bank_conflicts,
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"shared_store", &Counters::shared_store_wavefronts, &Counters::shared_store_bank_conflicts,
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
};

double metric(const Metrics& metrics, const std::string& name) {
  const auto found = metrics.find(name);
  if (found == metrics.end()) throw std::runtime_error("the data have no " + name);
  return found->second;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The first `count` fields of a line and what remains, which may contain commas.
std::vector<std::string> fields(const std::string& line, std::size_t count, const std::string& where) {
  std::vector<std::string> found;
  std::size_t at = 0;
  while (found.size() + 1 < count) {
    const std::size_t comma = line.find(',', at);
    if (comma == std::string::npos) throw std::runtime_error(fmt::format("{}: {} fields expected", where, count));
    found.push_back(line.substr(at, comma - at));
    at = comma + 1;
  }
  found.push_back(line.substr(at));
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

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

HardwareData parse_hardware(const std::string& text, const std::string& file) {
  HardwareData data;
  data.gpu = std::filesystem::path(file).stem().string().substr(std::string("fidelity_").size());
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string where = fmt::format("{}:{}", file, i + 1);
    if (lines[i].starts_with("# ")) {
      const auto colon = lines[i].find(": ");
      if (colon != std::string::npos) data.about[lines[i].substr(2, colon - 2)] = lines[i].substr(colon + 2);
    } else if (lines[i] != "kernel,counter,value") {
      const auto row = fields(lines[i], 3, where);
      data.cases[row[0]][row[1]] = number(row[2], where);
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

std::vector<Difference> differences(const std::string& gpu, const std::string& name, const Counters& counters,
                                    const Metrics& metrics) {
  std::vector<Difference> found;
  const auto judge = [&](const std::string& counter, double ours, double theirs, double allowed) {
    if (std::abs(ours - theirs) > allowed) found.push_back({gpu, name, counter, ours, theirs});
  };
  for (const Exact& exact : kExact) {
    double theirs = 0;
    for (const auto& one : exact.metrics) theirs += metric(metrics, one);
    judge(exact.name, static_cast<double>(counters.*exact.field), theirs, 0);
  }
  for (const Noisy& noisy : kNoisy) {
    const std::string op = noisy.op;
    const auto ours = static_cast<double>(counters.*noisy.wavefronts);
    const auto our_conflicts = static_cast<double>(counters.*noisy.conflicts);
    const double theirs = metric(metrics, noisy.wavefront_metric);
    const double their_conflicts = metric(metrics, noisy.conflict_metric);
    const double allowed = kNoise * std::max(ours, theirs);
    judge(op + "_wavefronts", ours, theirs, allowed);
    judge(op + "_bank_conflicts", our_conflicts, their_conflicts, allowed);
    judge(op + "_wavefronts - conflicts", ours - our_conflicts, theirs - their_conflicts, 0);
  }
  return found;
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

std::vector<std::string> disagreements(const HardwareData& data, std::span<const Residual> residuals) {
  const auto device = make_simulator(gpu_profile("h200"));
  for (const auto& module : suite_modules()) device->load(module);
  std::vector<std::string> wrong;
  std::vector<Difference> found;
  auto rest = data.cases;
  for (const Case& one : all_cases()) {
    const auto measured = rest.extract(one.name());
    if (measured.empty()) {
      wrong.push_back(fmt::format("{}: {}: not in the data", data.gpu, one.name()));
      continue;
    }
    (void)launch(*device, one);
    const auto here = differences(data.gpu, one.name(), *device->take_counters(), measured.mapped());
    found.insert(found.end(), here.begin(), here.end());
  }
  for (const auto& [name, metrics] : rest)
    wrong.push_back(fmt::format("{}: {}: the suite has no such case (any more)", data.gpu, name));
  const auto unlisted = unexplained(data.gpu, found, residuals);
  wrong.insert(wrong.end(), unlisted.begin(), unlisted.end());
  return wrong;
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
