// Random kernels on a device, against what each of their threads does by itself, and against the simulator.
// scripts/differential.py spreads it over the CPU's cores.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>

#include "common/device/gpu/gpu.h"
#include "common/simt/isa/instruction_set.h"
#include "tests/differential/generate.h"
#include "tests/differential/launcher.h"
#include "tests/differential/shrink.h"
#include "tests/differential/stored.h"
#include "tests/differential/write_ptx.h"

namespace gpulab::differential {
namespace {

constexpr int kFaulted = 4;  ///< exit code: a kernel that faults on a GPU ends what its process can do there

struct Options {
  std::uint64_t first = 0, count = 100;
  std::string device = "sim", opcodes, hashes, reproducers, ptx;
  std::optional<int> optimization;  ///< by the GPU's compiler; absent: as it sees fit
  bool vary = false, record = false, probe = false, list = false;
};

/// One way to run a program, and what to call it.
struct Way {
  std::string name;
  Launcher launcher;
  std::string level = {};  ///< of the CPU; empty: the best
};

std::vector<Way> ways(const Options& options) {
  std::vector<Way> all;
  all.push_back({"simulator", Launcher(simulator())});
  if (options.device == "gpu") all.push_back({"gpu", Launcher([=] { return make_gpu(0, options.optimization); })});
  if (!options.vary) return all;
  for (const auto level : simt::cpu_levels())
    all.push_back({fmt::format("simulator, CPU level {}", level), Launcher(simulator()), std::string(level)});
  all.push_back({"simulator, 3 threads", Launcher(simulator(3))});
  all.push_back({"simulator, schedule 7", Launcher(simulator(1, 7))});
  all.push_back({"simulator, 2 threads, schedule 12345", Launcher(simulator(2, 12345))});
  return all;
}

/// What tells a fault of the GPU's compiler from one of ours.
Way unoptimised_gpu() {
  return {"gpu, unoptimised", Launcher([] { return make_gpu(0, 0); })};
}

Buffers run(Way& way, const Program& program, const InstructionPool& pool) {
  const std::string best(simt::cpu_levels().back());
  simt::use_cpu_level(way.level.empty() ? best : way.level);
  return way.launcher.run(program, write_ptx(program, pool));
}

/// The first thing that differs; empty if nothing does.
std::string difference(const Program& program, const Buffers& expected, const Buffers& got) {
  const std::size_t n = program.threads();
  for (std::size_t i = 0; i < expected.out.size(); ++i)
    if (expected.out[i] != got.out[i]) {
      const std::size_t word = i / n;
      const std::string name = word < 6    ? fmt::format("%d{}", word)
                               : word < 14 ? fmt::format("%w{}", word - 6)
                               : word < 19 ? fmt::format("%h{}", word - 14)
                                           : "%p0-5";
      return fmt::format("{} of thread {}: expected 0x{:x}, got 0x{:x}", name, i % n, expected.out[i], got.out[i]);
    }
  for (std::size_t i = 0; i < expected.own.size(); ++i)
    if (expected.own[i] != got.own[i]) return fmt::format("byte {} of the threads' memory", i);
  for (std::size_t i = 0; i < expected.counters.size(); ++i)
    if (expected.counters[i] != got.counters[i]) return fmt::format("byte {} of the counters", i);
  return {};
}

/// The same, where a run may fail.
std::string verdict(Way& way, const Program& program, const InstructionPool& pool, const Buffers& expected) {
  try {
    return difference(program, expected, run(way, program, pool));
  } catch (const std::exception& error) {
    return fmt::format("failed: {}", error.what());
  }
}

void report(const Options& options, Way& way, const Program& program, const InstructionPool& pool,
            const std::string& first_seen, bool shrinks) {
  fmt::print("seed {}: {}: {}\n", program.seed, way.name, first_seen);
  const auto still = [&](const Program& candidate) {
    return !verdict(way, candidate, pool, evaluate(candidate, pool)).empty();
  };
  const Program small = shrinks ? shrunk(program, still) : program;
  const std::string last = shrinks ? verdict(way, small, pool, evaluate(small, pool)) : first_seen;
  fmt::print("  {} of {} statements still differ: {}\n", statement_count(small), statement_count(program), last);
  if (options.reproducers.empty()) return;
  std::filesystem::create_directories(options.reproducers);
  const std::string path = fmt::format("{}/seed_{}.ptx", options.reproducers, program.seed);
  std::ofstream(path) << fmt::format("// seed {}: {}: {}\n", program.seed, way.name, last) << write_ptx(small, pool);
  fmt::print("  {}\n", path);
}

int compare(const Options& options, const InstructionPool& pool) {
  auto all = ways(options);
  Way unoptimised = unoptimised_gpu();
  std::uint64_t different = 0, compilers = 0, seed = options.first;
  bool faulted = false;
  const auto start = std::chrono::steady_clock::now();
  for (; seed < options.first + options.count && !faulted; ++seed) {
    const Program program = generate(seed, pool);
    const Buffers expected = evaluate(program, pool);
    for (auto& way : all) {
      const std::string seen = verdict(way, program, pool, expected);
      if (seen.empty()) continue;
      faulted = way.name == "gpu" && seen.starts_with("failed: CUDA_ERROR");
      if (!faulted && way.name == "gpu" && verdict(unoptimised, program, pool, expected).empty()) {
        fmt::print("seed {}: gpu, right without its compiler's optimisation: {}\n", seed, seen);
        ++compilers;
      } else {
        report(options, way, program, pool, seen, !faulted);
        ++different;
      }
      std::fflush(stdout);
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("seeds {}..{}: {} kernels on {}, {} differences, {} by optimisation, {:.1f} s\n", options.first, seed - 1,
             seed - options.first, options.vary ? "all simulators" : all.back().name, different, compilers,
             took.count());
  return faulted ? kFaulted : different != 0;
}

/// Stored results: made here, or compared with what a device gives.
int stored(const Options& options, const InstructionPool& pool) {
  if (options.record) {
    std::vector<std::uint64_t> hashes;
    for (std::uint64_t seed = 0; seed < options.count; ++seed)
      hashes.push_back(hash_of(evaluate(generate(seed, pool), pool)));
    write_stored(options.hashes, {"the evaluation of tests/differential", hashes});
    return 0;
  }
  StoredResults results = read_stored(options.hashes);
  auto way = std::move(ways(options).back());
  Way unoptimised = unoptimised_gpu();
  std::uint64_t different = 0, compilers = 0;
  for (std::uint64_t seed = 0; seed < results.hashes.size(); ++seed) {
    const Program program = generate(seed, pool);
    const std::uint64_t hash = hash_of(run(way, program, pool)), stored = results.hashes[seed];
    if (hash == stored) continue;
    const bool by_optimisation = way.name == "gpu" && hash_of(run(unoptimised, program, pool)) == stored;
    ++(by_optimisation ? compilers : different);
    fmt::print("seed {}: {} gives {:016x}, stored is {:016x}{}\n", seed, way.name, hash, stored,
               by_optimisation ? ", right without its compiler's optimisation" : "");
  }
  fmt::print("{} stored results, {} differ on the {}, {} by optimisation\n", results.hashes.size(), different, way.name,
             compilers);
  if (different == 0 && options.device == "gpu") {
    results.made_by = "confirmed by " + make_gpu(0)->info().name;
    write_stored(options.hashes, results);
  }
  return different != 0;
}

/// For ptxas: a kernel with every instruction of the pool on a line of its own, with registers and with literals.
int probe(const InstructionPool& pool) {
  fmt::print("{}", write_ptx(every_instruction(pool), pool));
  return 0;
}

int list(const InstructionPool& pool) {
  std::set<std::string> opcodes;  // an opcode may have two readings
  for (const auto& one : pool.all())
    if (!one.miscompiled) opcodes.insert(one.opcode);
  for (const auto& opcode : opcodes) fmt::print("{}\n", opcode);
  return 0;
}

int write_modules(const Options& options, const InstructionPool& pool) {
  std::filesystem::create_directories(options.ptx);
  for (std::uint64_t seed = options.first; seed < options.first + options.count; ++seed)
    std::ofstream(fmt::format("{}/{}.ptx", options.ptx, seed)) << write_ptx(generate(seed, pool), pool);
  return 0;
}

int run(const Options& options) {
  const auto opcodes = options.opcodes.empty() ? std::vector<std::string>{} : read_lines(options.opcodes);
  const InstructionPool pool(opcodes);
  if (options.probe) return probe(pool);
  if (options.list) return list(pool);
  if (!options.ptx.empty()) return write_modules(options, pool);
  if (!options.hashes.empty()) return stored(options, pool);
  return compare(options, pool);
}

}  // namespace
}  // namespace gpulab::differential

int main(int count, char** arguments) {
  gpulab::differential::Options options;
  CLI::App app{"Random kernels: each thread's own evaluation against the simulator, and against a GPU"};
  app.add_option("--first", options.first, "first seed");
  app.add_option("--count", options.count, "number of seeds");
  app.add_option("--device", options.device, "sim, or gpu: both")->check(CLI::IsMember({"sim", "gpu"}));
  app.add_option("--opcodes", options.opcodes, "instructions to use, one per line; default: all of the table");
  app.add_option("--optimization", options.optimization, "by the GPU's compiler, 0 to 4; default: as it sees fit")
      ->check(CLI::Range(0, 4));
  app.add_flag("--vary", options.vary, "CPU levels, threads and schedules of the simulator too");
  app.add_option("--reproducers", options.reproducers, "folder for shrunk kernels that differ");
  app.add_option("--hashes", options.hashes, "compare with stored results; a GPU confirms them");
  app.add_flag("--record", options.record, "make the stored results from the evaluation");
  app.add_option("--ptx", options.ptx, "only write the kernels into this folder");
  app.add_flag("--probe", options.probe, "only write each instruction of the table, for ptxas to accept");
  app.add_flag("--list", options.list, "only name each instruction of the table that its compiler gets right");
  CLI11_PARSE(app, count, arguments);
  try {
    return gpulab::differential::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 3;
  }
}
