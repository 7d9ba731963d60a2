// initcheck: memory that is read before anything was written there, by loads whose value is used, and variables that
// are used before they have a value (values/undefined_values.h). Which bytes of global memory hold a value is kept from
// launch to launch; shared and local memory and registers hold none when a block starts.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "common/simt/observers/accusations.h"
#include "common/simt/observers/block_states.h"
#include "common/simt/observers/locator.h"
#include "common/simt/observers/shadows/init_shadow.h"
#include "common/simt/observers/tool.h"
#include "common/simt/observers/values/undefined_values.h"

namespace gpulab::simt {

namespace {

/// A resident block's shared memory, and the local memory of its threads.
struct BlockMemory {
  explicit BlockMemory(const BlockContext& block)
      : shared_bytes(block.warps[0].shared_bytes),
        local_bytes(std::uint64_t{block.warps[0].local_bytes} * block.launch.block.volume()),
        shared(shared_bytes),
        local(local_bytes) {}
  void restart(const BlockContext&) {
    shared.set_range(0, shared_bytes, false);
    local.set_range(0, local_bytes, false);
  }
  std::uint64_t shared_bytes, local_bytes;
  InitShadow shared, local;
};

class Initcheck final : public Observer, public UndefinedSource {
 public:
  explicit Initcheck(const ToolParts& parts)
      : Observer(kWatchAccesses), locator_(parts.locator), values_(parts.values), accusations_(parts.accusations) {
    values_.follow();
  }

  void allocated(const Allocation& allocation) override {
    if (!lost_) add(allocation);
  }
  void index_freed(std::uint32_t allocation) override {
    if (allocation < global_.size()) global_[allocation].reset();
  }
  void written(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes) override {
    set(allocation, offset, bytes, true);
  }
  void forgotten(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes) override {
    set(allocation, offset, bytes, false);
  }

  void never_written(const Allocation& allocation, const Stretch& asked, std::vector<Stretch>& into) override {
    if (lost_ || blind_ || allocation.index >= global_.size() || !global_[allocation.index]) return;
    global_[allocation.index]->add_unknown(asked, into, kMostRanges);
  }

  /// It knows no longer which bytes hold a value, and will never again.
  void lacks_memory() override {
    lost_ = true;
    global_.clear();
    blocks_.clear();
    if (std::exchange(on_, false) && program_) accusations_.warn_unchecked("initcheck", *program_, kLacksMemory);
  }

  /// A tool that does not see all writes would accuse the innocent: it says so and stays out.
  void grid_started(const LaunchState& launch) override {
    blocks_.clear();
    program_ = launch.program;
    if (lost_) return accusations_.warn_unchecked("initcheck", *program_, kLacksMemory);
    const auto& sites = launch.program->sites;
    const auto stores_matrix = [](const Site& s) {
      const std::uint16_t traits = s.row->meaning.traits;
      return (traits & kStore) && (traits & (kCollective | kOperandTable));
    };
    const bool stored = std::ranges::any_of(sites, stores_matrix);
    const bool copied = std::ranges::any_of(sites, [](const Site& s) { return (s.facts & kBulkCopy) != 0; });
    on_ = !stored && !copied;
    blind_ |= !on_;
    if (stored) accusations_.note_unchecked("initcheck", *launch.program, "what tensor-core stores write");
    if (copied) accusations_.note_unchecked("initcheck", *launch.program, "what bulk copies (cp.async.bulk) write");
  }
  void block_started(const BlockContext& block) override {
    if (on_) blocks_.start(block);
    // What is stored counts as used where this tool sees no stores.
    values_.mark_unset(block,
                       {.tool = "initcheck",
                        .message = "a variable is used before it was given a value; initialise it where it is declared",
                        .carried = on_});
  }
  void block_ended(const BlockContext& block) override { blocks_.end(block); }

  void access(Warp& w, const MicroOp* op) override {
    const std::uint32_t lanes = locator_.lanes();
    if (!on_ || !lanes) return;
    may_mark_.reset();
    const bool may_write_back = locator_.use().store && w.values_watched;
    const WrittenBack* back = may_write_back ? values_.write_back(w, op->site, locator_) : nullptr;
    if (locator_.in_one_stretch() && !back) {
      InitShadow* shadow = shadow_of(w, locator_.first_place());
      if (!shadow || known_together(*shadow)) return;
      check_each(w, op, *shadow);
      mark(w, op);
      return;
    }
    for (std::uint32_t left = lanes; left; left &= left - 1) check(w, op, std::countr_zero(left));
    for (std::uint32_t left = back ? back->lanes : 0; left; left &= left - 1) leave(w, *back, std::countr_zero(left));
    mark(w, op);
  }
  void grid_ended(const LaunchState&) override { program_ = nullptr; }
  void used(const Warp& w, int, const Place& place, std::uint32_t bytes) override {
    if (!on_) return;
    if (InitShadow* shadow = shadow_of(w, place)) shadow->set(place.offset, bytes);
  }
  void written_for(const Warp& w, int lane, std::uint64_t address, std::uint64_t bytes) override {
    if (!on_) return;
    if (address - kSharedWindow < kWindowBytes) {
      blocks_.of(*w.block).shared.set_range(without_own(address - kSharedWindow, w.own_window), bytes, true);
    } else if (address - kLocalWindow < kWindowBytes) {
      const std::uint64_t own = std::uint64_t{thread_in_block(w, lane)} * w.local_bytes;
      blocks_.of(*w.block).local.set_range(own + address - kLocalWindow, bytes, true);
    } else if (const Allocation* allocation = w.global->find(address)) {
      Place place;
      place.allocation = allocation;
      if (InitShadow* shadow = shadow_of(w, place)) shadow->set_range(address - allocation->address, bytes, true);
    }
  }
  void copied(Warp& w, int, std::uint32_t shared, std::uint32_t bytes, const MicroOp*) override {
    if (on_) blocks_.of(*w.block).shared.set_range(shared, bytes, true);
  }

 private:
  void add(const Allocation& allocation) {
    if (global_.size() <= allocation.index) global_.resize(allocation.index + 1);
    global_[allocation.index] = std::make_unique<InitShadow>(allocation.bytes);
  }
  void set(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes, bool known) {
    if (allocation.index < global_.size() && global_[allocation.index])
      global_[allocation.index]->set_range(offset, bytes, known);
  }
  /// nullptr: a variable of the module, or what else holds a value from the start.
  InitShadow* shadow_of(const Warp& w, const Place& place) {
    if (place.shared) return &blocks_.of(place.sibling != nullptr ? *place.sibling : *w.block).shared;
    if (place.local) return &blocks_.of(*w.block).local;
    const Allocation& allocation = *place.allocation;
    const bool is_known = allocation.index < global_.size() && global_[allocation.index];
    if (!is_known && allocation.mapped != 0) return nullptr;
    if (!is_known) add(allocation);  // by malloc, in a kernel
    return global_[allocation.index].get();
  }

  /// Where one look tells of all lanes. False: each lane has to be looked at.
  bool known_together(InitShadow& shadow) const {
    const MemoryUse& use = locator_.use();
    const std::uint64_t offset = locator_.first_place().offset;
    if (locator_.is_contiguous()) {
      const std::uint64_t bytes = std::uint64_t{kLanes} * use.bytes;
      if (shadow.known_range(offset, bytes)) return true;
      if (use.store) shadow.set_range(offset, bytes, true);
      return use.store;
    }
    return !use.store && locator_.is_uniform() && shadow.known(offset, use.bytes);
  }

  /// Of one stretch.
  void check_each(Warp& w, const MicroOp* op, InitShadow& shadow) {
    const MemoryUse& use = locator_.use();
    for (std::uint32_t left = locator_.lanes(); left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const std::uint64_t offset = locator_.offset(lane);
      if (use.store)
        shadow.set(offset, use.bytes);
      else if (!shadow.known(offset, use.bytes))
        check(w, op, lane);
    }
  }

  void check(Warp& w, const MicroOp* op, int lane) {
    w.block->charged += 2;  // of the budget, in warp instructions
    const MemoryUse& use = locator_.use();
    const Place place = locator_.place(lane);
    InitShadow* shadow = shadow_of(w, place);
    if (!shadow) return;
    // By these a word gets its first value, if nobody asks for the old one: cooperative groups clear the bits of their
    // warps so, one by one.
    const bool gives = (use.clears && !(op->mods & kResultUsed)) ||
                       (use.atomic && shadow->in_parts(place.offset, use.bytes));  // others may be no part of it
    if ((use.load || (use.atomic && !gives)) && !shadow->known(place.offset, use.bytes)) {
      const bool padding = use.load && may_be_padding(place, *shadow);
      if (use.load && may_mark(w, op)) return add_undefined(place, *shadow, lane, padding);
      if (padding) return;
      // What is read before it was written because nothing orders the two is a race, and told as one.
      if (!values_.accuse_carried(w, place))
        accusations_.add({.tool = "initcheck",
                          .message = message_for(place),
                          .address = name_of(*w.program, place, use.bytes),
                          .first = suspect(w, lane, op->site),
                          .unless_told_by = "racecheck"});
      shadow->set(place.offset, use.bytes);
    }
    if (use.store || gives) shadow->set(place.offset, use.bytes);
  }

  /// Bits that a lane writes back as undefined as they were.
  void leave(const Warp& w, const WrittenBack& back, int lane) {
    const MemoryUse& use = locator_.use();
    const Place place = locator_.place(lane);
    InitShadow* shadow = shadow_of(w, place);
    if (!shadow) return;
    for (std::uint32_t at = 0, k = 0; at < use.bytes && k < back.bits.size(); at += use.element, ++k)
      if (const std::uint64_t bits = back.bits[k][static_cast<std::size_t>(lane)])
        shadow->set_bits(place.offset + at, use.element, bits);
  }

  /// Asked once for all lanes of an access.
  bool may_mark(const Warp& w, const MicroOp* op) {
    if (!may_mark_) may_mark_ = values_.may_mark(w, op->site, "initcheck");
    return *may_mark_;
  }
  static std::string message_for(const Place& place, bool in_parts = false) {
    const std::string_view where = place.shared ? "shared" : place.local ? "local" : "global";
    if (in_parts)
      return fmt::format(
          "{} memory is read of which only some bits were written (a bit-field, or what |= set); initialise "
          "the others first",
          where);
    if (place.shared)
      return "shared memory is read before anything was written there; initialise it first: no thread wrote this "
             "element";
    return fmt::format("{} memory is read before anything was written there; initialise it first", where);
  }
  /// Whether what a lane loads may be a struct's members and the padding behind them: some of its bytes hold a value,
  /// or it is one of the bytes by which compilers copy padding, close behind one that does.
  [[nodiscard]] bool may_be_padding(const Place& place, const InitShadow& shadow) const {
    const MemoryUse& use = locator_.use();
    const auto any_known = [&](std::uint64_t at, std::uint32_t bytes) {
      return shadow.unknown(at, bytes) != (std::uint32_t{1} << bytes) - 1 || shadow.in_parts(at, bytes);
    };
    const auto before = static_cast<std::uint32_t>(place.offset & 15);  // 16: the largest alignment of a built-in type
    return any_known(place.offset, use.bytes) || (use.element == 1 && any_known(place.offset - before, before));
  }
  /// A lane loads values of which some are undefined.
  void add_undefined(const Place& place, const InitShadow& shadow, int lane, bool padding) {
    const MemoryUse& use = locator_.use();
    const auto at_lane = static_cast<std::size_t>(lane);
    if (padding) undefined_.padding |= 1u << lane;
    const std::uint32_t element = use.element ? use.element : use.bytes;
    for (std::uint32_t at = 0, k = 0; at < use.bytes && k < undefined_.undefined.size(); at += element, ++k)
      for (std::uint32_t half = 0; half < element; half += 8)  // of 16 bytes, all that is known
        undefined_.undefined[k][at_lane] |= shadow.unknown_bits(place.offset + at + half, std::min(element, 8u));
    const bool in_parts = shadow.in_parts(place.offset, use.bytes);
    undefined_.in_parts |= static_cast<std::uint32_t>(in_parts) << lane;
    undefined_.places[at_lane] = place;
    if (undefined_.message.empty()) undefined_.message = message_for(place, in_parts);
  }
  /// The warp's registers, as far as they receive such values.
  void mark(Warp& w, const MicroOp* op) {
    if (undefined_.message.empty()) return;
    undefined_.tool = "initcheck";
    undefined_.unless_told_by = "racecheck";
    undefined_.source = this;
    undefined_.carried = true;
    undefined_.bytes = locator_.use().bytes;
    undefined_.element = locator_.use().element <= 8 ? locator_.use().element : 0;
    values_.mark(w, op->site, std::exchange(undefined_, {}));
  }

  Locator& locator_;
  UndefinedValues& values_;
  Accusations& accusations_;
  Undefined undefined_;                              ///< by the access at hand
  std::optional<bool> may_mark_;                     ///< there
  const Program* program_ = nullptr;                 ///< that runs
  bool on_ = true;                                   ///< for this grid
  bool blind_ = false;                               ///< there was a grid whose stores it has not seen
  bool lost_ = false;                                ///< there was no memory for what it knows of global memory
  std::vector<std::unique_ptr<InitShadow>> global_;  ///< by Allocation::index
  BlockStates<BlockMemory> blocks_;
};

}  // namespace

namespace tools {
extern const ToolKind initcheck{"initcheck", 30, [](const ToolParts& parts) -> std::unique_ptr<Observer> {
                                  return std::make_unique<Initcheck>(parts);
                                }};
}  // namespace tools

}  // namespace gpulab::simt
