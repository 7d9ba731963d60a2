#include "common/simt/observers/sanitizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/launch_error.h"
#include "common/simt/isa/kind.h"
#include "common/simt/observers/sanitizer_state.h"

namespace gpulab::simt {

namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// What a PTX instruction does to memory; Space::none: nothing that the tools look at.
Access access_of(const Site& site) {
  Access access;
  const Meaning& meaning = site.row->meaning;
  if (!(meaning.traits & (kLoad | kStore | kAtomic)) || (meaning.traits & (kCollective | kOperandTable))) return access;
  if ((meaning.traits & kLoad) && (meaning.traits & kStore)) return access;  // copies: seen where they finish
  if (site.row->unit == Unit::param || site.row->unit == Unit::constant) return access;
  const std::string_view opcode = site.instruction->opcode;
  using Space = Access::Space;
  access.space = has(opcode, ".shared")   ? Space::shared
                 : has(opcode, ".global") ? Space::global
                 : has(opcode, ".local")  ? Space::local
                                          : Space::generic;
  access.load = meaning.traits & kLoad;
  access.store = meaning.traits & kStore;
  access.atomic = meaning.traits & kAtomic;
  access.is_volatile = has(opcode, ".volatile");
  access.strong =
      has(opcode, ".relaxed") || has(opcode, ".acquire") || has(opcode, ".release") || has(opcode, ".acq_rel");
  access.acquires = has(opcode, ".acquire") || has(opcode, ".acq_rel") || has(opcode, ".sc");
  access.releases = has(opcode, ".release") || has(opcode, ".acq_rel");
  access.bytes = static_cast<std::uint8_t>(bytes_per_lane(meaning));
  std::uint8_t entry = 0;
  for (const OperandType& operand : meaning.operands) {
    if (operand.role == Role::address) access.address = entry;
    if (operand.role == Role::in && !access.value) {
      access.value = entry;
      access.element = static_cast<std::uint8_t>(bytes_of(operand.kind));
    }
    entry = static_cast<std::uint8_t>(entry + operand.vector);
  }
  return access;
}

}  // namespace

void InitMap::add(const Allocation& allocation, bool known) {
  if (shadows_.size() <= allocation.index) shadows_.resize(allocation.index + 1);
  shadows_[allocation.index] = std::make_unique<InitShadow>(allocation.bytes);
  if (known) shadows_[allocation.index]->set_range(0, allocation.bytes, true);
}
void InitMap::set(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes, bool known) {
  if (InitShadow* shadow = of(allocation.index)) shadow->set_range(offset, bytes, known);
}

Sanitizer::Sanitizer(const LaunchState& launch, Tools tools, InitMap& initialised)
    : Observer(tools.watches()),
      launch_(launch),
      program_(*launch.program),
      tools_(tools),
      initialised_(initialised),
      threads_(static_cast<std::uint32_t>(launch.block.volume())) {
  for (const Site& site : program_.sites) accesses_.push_back(access_of(site));
  threads_order_each_other_ = has_fences_or_partial_barriers();
  leave_out_what_is_not_followed();
  if (tools_.racecheck && launch.grid.volume() * threads_ >= UINT32_MAX)
    throw LaunchError(
        LaunchFailure::fault,
        fmt::format("racecheck follows up to 2^32 threads, this launch has {}", launch.grid.volume() * threads_), {},
        "choose a smaller n");
}
Sanitizer::~Sanitizer() = default;

/// A tool that does not see all writes, or all that orders threads, would accuse the innocent: it says so and stays
/// out.
void Sanitizer::leave_out_what_is_not_followed() {
  const auto uses = [&](auto f) { return std::any_of(program_.sites.begin(), program_.sites.end(), f); };
  const auto leave_out = [&](const char* tool, bool& on, std::string_view what) {
    if (std::exchange(on, false))
      notes_.push_back({tool,
                        Severity::note,
                        fmt::format("{}: not checked, for {} does not follow {} yet", program_.name, tool, what),
                        1,
                        {}});
  };
  if (uses([](const Site& s) {
        return ((s.row->meaning.traits & kStore) && (s.row->meaning.traits & (kCollective | kOperandTable))) ||
               s.instruction->opcode.starts_with("cp.async.bulk");
      }))
    leave_out("initcheck", tools_.initcheck, "what tensor-core stores and bulk copies write");
  if (uses([](const Site& s) { return s.instruction->opcode.starts_with("mbarrier"); }))
    leave_out("racecheck", tools_.racecheck, "mbarrier");
}

bool Sanitizer::has_fences_or_partial_barriers() const {
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    const ptx::Instruction& instruction = *program_.sites[i].instruction;
    const std::string_view opcode = instruction.opcode;
    if (accesses_[i].releases || opcode.starts_with("membar") || opcode.starts_with("fence")) return true;
    // bar.sync a, b and bar.arrive a, b name how many threads they wait for; bar.red has its predicates behind.
    const bool barrier = opcode.starts_with("bar.") || opcode.starts_with("barrier.");
    if (barrier && !opcode.starts_with("bar.warp") && instruction.operands.size() > 1) return true;
  }
  return false;
}

void Sanitizer::copied(Warp& w, int lane, std::uint32_t shared, std::uint32_t bytes, const MicroOp* op) {
  Block& block = block_of(w);
  if (tools_.initcheck) block.init.set_range(shared, bytes, true);
  if (!tools_.racecheck) return;
  const std::uint32_t thread = thread_in_block(w, lane), granule = block.race.granule();
  const std::uint64_t end = (std::uint64_t{shared} + bytes + granule - 1) / granule;
  block.race.touch(end);
  for (std::uint64_t cell = shared / granule; cell < end; ++cell)
    block.race.write(
        cell, {static_cast<std::uint32_t>(w.block->linear) * threads_ + thread, block.history.clock(thread), op->site});
}

Sanitizer::Block& Sanitizer::block_of(const Warp& w) {
  if (!current_ || current_linear_ != w.block->linear) {
    current_linear_ = w.block->linear;
    current_ = blocks_.at(current_linear_).get();
  }
  return *current_;
}

void Sanitizer::block_started(const BlockContext& block) {
  current_ = nullptr;
  auto& entry = blocks_[block.linear];
  if (!idle_.empty()) {
    entry = std::move(idle_.back());
    idle_.pop_back();
    entry->history.restart(static_cast<std::uint32_t>(block.linear));
    entry->race.clear();
    entry->init.set_range(0, entry->shared_bytes, false);
    entry->local_init.set_range(0, entry->local_bytes, false);
    std::fill(entry->alone.begin(), entry->alone.end(), 0u);
    return;
  }
  entry = std::make_unique<Block>(static_cast<std::uint32_t>(block.linear), threads_, block);
}

void Sanitizer::block_ended(const BlockContext& block) {
  const auto found = blocks_.find(block.linear);
  if (found == blocks_.end()) return;
  idle_.push_back(std::move(found->second));
  blocks_.erase(found);
}

bool Sanitizer::locate(Warp& w, const MicroOp* op, std::uint64_t address, int lane, Place& place) {
  const Access& access = accesses_[op->site];
  using Space = Access::Space;
  Space space = access.space;
  if (space == Space::generic) {
    space = address - kSharedWindow < kWindowBytes  ? Space::shared
            : address - kLocalWindow < kWindowBytes ? Space::local
                                                    : Space::global;
    if (space != Space::global) address &= kWindowBytes - 1;
  }
  place.address = place.offset = address;
  Block& block = block_of(w);
  if (address & (access.bytes - 1u)) return false;  // a fault is about to say so
  if (space == Space::shared) {
    if (address + access.bytes > w.shared_bytes) return false;
    place.shared = true;
    place.race = &block.race;
    place.init = &block.init;
    place.host = w.shared + address;
    return true;
  }
  if (space == Space::local) {
    if (address + access.bytes > w.local_stride) return false;
    place.local = true;
    place.init = &block.local_init;
    place.host = w.local + static_cast<std::size_t>(lane) * w.local_stride + address;
    place.offset += std::uint64_t{thread_in_block(w, lane)} * w.local_stride;
    return true;
  }
  if (!last_ || address - last_->address >= last_->bytes) last_ = w.global->find(address);
  if (!last_ || !last_->host || address + access.bytes > last_->address + last_->bytes) return false;
  place.allocation = last_;
  place.offset = address - last_->address;
  place.host = last_->host + place.offset;
  place.init = initialised_.of(last_->index);
  if (!place.init && tools_.initcheck && last_->mapped == 0) {  // by malloc, in a kernel
    initialised_.add(*last_, false);
    place.init = initialised_.of(last_->index);
  }
  if (!tools_.racecheck) return true;
  if (shadows_.size() <= last_->index) shadows_.resize(last_->index + 1);
  auto& shadow = shadows_[last_->index];
  if (!shadow) shadow = std::make_unique<RaceShadow>(last_->bytes);
  place.race = shadow.get();
  return true;
}

void Sanitizer::access(Warp& w, const MicroOp* op) {
  const Access& access = accesses_[op->site];
  if (access.space == Access::Space::none) return;
  const bool orders = access.atomic || access.strong || access.is_volatile;
  if (!orders && access_quickly(w, op)) return;
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    Place place;
    if (!locate(w, op, address_of(w, op, op->r[access.address], lane), lane, place)) continue;
    if (tools_.memcheck) check_bounds(w, op, place, lane);
    if (tools_.initcheck && place.init) check_init(w, op, place, lane);
    if (!tools_.racecheck || !place.race) continue;
    if (orders) acquire_by(w, op, place, lane);
    check_race(w, op, place, lane);
    if (orders) release_by(w, op, place, lane);
  }
}

/// Between shared variables lie gaps while memcheck is on; a thread's local memory ends with its function's frame.
void Sanitizer::check_bounds(Warp& w, const MicroOp* op, const Place& place, int lane) {
  const std::uint32_t bytes = accesses_[op->site].bytes;
  if (place.local) {
    const ptx::Function* function = program_.sites[op->site].function;
    for (const FunctionInfo& info : program_.functions)
      if (info.function == function && place.address + bytes > w.local_base + std::uint64_t{info.frame_bytes})
        fault_access(w, op, place.address + kLocalWindow, lane, bytes, accesses_[op->site].store ? "store" : "load");
    return;
  }
  if (!place.shared || program_.shared_variables.empty()) return;
  const auto holds = [&](const SharedVariable& v) {
    const std::uint64_t end = v.dynamic ? w.shared_bytes : v.offset + v.bytes;
    return place.address >= v.offset && place.address + bytes <= end;
  };
  if (std::none_of(program_.shared_variables.begin(), program_.shared_variables.end(), holds))
    fault_access(w, op, place.address + kSharedWindow, lane, bytes, accesses_[op->site].store ? "store" : "load");
}

void Sanitizer::check_init(Warp& w, const MicroOp* op, const Place& place, int lane) {
  const Access& access = accesses_[op->site];
  if ((access.load || access.atomic) && !place.init->known(place.offset, access.bytes)) {
    accuse("initcheck", who(w, lane, op->site), {},
           fmt::format("{} memory is read before anything was written there; initialise it first",
                       place.shared  ? "shared"
                       : place.local ? "local"
                                     : "global"),
           name_of(place, access.bytes));
    place.init->set(place.offset, access.bytes);
  }
  if (access.store) place.init->set(place.offset, access.bytes);
}

}  // namespace gpulab::simt
