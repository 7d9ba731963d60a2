#include "common/simt/compiled/ahead/ready_code.h"

#include <algorithm>

#include "common/simt/isa/instruction_set.h"

namespace gpulab::simt::compiled {

namespace {
std::span<const ReadyLevel>& all_levels() {
  static std::span<const ReadyLevel> levels;
  return levels;
}
}  // namespace

Outline outline_of(const Program& program) {
  const auto number = [](std::size_t x) { return static_cast<std::uint32_t>(x); };
  return {number(program.ops.size()), number(program.blocks.size()), number(program.sites.size()), program.slots,
          program.preds};
}

bool have_ready(std::span<const ReadyLevel> levels) {
  all_levels() = levels;
  return true;
}

std::size_t number_of_ready() {
  const ReadyLevel* const level = ready_level();
  return level ? level->codes.size() : 0;
}

const ReadyLevel* ready_level() {
  const auto levels = all_levels();
  const auto found = std::ranges::find(levels, cpu_level(), &ReadyLevel::level);
  return found == levels.end() ? nullptr : &*found;
}

bool may_be_ready(const ReadyLevel& level, const Outline& outline) {
  return std::ranges::any_of(level.codes, [&](const ReadyCode& one) { return one.outline == outline; });
}

Code find_ready(const ReadyLevel& level, const Outline& outline, const Digest& digest) {
  for (const ReadyCode& one : level.codes)
    if (one.outline == outline && one.digest == digest) return one.code;
  return nullptr;
}

ReadyRows::ReadyRows(std::span<const ReadyRow> rows) {
  for (const ReadyRow& r : rows) functions_[{r.table, r.row, r.mods}] = row_name({r.table, r.row, r.mods});
}

}  // namespace gpulab::simt::compiled
