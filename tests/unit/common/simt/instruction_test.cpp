// Every row of the instruction tables does what tests/ptx/*.cases say, on every x86-64 level of this CPU, in every
// lane, under every kind of mask.

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/simt/isa/form.h"
#include "common/simt/isa/instruction_set.h"
#include "tests/catch.h"
#include "tests/instructions/instruction_case.h"
#include "tests/instructions/lane_machine.h"

using namespace gpulab::simt;

namespace {

constexpr std::uint64_t poison = 0xa5a5a5a5a5a5a5a5;

/// Lane l runs case (l + shift) of the batch. `in_place`: the destination takes the first source's register.
void check(const Batch& batch, std::uint32_t mask, std::size_t shift, bool in_place) {
  LaneMachine machine;
  const auto& first = batch.front();
  machine.place(first);
  machine.op.mods = first.mods;
  machine.op.imm = first.imm;
  machine.op.extra = first.row->meaning.extra;
  if (in_place) machine.op.r[first.outputs[0].r] = machine.op.r[first.inputs[0].r];
  const auto case_of = [&](int lane) -> const InstructionCase& { return batch[(lane + shift) % batch.size()]; };
  for (int lane = 0; lane < kLanes; ++lane) {
    for (const auto& slot : case_of(lane).outputs) machine.set(slot.r, slot.kind, lane, poison);
    for (const auto& slot : case_of(lane).inputs) machine.set(slot.r, slot.kind, lane, slot.value.bits);
  }
  REQUIRE(machine.run(handler_of(*first.row, first.mods), mask));
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto& one = case_of(lane);
    for (const auto& slot : one.outputs) {
      const std::uint64_t got = machine.get(slot.r, slot.kind, lane);
      if (mask >> lane & 1) {
        if (!agrees(slot.value, got, slot.kind))
          FAIL_CHECK(one.where << ": " << one.text << ": got " << shown(got, slot.kind) << " in lane " << lane
                               << " at level " << cpu_level());
      } else if (!in_place) {
        const std::uint64_t kept = slot.kind == Kind::pred ? 1 : register_class(slot.kind) == 1 ? poison : poison >> 32;
        if (got != kept) FAIL_CHECK(one.where << ": " << one.text << ": wrote the inactive lane " << lane);
      }
    }
  }
}

bool can_run_in_place(const InstructionCase& one) {
  return !(one.row->meaning.traits & kEarlyClobber) && !one.inputs.empty() &&
         register_class(one.inputs[0].kind) == register_class(one.outputs[0].kind);
}

/// Puts the level back, whatever happens.
struct LevelGuard {
  std::string_view level = cpu_level();
  ~LevelGuard() { use_cpu_level(level); }
};

using HandlerUse = std::pair<const Row*, Handler>;

/// Whether cases can run a row: memory, control and the like take whole kernels. % rows are decode's own.
bool is_arithmetic(const Row& row) {
  switch (row.unit) {
    case Unit::alu:
    case Unit::fp32:
    case Unit::fp64:
    case Unit::sfu:
    case Unit::conversion:
      return row.form[0] != '%';
    default:
      return false;
  }
}

/// The forms with a handler that no case runs.
std::string forms_without(const std::set<HandlerUse>& covered) {
  std::string missing;
  for (const auto& table : instruction_set().tables())
    for (const Row& row : table) {
      if (!is_arithmetic(row)) continue;
      bool all = true;
      for (const auto mods : mod_sets(row.form)) all = all && covered.count({&row, handler_of(row, mods)}) != 0;
      if (!all) missing += fmt::format("{}\n", row.form);
    }
  return missing;
}

}  // namespace

TEST_CASE("every instruction case gives its result in every lane, at every CPU level, under every mask") {
  const LevelGuard guard;
  for (const auto level : cpu_levels()) {
    use_cpu_level(level);
    for (const auto& batch : batches(instruction_set())) {
      for (std::size_t shift = 0; shift < batch.size(); shift += kLanes) check(batch, kFullMask, shift, false);
      for (const std::uint32_t mask : {0x55555555u, 0x80000001u, 0x00ffff00u, 0x00000010u, 0u})
        check(batch, mask, 3, false);
      if (can_run_in_place(batch.front())) check(batch, 0xfffffffeu, 0, true);
      for (const auto& one : batch) check({one}, kFullMask, 0, false);  // the same in all lanes
    }
  }
}

TEST_CASE("an instruction row without a case fails the tests") {
  std::set<HandlerUse> covered;
  for (const auto& one : all_cases(instruction_set())) covered.insert({one.row, handler_of(*one.row, one.mods)});
  CHECK(forms_without(covered) == "");
  covered.erase(covered.begin());
  CHECK(forms_without(covered) != "");
}
