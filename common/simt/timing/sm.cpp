#include "common/simt/timing/sm.h"

#include <algorithm>

#include "common/simt/timing/access_layouts.h"
#include "common/simt/timing/code/instruction_cache.h"
#include "common/simt/timing/event_queue.h"
#include "common/simt/timing/pipes.h"
#include "common/simt/timing/sm_memory.h"

namespace gpulab::simt {

namespace {

using Kind = TimedInstruction::Kind;

struct RunningWarp {
  std::uint32_t block = 0, index = 0;  ///< which of the blocks, and of its warps
  std::uint32_t partition = 0;
  std::size_t event = 0;                   ///< the next of its trace
  const TimedInstruction* next = nullptr;  ///< that waits to issue, and
  double operands = 0;                     ///< when its operands are there
  const std::vector<TimedInstruction>* code = nullptr;
  std::size_t at = 0;                                            ///< instruction of `code`
  std::size_t accesses_begin = 0;                                ///< events of what runs now, and of each instruction's
  std::shared_ptr<const std::vector<std::uint32_t>> accesses{};  ///< access the event behind that
  std::vector<double> ready;                                     ///< of its registers
  std::vector<std::uint32_t> producer;  ///< the sites that wrote them, where there is an account
  double since = 0;                     ///< when it could have gone on; the same
  double start = 0;
  double last_end = 0;         ///< of the instruction that issued last; where issues are kept
  double held = 0;             ///< cycles that it was held since, by a barrier or for a result,
  Stall holder = Stall::none;  ///< and by which
};

struct RunningBlock {
  const BlockTrace* trace = nullptr;
  std::uint32_t live = 0;
  double start = 0;
  std::vector<std::uint32_t> waiting{};  ///< warps at a barrier
  double arrived = 0;                    ///< the last of them
  double released = -1e18;               ///< when its warps went on behind the last barrier
};

class Sm {
 public:
  Sm(const GpuTiming& gpu, const TimedCode& code, std::span<const BlockTrace> blocks, double interval,
     const MemoryShare& share, std::size_t sites, bool log)
      : gpu_(gpu),
        code_(code),
        traces_(blocks),
        interval_(interval),
        memory_(gpu, share, result_),
        pipes_(gpu, result_),
        instructions_(code, share.cold_code),
        account_(sites),
        log_(log) {}

  SmResult run(std::uint32_t resident) {
    for (std::uint32_t i = 0; i < resident && next_block_ < traces_.size(); ++i) start_block(0);
    while (!queue_.empty()) {
      step(queue_.first(), queue_.first_time());
      if (queue_.empty()) release_all();
    }
    result_.cycles = std::max(end_, memory_.drained());
    result_.sites = account_.take();
    return std::move(result_);
  }

 private:
  void start_block(double now) {
    const BlockTrace& trace = traces_[next_block_++];
    const double start = std::max(now, next_start_);
    next_start_ = start + interval_;
    const auto number = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back({.trace = &trace, .live = static_cast<std::uint32_t>(trace.warps.size()), .start = start});
    for (std::uint32_t i = 0; i < trace.warps.size(); ++i) {
      std::uint32_t id;
      if (free_.empty()) {
        id = static_cast<std::uint32_t>(warps_.size());
        warps_.emplace_back();
      } else {
        id = free_.back();
        free_.pop_back();
      }
      RunningWarp& w = warps_[id];
      std::vector<double> ready = std::move(w.ready);
      ready.assign(code_.registers() + 1, start);
      w = {};
      w.ready = std::move(ready);
      w.block = number;
      w.index = i;
      w.partition = next_partition_++ % kPartitions;
      w.start = w.since = w.last_end = start;
      if (account_.is_on()) w.producer.assign(code_.registers() + 1, UINT32_MAX);
      queue_.add(id, start);
    }
    // Warps go to the partitions in turn, those of the next block, too; but blocks of four, eight … begin with one
    // partition after the other (%warpid of an H100's first blocks; where one warp of four has all the work, four times
    // as much gets done as one partition can).
    if (trace.warps.size() % kPartitions == 0) ++next_partition_;
  }

  static std::size_t behind_accesses(const std::vector<TraceEvent>& events, std::size_t at) {
    while (at < events.size() && (events[at].what & TraceEvent::kAccess)) ++at;
    return at;
  }
  /// Where a warp's events go on behind one turn of a region that starts at `at`; 0: it goes another way.
  static std::size_t behind(const TimedRegion& region, const std::vector<TraceEvent>& events, std::size_t at) {
    at = behind_accesses(events, at + 1);
    for (const TimedRegion::Step& step : region.steps) {
      for (std::size_t i = 0; i < step.ways.size(); ++i)
        if (at < events.size() && std::find(step.ways.begin(), step.ways.end(), events[at].what) != step.ways.end())
          at = behind_accesses(events, at + 1);
      if (at == events.size() || events[at].what != step.join) return 0;
      at = behind_accesses(events, at + 1);
    }
    return at;
  }
  /// Takes a region's turn or, where the warp takes as many as are unrolled, all of these as one.
  bool take(RunningWarp& w, const TimedRegion& region, const std::vector<TraceEvent>& events) {
    const std::uint32_t head = events[w.event].what;
    std::size_t end = behind(region, events, w.event);
    if (end == 0) return false;
    w.code = &region.code;
    w.at = 0;
    w.accesses_begin = w.event + 1;
    w.event = end;
    if (!region.unrolled.empty()) {
      for (std::uint32_t turn = 1; turn < TimedCode::kTurns && end; ++turn)
        end = end < events.size() && events[end].what == head ? behind(region, events, end) : 0;
      if (end) {
        w.code = &region.unrolled;
        w.event = end;
      }
    }
    w.accesses = layouts_.of(*w.code, head, std::span(events).subspan(w.accesses_begin, w.event - w.accesses_begin),
                             *blocks_[w.block].trace);
    return true;
  }

  /// The next instruction of a warp, nullptr: there is none.
  const TimedInstruction* fetch(RunningWarp& w) {
    const auto& events = blocks_[w.block].trace->warps[w.index];
    while (!w.code || w.at == w.code->size()) {
      w.event = behind_accesses(events, w.event);
      if (w.event == events.size()) return nullptr;
      const std::uint32_t block = events[w.event].what;
      const TimedRegion* merged = code_.merged(block);
      if (!merged || !take(w, *merged, events)) take(w, code_.block(block), events);
    }
    return &(*w.code)[w.at];
  }

  /// Of a division: instructions of the way that it takes for a lane's operands. Of a nap: nanoseconds.
  double slow_way(const RunningWarp& w) const {
    const TracedAccess* a = access_of(w);
    return a ? a->slow : 0;
  }

  /// Of the instruction that runs.
  const TracedAccess* access_of(const RunningWarp& w) const {
    const std::uint32_t event = (*w.accesses)[w.at - 1];
    if (event == AccessLayouts::kNone) return nullptr;
    const BlockTrace& trace = *blocks_[w.block].trace;
    return &trace.accesses[trace.warps[w.index][w.accesses_begin + event].what & ~TraceEvent::kAccess];
  }

  double operands_ready(const RunningWarp& w, const TimedInstruction& t) const {
    double ready = 0;
    for (const std::uint16_t r : t.in) {
      if (!r) break;  // behind the last one there is none
      ready = std::max(ready, w.ready[r]);
    }
    return ready;
  }

  /// Who made the operand that comes last.
  std::uint32_t producer_of(const RunningWarp& w, const TimedInstruction& t) const {
    std::uint32_t producer = UINT32_MAX;
    double last = 0;
    for (const std::uint16_t r : t.in)
      if (r && w.ready[r] > last) {
        last = w.ready[r];
        producer = w.producer[r];
      }
    return producer;
  }
  static void note_results(RunningWarp& w, const TimedInstruction& t, std::uint32_t producer) {
    for (const std::uint16_t r : t.out)
      if (r) w.producer[r] = producer;
  }
  void note_issue(RunningWarp& w, const TimedInstruction& t, double at) {
    const double next = at + t.cost.issue;
    if (log_) log_issue(w, t, at);
    account_.issued(t.site, w.since, at, next, producer_of(w, t), operands_ready(w, t));
    note_results(w, t, t.site);
    w.since = next;
  }

  void log_issue(RunningWarp& w, const TimedInstruction& t, double at) {
    const double operands = std::clamp(operands_ready(w, t) - w.since, 0.0, at - w.since);
    const double pipes = at - w.since - operands;
    const double waited = at - w.last_end;
    Stall stall = waited <= 0 ? Stall::none : Stall::issue;
    if (operands > pipes) stall = account_.stall_of(producer_of(w, t));
    if (w.held > std::max(operands, pipes)) stall = w.holder;
    result_.issued.push_back(
        {blocks_[w.block].trace->linear, w.index, t.site, at, static_cast<float>(std::max(waited, 0.0)), stall});
    w.last_end = at + t.cost.issue;
    w.held = 0;
  }
  static void hold(RunningWarp& w, Stall by, double cycles) {
    w.holder = by;
    w.held += cycles;
  }

  /// A warp's registers are its own until all that it has asked for is there, read or not.
  double all_values_there(RunningWarp& w, double now) {
    const auto last = std::ranges::max_element(w.ready);
    if (*last <= now) return now;
    if (account_.is_on())
      if (const std::uint32_t producer = w.producer[static_cast<std::size_t>(last - w.ready.begin())];
          producer != UINT32_MAX)
        account_.waited_for(producer, *last - now);
    return *last;
  }

  /// A block beside what is kept of it: what was cut off goes on as what came before.
  static double whole_of(const BlockTrace& trace) {
    if (trace.most_of_warp == UINT64_MAX || trace.instructions == 0) return 1;
    return std::max(1.0, static_cast<double>(trace.executed) / static_cast<double>(trace.instructions));
  }

  void end_warp(std::uint32_t id, double now) {
    RunningWarp& w = warps_[id];
    RunningBlock& block = blocks_[w.block];
    result_.warp_cycles += now - w.start;
    end_ = std::max(end_, now);
    const std::uint64_t executed = block.trace->warp_instructions[w.index];
    if (executed > result_.busiest_executed) {
      result_.busiest_executed = executed;
      result_.busiest_warp = now - w.start;
    }
    const double each = (now - w.start) / static_cast<double>(std::max<std::uint64_t>(executed, 1));
    result_.fastest_instruction = std::min(result_.fastest_instruction, each);
    free_.push_back(id);
    if (--block.live) {
      if (block.waiting.size() == block.live) release(block, now);
      return;
    }
    result_.block_cycles += now - block.start;
    result_.block_ends.push_back(now);
    // Not the one that lives longest: one that executes little may have waited for others all the time.
    if (block.trace->executed > result_.most_executed) {
      result_.most_executed = block.trace->executed;
      result_.busiest_block = (now - block.start) * whole_of(*block.trace);
    }
    if (next_block_ < traces_.size()) start_block(now + gpu_.block_gap_cycles);
  }

  void release(RunningBlock& block, double now) {
    const double go = std::max(now, block.arrived) + gpu_.barrier_latency +
                      gpu_.barrier_warp_cycles * static_cast<double>(block.waiting.size());
    block.released = go;
    for (const std::uint32_t id : std::exchange(block.waiting, {})) {
      queue_.add(id, go);
      RunningWarp& w = warps_[id];
      if (account_.is_on()) account_.waited_at_barrier((*w.code)[w.at - 1].site, go - w.since);
      hold(w, Stall::barrier, go - w.since);
      w.since = go;
    }
    block.arrived = 0;
  }
  /// Barriers that not all warps come to (bar.arrive, named ones) hold nobody for ever.
  void release_all() {
    for (RunningBlock& block : blocks_)
      if (!block.waiting.empty()) release(block, block.arrived);
  }

  /// Finds the warp's next instruction that issues. Those before it that ptxas leaves out issue nothing: their results
  /// are there when their operands are. False: there is none, the warp has ended.
  bool find_next(RunningWarp& w, double time) {
    while (!w.next) {
      const TimedInstruction* t = fetch(w);
      if (!t) return false;
      w.operands = operands_ready(w, *t);
      if (t->cost.issue != 0) {
        w.next = t;
        return true;
      }
      if (t->constant_line) w.operands = std::max(w.operands, memory_.constant_line(time, t->constant_line));
      if (account_.is_on()) note_results(w, *t, producer_of(w, *t));
      for (const std::uint16_t r : t->out)
        if (r) w.ready[r] = w.operands;
      ++w.at;
    }
    return true;
  }

  /// The first warp of the queue, at `time`, which goes on until another comes before it. Where many wait for one pipe,
  /// most steps find it busy: of a matrix product by tiles of 32 seven of eight.
  void step(std::uint32_t id, double time) {
    RunningWarp& w = warps_[id];
    const double others = queue_.second_time();
    for (;;) {
      if (!find_next(w, time)) {
        queue_.remove_first();
        return end_warp(id, all_values_there(w, time));
      }
      const TimedInstruction& t = *w.next;
      const InstructionCost& cost = t.cost;
      double& issue_free = issue_free_[w.partition];
      const Pipe pipe = pipes_.freer(cost.pipe, w.partition);
      const double room = pipe == Pipe::memory ? memory_.has_room() : 0;
      const double at = std::max(
          {time, w.operands, issue_free, pipes_.free_at(pipe, w.partition), instructions_.there(t, time), room});
      if (at > time && others < at) return queue_.move_first(at);
      w.next = nullptr;
      ++w.at;
      const double more = cost.calls ? slow_way(w) : 0;  // of a division
      issue_free = at + cost.issue + more;
      result_.issue += (cost.issue + more) / 4.0;
      pipes_.occupy(cost, pipe, w.partition, at);
      const double kept = account_.is_on() && room >= at ? at - std::max(w.since, w.operands) : 0;
      if (account_.is_on()) note_issue(w, t, at);
      if (t.kind == Kind::barrier) queue_.remove_first();
      time = issue(id, t, at);
      if (kept > 0) account_.kept_waiting(t.site, kept);
      if (time < 0) return;  // at a barrier
      if (account_.is_on() && time > w.since) {
        account_.waited_for(t.site, time - w.since);
        hold(w, account_.stall_of(t.site), time - w.since);
        w.since = time;
      }
      if (others < time) return queue_.move_first(time);
    }
  }

  /// When the warp may issue again; -1: it waits at a barrier.
  double issue(std::uint32_t id, const TimedInstruction& t, double at) {
    RunningWarp& w = warps_[id];
    // A slow way's instructions wait for each other: 210 cycles for 32 of floats, 274 for 62 of doubles.
    const double slow = t.cost.calls ? slow_way(w) * (t.cost.pipe == Pipe::fp64 ? 4.5 : 6) : 0;
    const double next = at + t.cost.issue;
    double ready = at + t.cost.latency + slow;
    switch (t.kind) {
      case Kind::load:
      case Kind::store:
      case Kind::atomic:
        ready = access(w, t, at);
        break;
      case Kind::barrier: {
        RunningBlock& block = blocks_[w.block];
        block.waiting.push_back(id);
        block.arrived = std::max(block.arrived, at);
        if (block.waiting.size() == block.live) release(block, at);
        return -1;
      }
      case Kind::fence:
        return memory_.fence(at, t.of_block);
      case Kind::warp_sync:
      case Kind::nap:
        return at + std::max(2.0, slow_way(w) * gpu_.clock_ghz);
      case Kind::branch:
        return at + t.cost.latency;
      default:
        break;
    }
    if (t.constant_line) ready = std::max(ready, memory_.constant_line(at, t.constant_line));
    for (const std::uint16_t r : t.out)
      if (r) w.ready[r] = ready;
    // An indexed load of constant memory is done again for each address, and the warp goes on behind the last.
    const TracedAccess* const a = t.space == TimedInstruction::Space::constant ? access_of(w) : nullptr;
    const bool again = a && a->wavefronts > 1;
    return again || t.loop || (t.alone && t.kind != Kind::store) ? std::max(next, ready) : next;
  }

  /// A word of each lane in local memory: a line.
  double spill(const RunningWarp& w, const TimedInstruction& t, double at) {
    TracedAccess access;
    access.space = TracedAccess::Space::local;
    access.lines = 1;
    access.sectors = 4;
    std::array<std::uint64_t, 4> sectors{};
    const std::uint64_t first = (std::uint64_t{1} << 56) + (blocks_[w.block].trace->linear << 20) +
                                (std::uint64_t{w.index} << 12) + std::uint64_t{t.word} * 4;
    for (std::size_t i = 0; i < sectors.size(); ++i) sectors[i] = first + i;
    if (t.kind == Kind::load) return memory_.load(at, access, sectors, true);
    memory_.store(at, access, sectors, {});
    return at + 1;
  }

  double access(const RunningWarp& w, const TimedInstruction& t, double at) {
    if (t.spill) return spill(w, t, at);
    const TracedAccess* a = access_of(w);
    // Its guard holds for no lane: it takes its turn all the same (Nsight Compute counts a wavefront of such an LDS).
    if (!a) return t.space == TimedInstruction::Space::shared ? memory_.shared(at, 1) : at + 1;
    const bool constant = a->space == TracedAccess::Space::constant;
    if (account_.is_on()) account_.went_to(t.site, constant || a->space == TracedAccess::Space::shared);
    const BlockTrace& trace = *blocks_[w.block].trace;
    if (constant)
      return memory_.constant(at, a->wavefronts, t.apart,
                              std::span(trace.sectors.data() + a->first_sector, a->sectors));
    if (a->space == TracedAccess::Space::shared) {
      const double wavefronts = a->wavefronts;
      if (t.kind != Kind::atomic) return memory_.shared(at, wavefronts);
      const std::uint64_t place = (trace.linear << 32) + a->hot_sector;
      if (a->real) return memory_.shared_loop(at, place, a->same_address);
      if (a->retried) return memory_.shared_swap(at, place, a->same_address, wavefronts);
      const double queued = a->together ? 0 : a->same_address - 1;
      return memory_.shared(at, wavefronts + queued * gpu_.shared_atomic_cycles) + queued * gpu_.shared_atomic_latency;
    }
    const std::span sectors(trace.sectors.data() + a->first_sector, a->sectors);
    const double there = beyond_sm(w, t, at, *a, sectors);
    if (a->meeting) result_.met.push_back({w.block, a->meeting - 1u, at - blocks_[w.block].start, at, there});
    return there;
  }

  SmMemory::Storer storer_of(const RunningWarp& w, double at) const {
    constexpr double closely = 300;  // cycles: a load of shared memory by all warps of a block, not one of DRAM
    return {w.block, w.index, at - blocks_[w.block].released < closely};
  }

  double beyond_sm(const RunningWarp& w, const TimedInstruction& t, double at, const TracedAccess& a,
                   std::span<const std::uint64_t> sectors) {
    if (t.kind == Kind::store) {
      memory_.store(at, a, sectors, storer_of(w, at));
      return at + 1;
    }
    if (t.kind == Kind::atomic) {
      // Of halves a load of the words ahead of the first swap, and a swap for each lane of a word: 520 ns a turn, where
      // that of two halves takes 200 (one warp of each of 24 SMs, an H200).
      const double again = t.of_half ? gpu_.l2_latency + (a.same_address - 1) * gpu_.atomic_latency : 0;
      return memory_.atomic(at, a, sectors) + again;
    }
    // What another SM has just stored this one's L1 does not have.
    const bool cached = (t.cached && !a.handed) || a.space == TracedAccess::Space::local;
    return memory_.load(at, a, sectors, cached);
  }

  const GpuTiming& gpu_;
  const TimedCode& code_;
  const std::span<const BlockTrace> traces_;
  const double interval_;
  SmResult result_;
  SmMemory memory_;
  Pipes pipes_;
  InstructionCache instructions_;
  AccessLayouts layouts_;
  SiteAccount account_;
  const bool log_;  ///< keeps each issue
  EventQueue queue_;
  std::vector<RunningWarp> warps_;
  std::vector<RunningBlock> blocks_;
  std::vector<std::uint32_t> free_;
  std::size_t next_block_ = 0;
  std::uint32_t next_partition_ = 0;
  double next_start_ = 0, end_ = 0;
  std::array<double, kPartitions> issue_free_{};
};

}  // namespace

SmResult run_sm(const GpuTiming& gpu, const TimedCode& code, std::span<const BlockTrace> blocks, std::uint32_t resident,
                double block_interval, const MemoryShare& share, std::size_t sites, bool log) {
  return Sm(gpu, code, blocks, block_interval, share, sites, log).run(std::max(resident, 1u));
}

}  // namespace gpulab::simt
