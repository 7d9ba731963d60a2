// What kernels do that costs time: their lines' marks, and what is of the whole kernel.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "common/gpu_profile.h"
#include "common/occupancy.h"
#include "common/text.h"
#include "runner/report/advice/rules.h"
#include "runner/report/explain/time_text.h"

namespace gpulab::advice {
namespace {

/// What the mark's cost takes, of all launches: as the model says that it would be gone, else at most its line's time.
double cost_of(const Mark& mark, const KernelFacts& facts) {
  const auto& time = facts.kernel->launch.time;
  if (!time) return mark.share * facts.kernel->record->ms;
  double gained = 0;
  for (const auto& what : time->what_ifs) {
    const bool meant = mark.kind == "few_blocks" ? what.kind == "idle_sms"
                       : what.line != mark.line  ? false
                       : mark.kind == "atomic"   ? what.kind == "queue" || what.kind == "same_address"
                                                 : what.kind == mark.kind && mark.kind != "same_address";
    if (meant) gained = std::max(gained, time->ms - what.ms);
  }
  if (gained > 0) return gained * facts.scale;
  // Of these the model has been asked.
  if (mark.kind == "few_blocks" || mark.kind == "uncoalesced" || mark.kind == "bank_conflict") return 0;
  const double part = mark.share * time->kernel_ms;
  if (mark.line == 0) return part * facts.scale;
  return std::min(part, time_share(facts.kernel->launch, mark.line) * time->kernel_ms) * facts.scale;
}

/// What `gpulab explain` says of lines, and of a launch's shape.
std::vector<Advice> marks(const Facts& facts) {
  std::vector<Advice> all;
  for (const auto& kernel : facts.kernels) {
    if (kernel.kernel->launch.ptx) continue;
    const auto& launch = kernel.kernel->launch;
    const auto threads = launch.grid.volume() * launch.block.volume();
    for (const Mark& mark : kernel.kernel->explanation.marks) {
      if (mark.kind == "idle_lanes" && launch.block.volume() < 32) continue;  // told of the launch
      constexpr std::string_view tries = ". Try: ";
      const auto end = std::min(mark.text.find(tries), mark.text.size());
      Advice advice{.kind = mark.kind, .kernel = kernel.name, .ms = cost_of(mark, kernel)};
      advice.where = mark.line != 0 ? kernel.at(mark.line) : kernel.kernel->record->caller;
      advice.text = mark.text.substr(0, end);
      if (mark.kind == "few_blocks" && threads <= 32)
        advice.text = fmt::format("a launch of {}, one warp at most: {}", plural(threads, "thread"), advice.text);
      if (mark.kind == "partial_warps" && launch.block.volume() == 1)
        advice.text = "blocks of one thread: each is a warp of which 31 lanes idle";
      if (end < mark.text.size()) advice.remedy = mark.text.substr(end + tries.size());
      all.push_back(std::move(advice));
    }
  }
  return all;
}

/// Few warps are on an SM, because of what each block takes, and the model says that more would hide what they wait
/// for.
std::vector<Advice> low_occupancy(const Facts& facts) {
  constexpr double least_gain = 0.15, least_gain_by_registers = 0.3;
  std::vector<Advice> all;
  for (const auto& kernel : facts.kernels) {
    const auto& record = *kernel.kernel->record;
    const auto& launch = kernel.kernel->launch;
    if (!launch.time || !launch.time->more_resident_ms || !record.registers) continue;
    const double gained = launch.time->ms - *launch.time->more_resident_ms;
    const auto& gpu = gpu_profile(facts.run->profile);
    const auto threads = static_cast<int>(std::min<std::uint64_t>(launch.block.volume(), 1024));
    const auto found = occupancy(gpu, record.registers, record.shared_bytes, 0, threads);
    if (!found) continue;
    const auto limits = [&](const char* what) {
      return std::ranges::find(found->limited_by, what) != found->limited_by.end();
    };
    const bool shared = limits("shared");
    if (!shared && !limits("registers")) continue;
    if (gained < (shared ? least_gain : least_gain_by_registers) * launch.time->ms) continue;
    const auto declared = shared ? shared_declaration(kernel.code, kernel.lines) : kernel.lines.head;
    const int warps = found->blocks_per_sm * ((threads + 31) / 32);
    Advice advice{.kind = "low_occupancy", .kernel = kernel.name, .ms = gained * kernel.scale};
    advice.where = declared != 0 ? kernel.at(declared) : record.caller;
    advice.text = fmt::format(
        "occupancy of {:.0f}%: a block of {} takes {}, so that an SM holds {}, {} of {} warps; too few to work while "
        "others wait",
        100 * found->theoretical, plural(static_cast<std::uint64_t>(threads), "thread"),
        shared ? bytes_text(static_cast<double>(record.shared_bytes)) + " of shared memory"
               : fmt::format("{} registers for each", *record.registers),
        plural(static_cast<std::uint64_t>(found->blocks_per_sm), "block"), warps, gpu.max_threads_per_sm / 32);
    advice.remedy = shared
                        ? "a smaller array, or more threads that share it"
                        : "fewer values at a time in a thread, or a __launch_bounds__ that asks for more blocks on an "
                          "SM";
    all.push_back(std::move(advice));
  }
  return all;
}

/// Double arithmetic in a kernel that has floats only, from a literal or a function of the line.
std::vector<Advice> doubles(const Facts& facts) {
  std::vector<Advice> all;
  for (const auto& kernel : facts.kernels) {
    const auto& launch = kernel.kernel->launch;
    if (launch.doubles.empty() || launch.ptx || !launch.time || !launch.time->in_float_ms) continue;
    if (has_word(kernel.code, kernel.lines, "double")) continue;  // it is meant
    std::uint64_t instructions = 0, most = 0;
    std::uint32_t line = 0;
    std::vector<std::string> words;
    for (const auto& found : launch.doubles) {
      auto word = double_word(kernel.code, found.line);
      if (word.empty()) continue;
      instructions += found.instructions;
      if (found.instructions > most) most = found.instructions, line = found.line, words = {word};
    }
    if (words.empty()) continue;
    std::uint64_t whole = 0;
    for (const auto& found : launch.doubles)
      if (found.line != 0) whole += found.instructions;  // else of a function of the C library that lines call
    const auto& gpu = gpu_profile(facts.run->profile);
    const double gained = (launch.time->ms - *launch.time->in_float_ms) * static_cast<double>(instructions) /
                          static_cast<double>(std::max<std::uint64_t>(whole, 1));
    Advice advice{.kind = "double_arithmetic", .where = kernel.at(line), .kernel = kernel.name};
    advice.ms = gained * kernel.scale;
    const auto& word = words.front();
    const bool literal = word[0] == '.' || (word[0] >= '0' && word[0] <= '9');
    const bool function = word.ends_with("()");
    advice.text = fmt::format(
        "double arithmetic on floats: {} is a double{}, so that the line converts, computes in double and converts "
        "back "
        "({} instructions of warps); an SM of this GPU computes {} results in double a cycle where {} are float",
        word, function ? " here" : "", grouped(most), fp64_lanes_per_sm(gpu), gpu.fp32_lanes_per_sm);
    if (literal)
      advice.remedy = fmt::format("{}f for {}{}", word, word, instructions > most ? ", and so in other lines" : "");
    else if (function)
      advice.remedy = fmt::format("{}f() with floats as arguments", word.substr(0, word.size() - 2));
    else
      advice.remedy = fmt::format("a constant of type float for {}", word);
    all.push_back(std::move(advice));
  }
  return all;
}

/// Is it a kernel that is to do nothing?
bool is_meant_empty(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return std::ranges::any_of(std::array{"warm", "empty", "dummy", "null", "noop", "nop", "nothing", "idle"},
                             [&](const char* word) { return lower.find(word) != std::string::npos; });
}

/// A kernel that keeps nothing of what it computes: the compiler has taken its work away.
std::vector<Advice> dead_kernels(const Facts& facts) {
  std::vector<Advice> all;
  for (const auto& kernel : facts.kernels) {
    const auto& launch = kernel.kernel->launch;
    if (!launch.leaves_nothing || is_meant_empty(kernel.kernel->record->cpp_name)) continue;
    const auto line = work_line(kernel.code, kernel.lines);
    if (line == 0) continue;
    const auto left = launch.counters["warp_instructions"] / std::max<std::uint64_t>(launch.counters["warps"], 1);
    all.push_back(
        {.kind = "stores_nothing",
         .where = kernel.at(line),
         .kernel = kernel.name,
         .ms = kernel.kernel->record->ms,
         .text = fmt::format("{} stores nothing: nobody can see what it computes, so the compiler left it out: "
                             "{} of a thread {} there, and a time taken of it says nothing",
                             kernel.name, plural(left, "instruction"), left == 1 ? "is" : "are"),
         .remedy = "store the result where a pointer argument of the kernel points to"});
  }
  return all;
}

/// So many launches of so little that what it takes to launch is most of their time.
std::vector<Advice> tiny_launches(const Facts& facts) {
  constexpr std::uint64_t many = 100;
  std::vector<Advice> all;
  for (const auto& kernel : facts.kernels) {
    const auto& record = *kernel.kernel->record;
    const auto& launch = kernel.kernel->launch;
    if (record.launches < many || !launch.time || launch.time->kernel_ms * 2 > launch.time->ms) continue;
    const double each = launch.time->ms - launch.time->kernel_ms;
    const auto threads = launch.grid.volume() * launch.block.volume();
    all.push_back(
        {.kind = "tiny_launches",
         .where = record.caller,
         .kernel = kernel.name,
         .ms = std::min(each * static_cast<double>(record.launches), record.ms),
         .text = fmt::format("{} launches of {}, of {} each: it runs for {} at most, and to launch it takes {}",
                             grouped(record.launches), kernel.name, plural(threads, "thread"),
                             duration_text(launch.time->kernel_ms), duration_text(each)),
         .remedy = "one launch whose threads take what these take one after another; where each needs the one "
                   "before, a loop within the kernel or a CUDA graph"});
  }
  return all;
}

constexpr std::array<Rule, 5> rules{marks, low_occupancy, doubles, dead_kernels, tiny_launches};

}  // namespace

std::span<const Rule> kernel_rules() { return rules; }

}  // namespace gpulab::advice
