// Loads and stores of shared memory by whole warps whose addresses follow from lane 0's (emit.h). Those of a basic
// block that go by one register are looked at together, where the first of them is: whether all are aligned and lie in
// the block's memory. Where they do not, one will fault, and the interpreter goes on there to see which. So no access
// has a slow way of its own, which would be most of the code.

#include <algorithm>

#include "common/simt/compiled/emit/emit.h"

namespace gpulab::simt::compiled {

namespace {
using Kind = Operation::Kind;

/// Of some accesses: where lanes' bytes lie from lane 0's register on, and what makes them aligned.
struct Reach {
  std::int64_t lowest = INT64_MAX, end = INT64_MIN;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> alignments{};  ///< the width, and the offset within it

  void add(const Operation& o, const Lanes& lanes) {
    const auto [least, most] = std::ranges::minmax(lanes);
    lowest = std::min(lowest, o.op->imm + least);
    end = std::max(end, o.op->imm + most + o.width);
    const std::pair one{o.width, static_cast<std::uint32_t>(o.op->imm) & (o.width - 1)};
    if (std::ranges::find(alignments, one) == alignments.end()) alignments.push_back(one);
  }
};
}  // namespace

/// Lane 0's register. As a signed number: a register below zero and an offset that leads back are an address, too.
Value Emitter::shared_start(Variable v) { return is_wide(v) ? scalar(v) : b_.cast(kSExt, scalar(v), b_.integer(64)); }

/// From operation k on, as long as nothing else may run between and the register stays.
void Emitter::check_from(std::uint32_t block, std::size_t k) {
  const auto& list = all_.blocks[block];
  const Variable v = list[k].address;
  Reach reach;
  for (std::size_t i = k; i < list.size(); ++i) {
    const Operation& o = list[i];
    if (o.kind != Kind::nothing && o.kind != Kind::value && o.kind != Kind::access && o.kind != Kind::handler) break;
    if (o.kind == Kind::access && o.shared && o.address == v && flow_.is_inline(o, now_))
      reach.add(o, flow_.lanes(now_[v].lanes));
    if (std::ranges::find(o.out, v) != o.out.end()) break;
  }
  const Value start = shared_start(v);
  const Value low = b_.add(start, b_.k64(static_cast<std::uint64_t>(reach.lowest)));
  Value good = b_.both(b_.compare(kUnsignedLessEqual, low, shared_bytes_),
                       b_.compare(kUnsignedLessEqual, b_.k64(static_cast<std::uint64_t>(reach.end - reach.lowest)),
                                  b_.sub(shared_bytes_, low)));
  for (const auto& [width, offset] : reach.alignments)
    good = b_.both(good, b_.compare(kEqual, b_.both(b_.add(start, b_.k64(offset)), b_.k64(width - 1)), b_.k64(0)));
  const Block on = fresh("in_shared"), off = fresh("faults");
  b_.go_if(good, on, off);
  b_.begin(off);
  leave(block, k);
  b_.begin(on);
  checked_.push_back(v);
}

void Emitter::emit_checked(std::uint32_t block, std::size_t k) {
  const Operation& o = all_.blocks[block][k];
  if (std::ranges::find(checked_, o.address) == checked_.end()) check_from(block, k);
  inlined_.push_back(o.op->site);
  const Lanes lanes = flow_.lanes(now_[o.address].lanes);
  const std::int64_t least = std::ranges::min(lanes);
  const Value first = b_.add(shared_start(o.address), b_.k64(static_cast<std::uint64_t>(o.op->imm + least)));
  const Value host = b_.at(shared_, first);
  if (o.load) {
    const bool words = flow_.is_one_for_all(o, now_);
    std::vector<Value> loaded;
    if (o.values == 1)
      loaded.push_back(load_inline(o, lanes, host, least));
    else
      loaded = words ? words_of(o, host) : access_several(o, host);
    flow_.pass(o, now_);
    for (std::size_t k = 0; k < loaded.size(); ++k) set(o.out[k], loaded[k], now_[o.out[k]]);
  } else if (o.values != 1) {
    access_several(o, host);
  } else {
    store_inline(o, host, vector(o.data));
  }
  if (o.counted) count_shared(o, lanes);
}

}  // namespace gpulab::simt::compiled
