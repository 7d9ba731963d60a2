#include "common/simt/isa/instruction_set.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "common/error.h"
#include "common/simt/isa/form.h"
#include "common/text.h"

namespace gpulab::simt {

// GPULAB_ISA_LEVELS names those that the build compiled, the oldest first: LEVEL(v2) LEVEL(v3) LEVEL(v4).
#define LEVEL(name)                                   \
  namespace name {                                    \
  std::span<const std::span<const Row>> isa_tables(); \
  }
GPULAB_ISA_LEVELS
#undef LEVEL

namespace {

/// "fma" of "fma(.rn,.rz)…" and of "fma.rn.f32".
std::string_view family_of(std::string_view form) { return form.substr(0, form.find_first_of(".{( ")); }

/// "u32" of "ld.global.u32": what tells most rows of a family apart.
std::string_view ending_of(std::string_view opcode) {
  const auto dot = opcode.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : opcode.substr(dot + 1);
}

using Rows = std::vector<const Row*>;

/// The rows of one family. Memory instructions have dozens with ten groups of optional modifiers each: only those
/// whose last part fits are matched.
struct Family {
  Rows all;
  Rows open;  ///< those that may end in an optional part
  std::unordered_map<std::string_view, Rows> by_ending;

  void add(const Row& row) {
    all.push_back(&row);
    const auto endings = form_endings(row.form);
    for (const auto ending : endings) by_ending[ending].push_back(&row);
    if (endings.empty()) open.push_back(&row);
  }
};

}  // namespace

struct InstructionSet::Index {
  std::mutex mutex;
  std::unordered_map<std::string_view, Family> families;
  std::unordered_map<std::string, std::vector<Entry>> found;  ///< opcodes asked for so far
};

InstructionSet::InstructionSet(Tables tables) : tables_(tables), index_(std::make_unique<Index>()) {
  for (const auto& table : tables)
    for (const Row& row : table) index_->families[family_of(row.form)].add(row);
}

InstructionSet::~InstructionSet() = default;

std::span<const Entry> InstructionSet::find(std::string_view opcode) const {
  const std::lock_guard lock(index_->mutex);
  const auto [known, is_new] = index_->found.try_emplace(std::string(opcode));
  const auto family = index_->families.find(family_of(opcode));
  if (!is_new || family == index_->families.end()) return known->second;
  const std::uint32_t facts = facts_of(opcode);
  const auto add_matches = [&, &entries = known->second](const Rows& rows) {
    for (const Row* row : rows)
      if (const auto mods = match(row->form, opcode)) entries.push_back({row, *mods, facts});
  };
  const auto closed = family->second.by_ending.find(ending_of(opcode));
  if (closed != family->second.by_ending.end()) add_matches(closed->second);
  add_matches(family->second.open);
  if (!known->second.empty()) return known->second;
  for (const Row* row : family->second.all)
    if (const auto spelled = in_order_of(row->form, opcode))
      known->second.push_back({row, match(row->form, *spelled).value_or(0), facts_of(*spelled)});
  return known->second;
}

std::vector<std::string> InstructionSet::similar(std::string_view opcode, std::size_t at_most) const {
  std::set<std::pair<std::size_t, std::string>> ranked;
  const auto family = family_of(opcode);
  const bool known = index_->families.count(family) != 0;
  const auto occurs = [&](std::string_view modifier) { return opcode.find(modifier) != std::string_view::npos; };
  for (const auto& [name, rows] : index_->families) {
    // A known family is kept to: another instruction of a similar name is no help.
    if (known ? name != family : edit_distance(name, family) > 1 + family.size() / 4) continue;
    for (const Row* row : rows.all)
      for (auto& spelled : spellings(row->form, occurs)) {
        const std::size_t distance = edit_distance(opcode, spelled);
        if (distance <= 2 + opcode.size() / 2) ranked.emplace(distance, std::move(spelled));
      }
  }
  std::vector<std::string> best;
  for (const auto& [distance, spelled] : ranked) {
    if (best.size() == at_most) break;
    best.push_back(spelled);
  }
  return best;
}

namespace {

struct Level {
  std::string_view name;
  InstructionSet::Tables (*tables)();
};

#define LEVEL(name) {#name, name::isa_tables},
constexpr Level compiled[] = {GPULAB_ISA_LEVELS};
#undef LEVEL

#if defined(__x86_64__)
/// "v4" and so on; "" for a CPU that is older than v2.
std::string_view level_of_this_cpu() {
  // By feature: clang knows no "x86-64-v3" here before version 18. CPUs with these have the rest of their level.
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt")) return "";
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2")) return "v2";
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
    return "v3";
  return "v4";
}
#else
std::string_view level_of_this_cpu() { return "generic"; }
#endif

std::vector<std::string_view> compiled_names() {
  std::vector<std::string_view> names;
  for (const auto& level : compiled) names.push_back(level.name);
  return names;
}

/// Index of a level in `compiled`; throws if it cannot run here.
std::size_t level_index(std::string_view name) {
  const auto levels = cpu_levels();
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (levels[i] == name) return i;
  throw usage_error(fmt::format("unknown CPU level '{}'", name),
                    fmt::format("GPULAB_CPU_LEVEL is one of: {}", fmt::join(levels, ", ")));
}

std::size_t natural_level() {
  const char* wanted = std::getenv("GPULAB_CPU_LEVEL");
  if (wanted != nullptr && *wanted != '\0') return level_index(wanted);
  return level_index(newest_level(compiled_names(), level_of_this_cpu()));
}

std::atomic<std::size_t>& level_in_use() {
  static std::atomic<std::size_t> level{natural_level()};
  return level;
}

}  // namespace

std::string_view newest_level(std::span<const std::string_view> built, std::string_view cpu) {
  std::string_view newest;
  for (const auto level : built)
    if (level <= cpu) newest = level;  // each level contains the one before
  if (!newest.empty()) return newest;
  if (cpu.empty())
    throw Error(ExitCode::missing, "this CPU is older than x86-64-v2 (SSE4.2, 2009)", {},
                "the simulator needs a newer one");
  throw Error(
      ExitCode::missing,
      fmt::format("this program was built for x86-64-{} and newer CPUs; this one is x86-64-{}", built.front(), cpu), {},
      "build it on this machine, or for all CPUs: cmake with -DGPULAB_ISA_LEVELS=all");
}

std::span<const std::string_view> cpu_levels() {
  static const std::vector<std::string_view> levels = [] {
    std::vector<std::string_view> list = compiled_names();
    std::erase_if(list, [cpu = level_of_this_cpu()](std::string_view level) { return level > cpu; });
    return list;
  }();
  return levels;
}

const InstructionSet& instruction_set() {
  static std::mutex mutex;
  static std::unique_ptr<InstructionSet> sets[std::size(compiled)];
  const std::size_t level = level_in_use();
  const std::lock_guard lock(mutex);
  if (sets[level] == nullptr) sets[level] = std::make_unique<InstructionSet>(compiled[level].tables());
  return *sets[level];
}

std::string_view cpu_level() { return compiled[level_in_use()].name; }

void use_cpu_level(std::string_view level) { level_in_use() = level_index(level); }

}  // namespace gpulab::simt
