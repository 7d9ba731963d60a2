#include "common/simt/observers/sanitizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/device/launch_error.h"

namespace gpulab::simt {

namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::uint8_t element_bytes(Kind kind) {
  if (register_class(kind) == 1) return 8;
  switch (kind) {
    case Kind::u8:
    case Kind::s8:
      return 1;
    case Kind::u16:
    case Kind::s16:
    case Kind::f16:
      return 2;
    default:
      return 4;
  }
}

/// What a PTX instruction does to memory; Space::none: nothing that the tools look at.
Access access_of(const Site& site) {
  Access access;
  const Meaning& meaning = site.row->meaning;
  if (!(meaning.traits & (kLoad | kStore | kAtomic)) || (meaning.traits & (kCollective | kOperandTable))) return access;
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
      access.element = element_bytes(operand.kind);
    }
    entry = static_cast<std::uint8_t>(entry + operand.vector);
  }
  return access;
}

std::uint64_t address_of(const Warp& w, const MicroOp* op, std::uint16_t slot, int lane) {
  if (op->mods & kAddress32)
    return static_cast<std::uint32_t>(reinterpret_cast<const std::uint32_t*>(w.regs + slot)[lane] +
                                      static_cast<std::uint32_t>(op->imm));
  return reinterpret_cast<const std::uint64_t*>(w.regs + slot)[lane] +
         static_cast<std::uint64_t>(std::int64_t{op->imm});
}

/// The bytes that a lane stores.
struct Stored {
  std::array<std::byte, 16> bytes{};
  Stored(const Warp& w, const MicroOp* op, const Access& access, int lane) {
    for (std::uint32_t k = 0; k * access.element < access.bytes && k < 4; ++k) {
      const Slot* slot = w.regs + op->r[access.value + k];
      const std::size_t stride = access.element == 8 ? 8 : 4;
      std::memcpy(bytes.data() + k * access.element, slot->bytes + 0 + static_cast<std::size_t>(lane) * stride,
                  access.element);
    }
  }
};

/// The lane that shfl.sync reads: itself where the source is out of range (PTX ISA: shfl.sync).
int shuffle_source(std::string_view opcode, int lane, std::uint32_t b, std::uint32_t c) {
  const int amount = static_cast<int>(b & 31), clamp = static_cast<int>(c & 31),
            segment = static_cast<int>(c >> 8 & 31);
  const int most = (lane & segment) | (clamp & ~segment);
  if (has(opcode, ".up")) return lane - amount >= most ? lane - amount : lane;
  const int from = has(opcode, ".down")   ? lane + amount
                   : has(opcode, ".bfly") ? lane ^ amount
                                          : (lane & segment) | (amount & ~segment);
  return from <= most ? from : lane;
}

constexpr std::uint32_t thread_in_block(const Warp& w, int lane) {
  return w.index * kLanes + static_cast<std::uint32_t>(lane);
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

/// What is known of a resident block.
struct Sanitizer::Block {
  Block(std::uint32_t block, std::uint32_t threads, const BlockContext& context)
      : history(block, threads),
        shared_bytes(context.warps[0].shared_bytes),
        local_bytes(std::uint64_t{context.warps[0].local_stride} * threads),
        race(shared_bytes),
        init(shared_bytes),
        local_init(local_bytes) {}
  BlockHistory history;
  std::uint64_t shared_bytes, local_bytes;
  RaceShadow race;
  InitShadow init, local_init;
};

Sanitizer::Sanitizer(const LaunchState& launch, Tools tools, InitMap& initialised)
    : launch_(launch),
      program_(*launch.program),
      tools_(tools),
      initialised_(initialised),
      threads_(static_cast<std::uint32_t>(launch.block.volume())) {
  for (const Site& site : program_.sites) accesses_.push_back(access_of(site));
  if (tools_.racecheck && launch.grid.volume() * threads_ >= UINT32_MAX)
    throw LaunchError(
        "fault",
        fmt::format("racecheck follows up to 2^32 threads, this launch has {}", launch.grid.volume() * threads_), {},
        "choose a smaller n");
}
Sanitizer::~Sanitizer() = default;

Sanitizer::Block& Sanitizer::block_of(const Warp& w) { return *blocks_.at(w.block->linear); }

void Sanitizer::block_started(const BlockContext& block) {
  auto& entry = blocks_[block.linear];
  if (!idle_.empty()) {
    entry = std::move(idle_.back());
    idle_.pop_back();
    entry->history = BlockHistory(static_cast<std::uint32_t>(block.linear), threads_);
    entry->race.clear();
    entry->init.set_range(0, entry->shared_bytes, false);
    entry->local_init.set_range(0, entry->local_bytes, false);
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
  if (!tools_.racecheck) return true;
  if (shadows_.size() <= last_->index) shadows_.resize(last_->index + 1);
  auto& shadow = shadows_[last_->index];
  if (!shadow) shadow = std::make_unique<RaceShadow>(last_->bytes);
  place.race = shadow.get();
  return true;
}

void Sanitizer::access(Warp& w, const MicroOp* op) {
  const Access& access = accesses_[op->site];
  const bool orders = access.atomic || access.strong || access.is_volatile;
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

Sanitizer::SyncKey Sanitizer::key_of(const Warp& w, const Place& place) const {
  return {place.shared ? static_cast<std::uint32_t>(w.block->linear) : kNoBlock, place.address};
}

void Sanitizer::acquire_by(Warp& w, const MicroOp* op, const Place& place, int lane) {
  const Access& access = accesses_[op->site];
  if (access.store) return;
  const auto found = syncs_.find(key_of(w, place));
  if (found == syncs_.end()) return;
  BlockHistory& history = block_of(w).history;
  if (access.atomic || access.acquires)
    history.acquire(thread_in_block(w, lane), found->second.acquire());
  else
    history.acquire_at_fence(thread_in_block(w, lane), found->second.acquire());
}

void Sanitizer::release_by(Warp& w, const MicroOp* op, const Place& place, int lane) {
  const Access& access = accesses_[op->site];
  BlockHistory& history = block_of(w).history;
  const std::uint32_t thread = thread_in_block(w, lane);
  if (access.load || !(access.releases || history.has_fenced(thread))) return;
  syncs_[key_of(w, place)].release(history.release(thread, access.releases));
}

/// A flag: stored as volatile behind a fence, polled by volatile loads.
bool Sanitizer::ordered_by_flag(Warp& w, const Access& now, const Place& place, std::uint32_t thread,
                                std::uint32_t earlier_site) {
  if (!now.is_volatile || !accesses_[earlier_site].is_volatile) return false;
  return now.store ? block_of(w).history.has_fenced(thread) : syncs_.count(key_of(w, place)) != 0;
}

void Sanitizer::check_readers(Warp& w, const MicroOp* op, const Place& place, int lane, const ReadCell& reader) {
  if (reader.clock == 0) return;
  const Access& now = accesses_[op->site];
  const std::uint32_t warps = (threads_ + kLanes - 1) / kLanes;
  const std::uint32_t block = reader.warp / warps, first = reader.warp % warps * kLanes;
  const std::uint32_t thread = thread_in_block(w, lane);
  const BlockHistory& history = block_of(w).history;
  const Access& earlier = accesses_[reader.site];
  if ((now.atomic || now.strong) && (earlier.atomic || earlier.strong)) return;
  for (std::uint32_t left = reader.lanes; left; left &= left - 1) {
    const std::uint32_t other = first + static_cast<std::uint32_t>(std::countr_zero(left));
    if ((block == w.block->linear && other == thread) || history.knows(thread, block, other, reader.clock)) continue;
    if (ordered_by_flag(w, now, place, thread, reader.site)) continue;
    return accuse_race(w, op, place, lane, block * threads_ + other, reader.site);
  }
}

void Sanitizer::remember_read(Block& block, std::uint64_t cell, RaceShadow& shadow, const ReadCell& now,
                              std::uint32_t thread) {
  const std::uint32_t warps = (threads_ + kLanes - 1) / kLanes;
  const auto over = [&](const ReadCell& old) {
    if (old.clock == 0 || (old.warp == now.warp && old.lanes == now.lanes)) return true;
    const std::uint32_t first = old.warp % warps * kLanes;
    for (std::uint32_t left = old.lanes; left; left &= left - 1)
      if (!block.history.knows(thread, old.warp / warps, first + static_cast<std::uint32_t>(std::countr_zero(left)),
                               old.clock))
        return false;
    return true;
  };
  ReadCell& first = shadow.first_reader(cell);
  if (over(first)) {
    first = now;
    return;
  }
  ReadCell& place = first.warp == now.warp ? first : shadow.last_reader(cell);
  if (place.warp == now.warp && place.clock != 0) {
    place.lanes |= now.lanes;
    place.clock = std::max(place.clock, now.clock);
  } else {
    place = now;
  }
}

void Sanitizer::check_race(Warp& w, const MicroOp* op, const Place& place, int lane) {
  const Access& now = accesses_[op->site];
  Block& block = block_of(w);
  const std::uint32_t thread = thread_in_block(w, lane);
  const std::uint32_t in_grid = static_cast<std::uint32_t>(w.block->linear) * threads_ + thread;
  const Clock clock = block.history.clock(thread);
  const Stored value(w, op, now, lane);
  if (now.store && std::memcmp(value.bytes.data(), place.host, now.bytes) == 0) return;
  place.race->refine(now.bytes);
  const std::uint32_t granule = place.race->granule();
  const std::uint64_t end = (place.offset + now.bytes + granule - 1) / granule;
  place.race->touch(end);
  const std::uint32_t warps = (threads_ + kLanes - 1) / kLanes;
  const ReadCell reading{static_cast<std::uint32_t>(w.block->linear) * warps + w.index, 1u << lane, clock, op->site};
  for (std::uint64_t cell = place.offset / granule; cell < end; ++cell) {
    WriteCell& written = place.race->written(cell);
    if (written.clock && written.thread != in_grid) {
      const Access& earlier = accesses_[written.site];
      const std::uint32_t other = written.thread % threads_;
      const bool atomics = (now.atomic || now.strong) && (earlier.atomic || earlier.strong);
      // Lanes of one instruction that store the same value to one place change nothing for each other.
      const bool same_store = now.store && written.site == op->site && written.thread / threads_ == w.block->linear &&
                              other / kLanes == w.index &&
                              Stored(w, op, now, static_cast<int>(other % kLanes)).bytes == value.bytes;
      if (!atomics && !same_store && !block.history.knows(thread, written.thread / threads_, other, written.clock) &&
          !ordered_by_flag(w, now, place, thread, written.site))
        accuse_race(w, op, place, lane, written.thread, written.site);
    }
    if (now.load) {
      remember_read(block, cell, *place.race, reading, thread);
      continue;
    }
    check_readers(w, op, place, lane, place.race->first_reader(cell));
    check_readers(w, op, place, lane, place.race->last_reader(cell));
    place.race->first_reader(cell) = {};
    place.race->last_reader(cell) = {};
    written = {in_grid, clock, op->site};
  }
}

void Sanitizer::fence(Warp& w) {
  if (!tools_.racecheck) return;
  BlockHistory& history = block_of(w).history;
  for (std::uint32_t left = w.mask; left; left &= left - 1) history.fence(thread_in_block(w, std::countr_zero(left)));
}

void Sanitizer::warp_synchronised(Warp& w, std::uint32_t lanes) {
  if (tools_.racecheck) block_of(w).history.warp_sync(w.index, lanes, w.live);
}

void Sanitizer::barrier_reached(Warp& w, std::uint32_t number, std::uint32_t lanes) {
  if (!tools_.racecheck) return;
  BlockHistory& history = block_of(w).history;
  SyncObject& barrier = syncs_[{static_cast<std::uint32_t>(w.block->linear), kSharedWindow + number}];
  for (std::uint32_t left = lanes; left; left &= left - 1)
    barrier.release(history.release(thread_in_block(w, std::countr_zero(left)), true));
}

void Sanitizer::barrier_completed(const BlockContext& context, std::uint32_t number, bool everyone) {
  Block& block = *blocks_.at(context.linear);
  const auto waits = [&](const Split& s) { return s.state == Split::State::barrier && s.barrier == number; };
  const auto barrier = syncs_.find({static_cast<std::uint32_t>(context.linear), kSharedWindow + number});
  for (const Warp& w : context.warps) {
    const Split* first = nullptr;
    for (const Split& split : w.splits) {
      if (!waits(split)) continue;
      if (!everyone && barrier != syncs_.end())
        for (std::uint32_t left = split.mask; left; left &= left - 1)
          block.history.acquire(thread_in_block(w, std::countr_zero(left)), barrier->second.acquire());
      if (!first) {
        first = &split;
        continue;
      }
      const std::string_view opcode = program_.sites[split.resume[-1].site].instruction->opcode;
      if (!tools_.synccheck || (!opcode.starts_with("bar.") && !has(opcode, ".aligned"))) continue;
      accuse(
          "synccheck", who(w, std::countr_zero(first->mask), first->resume[-1].site),
          who(w, std::countr_zero(split.mask), split.resume[-1].site),
          "threads of one warp reach the barrier apart, in divergent code; every thread of the warp has to reach the "
          "same __syncthreads() together",
          {});
    }
  }
  if (everyone && tools_.racecheck) block.history.barrier();
}

void Sanitizer::collective(Warp& w, const MicroOp* op) {
  const Site& site = program_.sites[op->site];
  const auto& operands = site.row->meaning.operands;
  int entry = 0, mask_entry = -1;
  for (const OperandType& operand : operands) {
    if (operand.role == Role::in) mask_entry = entry;
    if (operand.role != Role::none) entry += operand.vector;
  }
  if (mask_entry < 0 || site.row->unit != Unit::warp) return;
  const auto lane_value = [&](int k, int lane) {
    return reinterpret_cast<const std::uint32_t*>(w.regs + op->r[static_cast<std::size_t>(k)])[lane];
  };
  const std::uint32_t members = lane_value(mask_entry, std::countr_zero(w.mask));
  if ((members & w.live & ~w.mask) == 0) warp_synchronised(w, members & w.mask);
  if (!tools_.synccheck) return;
  const bool shuffles = site.instruction->opcode.starts_with("shfl");
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto accuse_lane = [&](const std::string& message) {
      accuse("synccheck", who(w, lane, op->site), {}, message, {});
    };
    const std::uint32_t mask = lane_value(mask_entry, lane);
    if (mask != members) accuse_lane("lanes of one warp name different member masks; all have to name the same lanes");
    if (!(mask >> lane & 1))
      accuse_lane("a thread is not in the member mask that it names; the mask has to name every lane that comes here");
    if (!shuffles) continue;
    const auto from = shuffle_source(site.instruction->opcode, lane, lane_value(3, lane), lane_value(4, lane));
    if (from != lane && (!(members >> from & 1) || !(w.live >> from & 1)))
      accuse_lane(w.live >> from & 1 ? "a shuffle reads a lane that is not in the member mask; its value is undefined"
                                     : "a shuffle reads a lane that has exited; its value is undefined");
  }
}

const MicroOp* observe_access(Warp& w, const MicroOp* op) {
  w.block->launch.sanitizer->access(w, op);
  return op + 1;
}
const MicroOp* observe_fence(Warp& w, const MicroOp* op) {
  w.block->launch.sanitizer->fence(w);
  return op + 1;
}
const MicroOp* observe_collective(Warp& w, const MicroOp* op) {
  w.block->launch.sanitizer->collective(w, op);
  return op + 1;
}

}  // namespace gpulab::simt
