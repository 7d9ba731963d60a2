#include "common/simt/observers/locator.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "common/demangle.h"
#include "common/simt/counting/statistics.h"
#include "common/simt/isa/kind.h"
#include "common/simt/machine/memory/windows.h"
#include "common/simt/observers/polling_loads.h"

namespace gpulab::simt {

MemoryUse memory_use_of(const Site& site) {
  MemoryUse use;
  const Meaning& meaning = site.row->meaning;
  if (!(meaning.traits & (kLoad | kStore | kAtomic)) || (meaning.traits & (kCollective | kOperandTable))) return use;
  if ((meaning.traits & kLoad) && (meaning.traits & kStore)) return use;  // copies: seen where they finish
  if (site.row->unit == Unit::param || site.row->unit == Unit::constant) return use;
  using Space = MemoryUse::Space;
  use.space = site.instruction->opcode.find(".shared::cluster") != std::string_view::npos ? Space::cluster
              : site.facts & kInShared                                                    ? Space::shared
              : site.facts & kInGlobal                                                    ? Space::global
              : site.facts & kInLocal                                                     ? Space::local
                                                                                          : Space::generic;
  use.load = meaning.traits & kLoad;
  use.store = meaning.traits & kStore;
  use.atomic = meaning.traits & kAtomic;
  const auto is = [&](const char* operation) {
    return site.instruction->opcode.find(operation) != std::string_view::npos;
  };
  use.clears = use.atomic && (is(".exch") || is(".and"));
  use.is_volatile = site.facts & kVolatile;
  use.strong = site.facts & kStrong;
  use.as_constant = use.load && is(".nc");
  use.acquires = site.facts & kAcquires;
  use.releases = site.facts & kReleases;
  use.bytes = static_cast<std::uint8_t>(bytes_per_lane(meaning));
  if (use.load) use.used = site.instruction->used_bytes;
  std::uint8_t entry = 0;
  for (const OperandType& operand : meaning.operands) {
    if (operand.role == Role::address) use.address = entry;
    if (operand.role == Role::out && (meaning.traits & kLoad))
      use.element = static_cast<std::uint8_t>(bytes_of(operand.kind));
    if (operand.role == Role::in && !use.value) {
      use.value = entry;
      use.element = static_cast<std::uint8_t>(bytes_of(operand.kind));
    }
    entry = static_cast<std::uint8_t>(entry + operand.vector);
  }
  return use;
}

namespace {

/// "matmul(float*)::tile" -> "tile".
std::string variable_name(std::string_view mangled) {
  const std::string name = demangle(mangled);
  const auto scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

const ptx::Operand* address_operand(const Site& site) {
  const auto& operands = site.instruction->operands;
  const auto found = std::ranges::find(operands, ptx::Operand::Kind::address, &ptx::Operand::kind);
  return found == operands.end() ? nullptr : &*found;
}

/// `int old = *p; do … while (atomicCAS(p, assumed, …) != assumed)`, the way that CUDA's guide builds atomics: what the
/// load has seen is only a guess, which atomicCAS tests. The load counts as a relaxed one, as hardware does it.
void trust_loads_that_are_compared(const Program& program, std::vector<MemoryUse>& uses) {
  using Guess = std::tuple<const ptx::Function*, std::string_view, std::int64_t, std::uint8_t>;
  const auto guess_at = [&](std::size_t i) -> std::optional<Guess> {
    const Site& site = program.sites[i];
    const auto* address = address_operand(site);
    if (address == nullptr) return std::nullopt;
    return Guess{site.function, address->name, address->integer, uses[i].bytes};
  };
  std::set<Guess> compared;
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (uses[i].atomic && program.sites[i].instruction->opcode.find(".cas") != std::string_view::npos)
      if (const auto guess = guess_at(i)) compared.insert(*guess);
  if (compared.empty()) return;
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (uses[i].load && !uses[i].atomic && !uses[i].is_volatile)
      if (const auto guess = guess_at(i)) uses[i].strong = uses[i].strong || compared.contains(*guess);
}

}  // namespace

std::string name_of(const Program& program, const Place& place, std::uint32_t bytes) {
  if (place.local) return fmt::format("local[{}]", place.address / bytes);
  if (place.allocation) return fmt::format("{}[{}]", variable_name(place.allocation->name), place.offset / bytes);
  if (place.beyond)
    return fmt::format("{}[{}]", variable_name(place.beyond->name),
                       (static_cast<std::int64_t>(place.address) - static_cast<std::int64_t>(place.beyond->offset)) /
                           static_cast<std::int64_t>(bytes));
  for (auto v = program.shared_variables.rbegin(); v != program.shared_variables.rend(); ++v)
    if (place.address >= v->offset)
      return fmt::format("{}[{}]", variable_name(v->name), (place.address - v->offset) / bytes);
  return fmt::format("shared memory, byte {}", place.address);
}

void Offsets::fill(const Warp& w, const MicroOp* op, std::uint16_t slot, std::uint64_t start) {
  if (op->mods & kAddress32) {
    const auto* a = reinterpret_cast<const std::uint32_t*>(w.regs + slot);
    const std::uint32_t shift = static_cast<std::uint32_t>(op->imm) - static_cast<std::uint32_t>(start);
    for (int i = 0; i < kLanes; ++i) at[i] = a[i] + shift, beyond[i] = 0;
    return;
  }
  const auto* a = reinterpret_cast<const std::uint64_t*>(w.regs + slot);
  const std::uint64_t shift = static_cast<std::uint64_t>(std::int64_t{op->imm}) - start;
  for (int i = 0; i < kLanes; ++i) {
    at[i] = static_cast<std::uint32_t>(a[i] + shift);
    beyond[i] = static_cast<std::uint32_t>((a[i] + shift) >> 32);
  }
}

bool Offsets::all_within(std::uint32_t lanes, std::uint64_t size, std::uint32_t bytes) const {
  if (size < bytes) return false;
  const auto last = static_cast<std::uint32_t>(size - bytes);
  std::uint32_t outside = 0;
  for (int i = 0; i < kLanes; ++i)
    outside |= (lanes & lane_bit[i]) && (at[i] > last || beyond[i] || (at[i] & (bytes - 1))) ? 1u : 0u;
  return outside == 0;
}

bool Offsets::is_uniform(std::uint32_t lanes) const {
  const std::uint32_t one = at[std::countr_zero(lanes)];
  std::uint32_t differ = 0;
  for (int i = 0; i < kLanes; ++i) differ |= (lanes & lane_bit[i]) ? at[i] ^ one : 0;
  return differ == 0;
}

bool Offsets::is_contiguous(std::uint32_t lanes, std::uint32_t bytes) const {
  std::uint32_t differ = 0;
  for (std::uint32_t i = 0; i < kLanes; ++i) differ |= at[i] ^ (at[0] + i * bytes);
  return lanes == kFullMask && differ == 0;
}

void Locator::grid_started(const LaunchState& launch) {
  program_ = launch.program;
  uses_.clear();
  std::map<const ptx::Function*, PollingLoads> polling;
  for (const Site& site : program_->sites) {
    MemoryUse& use = uses_.emplace_back(memory_use_of(site));
    if (use.load && !use.atomic && use.is_volatile)
      use.polls = polling.try_emplace(site.function, *site.function).first->second.contains(*site.instruction);
  }
  trust_loads_that_are_compared(*program_, uses_);
  last_ = nullptr;
  if (!bounds_) return;
  meant_ = meant_variables(*program_);
  if (!locals_.are_of(*program_)) locals_ = LocalVariables(*program_);
}

bool Locator::locate(Warp& w, const MicroOp* op, int lane, Place& place) {
  const MemoryUse& use = *use_;
  using Space = MemoryUse::Space;
  std::uint64_t address = address_of(w, op, op->r[use.address], lane);
  Space space = use.space;
  if (space == Space::generic) {
    space = address - kSharedWindow < kWindowBytes  ? Space::shared
            : address - kLocalWindow < kWindowBytes ? Space::local
                                                    : Space::global;
    if (space != Space::global) address &= kWindowBytes - 1;
  }
  if (space == Space::cluster) space = Space::shared;
  if (space == Space::shared && use.space != Space::shared && w.own_window != 0) {
    address = without_own(address, w.own_window);
    if (address >= kRankBytes) {
      place.sibling = block_at(w, address);
      address %= kRankBytes;
      if (place.sibling == nullptr || place.sibling->live == 0) return false;
    }
  }
  place.address = place.offset = address;
  if (address & (use.bytes - 1u)) return false;
  if (space == Space::shared) {
    if (address + use.bytes > w.shared_bytes) return false;
    place.shared = true;
    place.host = (place.sibling != nullptr ? place.sibling->warps.front().shared : w.shared) + address;
    return true;
  }
  if (space == Space::local) {
    if (address + use.bytes > w.local_bytes) return false;
    place.local = true;
    place.offset += std::uint64_t{thread_in_block(w, lane)} * w.local_bytes;
    return true;
  }
  if (!last_ || address - last_->address >= last_->bytes) last_ = w.global->find(address);
  if (!last_ || !last_->host || address + use.bytes > last_->address + last_->bytes) return false;
  place.allocation = last_;
  place.offset = address - last_->address;
  place.host = last_->host + place.offset;
  return true;
}

/// Whether the instruction may mean a shared variable.
bool Locator::means(const MicroOp* op, const SharedVariable& variable) const {
  const SharedVariables meant = meant_[op->site];
  const auto index = static_cast<std::size_t>(&variable - program_->shared_variables.data());
  return meant == 0 || (index < 64 && (meant >> index & 1));
}

/// Between shared variables lie gaps (kGapsInShared); a thread's local memory ends with its function's variables.
bool Locator::is_out_of_bounds(const Warp& w, const MicroOp* op, const Place& place) const {
  const std::uint32_t bytes = use_->bytes;
  if (place.local) {
    if (const LocalVariable* meant = locals_.meant_by(op->site);
        meant != nullptr &&
        (place.address < w.local_base + meant->offset || place.address + bytes > w.local_base + meant->end))
      return true;
    const ptx::Function* function = program_->sites[op->site].function;
    return std::any_of(program_->functions.begin(), program_->functions.end(), [&](const FunctionInfo& info) {
      return info.function == function && place.address + bytes > w.local_base + std::uint64_t{info.variable_bytes};
    });
  }
  if (!place.shared || program_->shared_variables.empty()) return false;
  return std::none_of(program_->shared_variables.begin(), program_->shared_variables.end(), [&](const auto& v) {
    const std::uint64_t end = v.dynamic ? w.shared_bytes : v.offset + v.bytes;
    return means(op, v) && place.address >= v.offset && place.address + bytes <= end;
  });
}

bool Locator::find_stretch(Warp& w, const MicroOp* op) {
  const MemoryUse& use = *use_;
  if (use.may_order() || use.bytes < 4) return false;
  if (use.space != MemoryUse::Space::global && use.space != MemoryUse::Space::shared) return false;
  first_ = {};
  if (!locate(w, op, std::countr_zero(w.mask), first_)) return false;
  std::uint64_t high = first_.allocation ? first_.allocation->bytes : w.shared_bytes;
  low_ = 0;
  if (first_.shared && bounds_ && !program_->shared_variables.empty()) {
    const SharedVariable* variable = nullptr;
    for (const SharedVariable& v : program_->shared_variables)
      if (means(op, v) && first_.offset >= v.offset && (v.dynamic || first_.offset < v.offset + v.bytes)) variable = &v;
    if (!variable) return false;
    low_ = variable->offset;
    if (!variable->dynamic) high = variable->offset + variable->bytes;
  }
  if (high - low_ > UINT32_MAX) return false;
  offsets_.fill(w, op, op->r[use.address], first_.address - first_.offset + low_);
  if (!offsets_.all_within(w.mask, high - low_, use.bytes)) return false;
  contiguous_ = offsets_.is_contiguous(w.mask, use.bytes);
  uniform_.reset();
  return true;
}

void Locator::access(Warp& w, const MicroOp* op) {
  use_ = &uses_[op->site];
  lanes_ = 0;
  outside_ = -1;
  outside_of_ = nullptr;
  in_one_stretch_ = false;
  if (use_->space == MemoryUse::Space::none) return;
  if (find_stretch(w, op)) {
    in_one_stretch_ = true;
    lanes_ = w.mask;
    return;
  }
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    Place& place = places_[static_cast<std::size_t>(lane)];
    place = {};
    if (!locate(w, op, lane, place)) continue;
    if (bounds_ && is_out_of_bounds(w, op, place)) {
      outside_ = lane;
      outside_of_ = place.local ? locals_.meant_by(op->site) : nullptr;
      const SharedVariables meant = place.shared ? meant_[op->site] : 0;
      if (std::has_single_bit(meant))
        place.beyond = &program_->shared_variables[static_cast<std::size_t>(std::countr_zero(meant))];
      return;
    }
    lanes_ |= 1u << lane;
  }
}

Place Locator::place(int lane) const {
  if (!in_one_stretch_) return places_[static_cast<std::size_t>(lane)];
  Place place = first_;
  place.offset = offset(lane);
  place.address += place.offset - first_.offset;
  place.host = host(lane);
  return place;
}

}  // namespace gpulab::simt
