#include "common/simt/instruction_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "common/error.h"
#include "common/simt/form.h"

namespace gpulab::simt {

#if defined(__x86_64__)
namespace v2 {
std::span<const std::span<const Row>> isa_tables();
}
namespace v3 {
std::span<const std::span<const Row>> isa_tables();
}
namespace v4 {
std::span<const std::span<const Row>> isa_tables();
}
#else
namespace generic {
std::span<const std::span<const Row>> isa_tables();
}
#endif

namespace {

/// "fma" of "fma(.rn,.rz)…": rows are indexed by it, and spelled out only when a module uses one of the family.
std::string_view family_of(std::string_view form) { return form.substr(0, form.find_first_of(".{( ")); }

struct Family {
  std::vector<const Row*> rows;
  std::unordered_map<std::string, std::vector<Entry>> entries;  ///< opcodes met so far

  const std::vector<Entry>& find(std::string_view opcode) {
    auto [entry, fresh] = entries.try_emplace(std::string(opcode));
    if (fresh)
      for (const Row* row : rows)
        if (const auto mods = match(row->form, opcode)) entry->second.push_back({row, *mods});
    return entry->second;
  }
};

/// Levenshtein distance.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

struct InstructionSet::Index {
  std::mutex mutex;
  std::unordered_map<std::string_view, Family> families;
};

InstructionSet::InstructionSet(Tables tables) : tables_(tables), index_(std::make_unique<Index>()) {
  for (const auto& table : tables)
    for (const Row& row : table) index_->families[family_of(row.form)].rows.push_back(&row);
}

InstructionSet::~InstructionSet() = default;

std::span<const Entry> InstructionSet::find(std::string_view opcode) const {
  const std::lock_guard lock(index_->mutex);
  const auto family = index_->families.find(family_of(opcode));
  if (family == index_->families.end()) return {};
  return family->second.find(opcode);
}

std::vector<std::string> InstructionSet::similar(std::string_view opcode, std::size_t at_most) const {
  const std::lock_guard lock(index_->mutex);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  const auto family = family_of(opcode);
  const bool known = index_->families.count(family) != 0;
  for (auto& [name, rows] : index_->families) {
    // A known family is kept to: another instruction of a similar name is no help.
    if (known ? name != family : edits(name, family) > 1 + family.size() / 4) continue;
    for (const Row* row : rows.rows)
      for (auto& spelling : spellings(row->form, 256))
        ranked.emplace_back(edits(opcode, spelling.opcode), std::move(spelling.opcode));
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> best;
  for (auto& [distance, spelled] : ranked) {
    if (best.size() == at_most || distance > 2 + opcode.size() / 2) break;
    best.push_back(std::move(spelled));
  }
  return best;
}

namespace {

struct Level {
  std::string_view name;
  InstructionSet::Tables (*tables)();
};

#if defined(__x86_64__)
constexpr Level compiled[] = {{"v2", v2::isa_tables}, {"v3", v3::isa_tables}, {"v4", v4::isa_tables}};

bool supported(std::string_view level) {
  // By feature: clang knows no "x86-64-v3" here before version 18. CPUs with these have the rest of their level.
  __builtin_cpu_init();
  if (level == "v2") return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  if (level == "v3")
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
constexpr Level compiled[] = {{"generic", generic::isa_tables}};
bool supported(std::string_view) { return true; }
#endif

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
  const auto levels = cpu_levels();
  if (levels.empty())
    throw Error(ExitCode::missing, "this CPU is older than x86-64-v2 (SSE4.2, 2009)", {},
                "the simulator needs a newer one");
  return levels.size() - 1;
}

std::atomic<std::size_t>& level_in_use() {
  static std::atomic<std::size_t> level{natural_level()};
  return level;
}

}  // namespace

std::span<const std::string_view> cpu_levels() {
  static const std::vector<std::string_view> levels = [] {
    std::vector<std::string_view> list;
    for (const auto& level : compiled) {
      if (!supported(level.name)) break;  // each level contains the one before
      list.push_back(level.name);
    }
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
