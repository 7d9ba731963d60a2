// FunctionDecoder: what observers want to know of the code beyond single instructions: ways around barriers of the
// whole block (kWatchWays), and which instructions touch values that come from memory or other lanes (kWatchValues).

#include <algorithm>

#include "common/simt/decode/decoder.h"
#include "common/simt/machine/observer.h"

namespace gpulab::simt {

namespace {

/// Where code has more branches around barriers than this, or would take longer to look through, none is told.
constexpr std::uint32_t kMostWays = 256;
constexpr std::size_t kMostSteps = 1'000'000;

/// A barrier that waits for all threads of the block: it names no number of them.
bool is_of_the_whole_block(const Item& item) {
  if (item.kind != Item::Kind::instruction || !(item.entry.row->meaning.traits & kBarrier)) return false;
  const bool reduces = item.instruction->opcode.find(".red") != std::string_view::npos;
  return item.instruction->operands.size() == (reduces ? 3 : 1);
}

bool does_work(const Item& item) {
  if (item.kind != Item::Kind::instruction || item.entry.row->unit == Unit::param) return false;
  return item.instruction->call >= 0 || (item.entry.row->meaning.traits & (kStore | kAtomic | kBarrier));
}

}  // namespace

void find_waiting(Decoder& decoder, const std::vector<FunctionDecoder>& functions) {
  std::vector<std::vector<std::uint32_t>> callers(functions.size());
  std::vector<std::uint32_t> open;
  decoder.waits.assign(functions.size(), false);
  const auto mark = [&](std::uint32_t i) {
    if (decoder.waits[i]) return;
    decoder.waits[i] = true;
    open.push_back(i);
  };
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    for (const ptx::CallSite& call : functions[i].function().calls)
      if (const auto callee = decoder.function_index.find(call.target.name); callee != decoder.function_index.end())
        callers[callee->second].push_back(i);
    if (functions[i].has_barrier_of_the_block()) mark(i);
  }
  while (!open.empty()) {
    const std::uint32_t waits = open.back();
    open.pop_back();
    for (const std::uint32_t caller : callers[waits]) mark(caller);
  }
}

bool FunctionDecoder::has_barrier_of_the_block() const {
  return std::any_of(items_.begin(), items_.end(), is_of_the_whole_block);
}

/// Barriers of the whole block, and calls of functions that come to one.
std::vector<std::uint32_t> FunctionDecoder::find_waiting_items() const {
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    bool waits = is_of_the_whole_block(item);
    if (item.kind == Item::Kind::instruction && item.instruction->call >= 0) {
      const auto& target = function_.calls[static_cast<std::size_t>(item.instruction->call)].target;
      const auto callee = decoder_.function_index.find(target.name);
      waits = callee != decoder_.function_index.end() && decoder_.waits[callee->second];
    }
    if (waits) waiting.push_back(i);
  }
  return waiting;
}

/// A block is reached or not as a branch decides if it is on the way from one of the branch's targets to where its ways
/// meet (control dependence: Ferrante, Ottenstein, Warren, 1987).
void FunctionDecoder::find_detours() {
  const std::vector<std::uint32_t> waiting = find_waiting_items();
  if (waiting.empty()) return;
  constexpr std::uint32_t exit = ptx::ControlFlowGraph::exit;
  const auto& blocks = graph_.blocks;
  std::size_t steps = 0;
  std::vector<std::vector<std::uint32_t>> decided_by(blocks.size());
  for (std::uint32_t c = 0; c < blocks.size(); ++c) {
    if (graph_.successors(c).size() < 2) continue;
    for (std::uint32_t r : graph_.successors(c))
      for (; r != exit && r != blocks[c].post_dominator; r = blocks[r].post_dominator) {
        if (++steps > kMostSteps) return;
        if (decided_by[r].empty() || decided_by[r].back() != c) decided_by[r].push_back(c);
      }
  }
  Program& program = decoder_.program;
  const std::size_t known = program.detours.size();
  std::vector<std::uint32_t> meetings;
  ways_.resize(blocks.size());
  const std::uint32_t first_way = program.ways;
  for (const std::uint32_t item : waiting) {
    std::vector<std::uint32_t> open{graph_.block_of[item]};
    std::vector<bool> seen(blocks.size());
    for (; !open.empty(); ++steps) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (const std::uint32_t c : decided_by[at]) {
        if (seen[c]) continue;
        seen[c] = true;
        open.push_back(c);
        const std::uint32_t meeting = blocks[c].post_dominator;
        if (meeting == exit || items_[blocks[meeting].first].kind == Item::Kind::end) continue;
        int& way = ways_[c].branch;
        if (way < 0) {
          way = static_cast<int>(program.ways++);
          ways_[meeting].meetings.push_back(static_cast<std::uint32_t>(way));
          meetings.push_back(meeting);
        }
        program.detours.push_back({items_[item].site, static_cast<std::uint32_t>(way)});
      }
    }
    steps += blocks.size();
    if (program.ways - first_way <= kMostWays && steps <= kMostSteps) continue;
    program.detours.resize(known);
    program.ways = first_way;
    ways_.clear();
    return;
  }
  find_work_behind(meetings);
}

void FunctionDecoder::find_work_behind(const std::vector<std::uint32_t>& meetings) {
  std::vector<std::uint32_t> open = meetings;
  std::vector<bool> seen(graph_.blocks.size());
  while (!open.empty()) {
    const std::uint32_t b = open.back();
    open.pop_back();
    if (seen[b]) continue;
    seen[b] = true;
    const ptx::Block& block = graph_.blocks[b];
    for (std::uint32_t i = block.end; i-- > block.first;)
      if (does_work(items_[i])) ways_[b].work = i;
    for (const std::uint32_t next : graph_.successors(b))
      if (next != ptx::ControlFlowGraph::exit) open.push_back(next);
  }
}

void FunctionDecoder::push_way(WayPoint point, std::uint32_t way, std::uint32_t item) {
  MicroOp op;
  op.run = observe_way;
  op.site = items_[item].site;
  op.imm = static_cast<std::int32_t>(way);
  op.extra = static_cast<std::uint16_t>(point);
  push(op);
}

/// Where a basic block of the program begins.
void FunctionDecoder::push_entry(std::uint32_t item) {
  MicroOp op;
  op.run = observe_entry;
  op.site = items_[item].site;
  op.imm = static_cast<std::int32_t>(decoder_.program.blocks.size() - 1);
  push(op);
}

/// Where a block begins.
void FunctionDecoder::push_ways_of(std::uint32_t cfg_block) {
  if (ways_.empty()) return;
  const Ways& ways = ways_[cfg_block];
  for (const std::uint32_t way : ways.meetings) push_way(WayPoint::meeting, way, graph_.blocks[cfg_block].first);
  if (ways.work != ptx::ControlFlowGraph::exit) push_way(WayPoint::work, 0, ways.work);
}

void FunctionDecoder::find_values_from_afar() {
  from_afar_.assign(register_class_.size(), false);
  std::vector<std::vector<std::uint32_t>> readers(register_class_.size());
  std::vector<std::uint32_t> open;
  const auto add_results = [&](std::uint32_t item) {
    for (const std::uint32_t reg : writes_[item])
      if (!from_afar_[reg]) {
        from_afar_[reg] = true;
        open.push_back(reg);
      }
  };
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (item.kind != Item::Kind::instruction) continue;
    for (const std::uint32_t reg : reads_[i]) readers[reg].push_back(i);
    const bool loads = (item.entry.row->meaning.traits & (kLoad | kAtomic)) && item.entry.row->unit != Unit::param &&
                       item.entry.row->unit != Unit::constant;
    if (loads || (item.entry.facts & kShuffle)) add_results(i);
  }
  for (const std::uint32_t reg : allocation_.entering) {
    if (from_afar_[reg] || lasting_[reg] >= 0) continue;
    from_afar_[reg] = true;
    open.push_back(reg);
  }
  while (!open.empty()) {
    const std::uint32_t reg = open.back();
    open.pop_back();
    for (const std::uint32_t reader : readers[reg]) add_results(reader);
  }
  for (std::uint32_t reg = 0; reg < register_class_.size(); ++reg) {
    const bool has_place = allocation_.slots[reg] != ptx::Allocation::none || lasting_[reg] >= 0;
    decoder_.program.functions[index_].places.push_back({has_place ? slot_of(reg) : kNoOperand, from_afar_[reg]});
  }
}

bool FunctionDecoder::touches_values(std::uint32_t item) const {
  const auto comes_from_afar = [&](std::uint32_t reg) { return bool{from_afar_[reg]}; };
  return (decoder_.context.watches & kWatchValues) && !from_afar_.empty() &&
         (std::any_of(reads_[item].begin(), reads_[item].end(), comes_from_afar) ||
          std::any_of(writes_[item].begin(), writes_[item].end(), comes_from_afar));
}

}  // namespace gpulab::simt
