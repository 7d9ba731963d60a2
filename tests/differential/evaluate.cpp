#include "tests/differential/evaluate.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <stdexcept>

#include "tests/differential/arithmetic.h"

namespace gpulab::differential {
namespace {

using u64 = std::uint64_t;
using s64 = std::int64_t;
using u32 = std::uint32_t;

u64 truncated(u64 x, int bits) { return bits == 64 ? x : x & ((u64{1} << bits) - 1); }

/// Registers of one thread, or of a function that it runs.
struct Frame {
  std::array<std::array<u64, 8>, 4> values{};
  [[nodiscard]] u64 get(const Operand& o) const {
    if (o.literal) return o.bits;
    return o.index < 0 ? 0 : values[static_cast<std::size_t>(o.cls)][static_cast<std::size_t>(o.index)];
  }
  void set(const Operand& o, u64 bits) {
    if (o.index >= 0)
      values[static_cast<std::size_t>(o.cls)][static_cast<std::size_t>(o.index)] = truncated(bits, bits_of(o.cls));
  }
  [[nodiscard]] bool holds(const Condition& c) const {
    return (values[0][static_cast<std::size_t>(c.pred)] != 0) != c.negated;
  }
};

struct Thread {
  Frame frame;
  u32 of_grid = 0, of_block = 0;
  std::array<std::byte, kLocalBytes> local{};
  std::array<std::byte, kSharedBytes> shared{};
  bool finished = false;
};

/// Where a statement leaves its thread.
enum class Flow { next, leave_loop, next_turn, finished };

u64 result_of(const Reduction& one, u64 old, u64 b, u64 c) {
  const std::string_view f = one.operation;
  const int bits = one.bytes * 8;
  const auto number = [&](u64 x) {
    return one.type[0] == 's' && bits == 32 ? static_cast<s64>(static_cast<std::int32_t>(x)) : static_cast<s64>(x);
  };
  const bool less = one.type[0] == 's' ? number(b) < number(old) : b < old;
  if (f == "add") return old + b;
  if (f == "min") return less ? b : old;
  if (f == "max") return less ? old : b;
  if (f == "and") return old & b;
  if (f == "or") return old | b;
  if (f == "xor") return old ^ b;
  if (f == "exch") return b;
  if (f == "cas") return old == b ? c : old;
  if (f == "inc") return old >= b ? 0 : old + 1;
  if (f == "dec") return old == 0 || old > b ? b : old - 1;
  throw std::logic_error("an atomic without a meaning");
}

class Evaluation {
 public:
  Evaluation(const Program& program, const InstructionPool& pool)
      : program_(program), pool_(pool), buffers_(initial_buffers(program)) {}

  Buffers run() {
    for (u32 block = 0; block < program_.grid.x; ++block) run_block(block);
    return std::move(buffers_);
  }

 private:
  void run_block(u32 block) {
    const auto size = static_cast<u32>(program_.block.volume());
    std::vector<Thread> threads(size);
    for (u32 i = 0; i < size; ++i) {
      threads[i].of_block = i;
      threads[i].of_grid = block * size + i;
      read_registers(threads[i]);
    }
    for (const auto& s : program_.statements) {
      if (s.kind >= StatementKind::exchange)
        of_block(s, threads);
      else if (s.kind >= StatementKind::shuffle)
        for (u32 first = 0; first < size; first += 32) of_warp(s, threads, first, std::min(size - first, 32u));
      else
        for (auto& thread : threads)
          if (!thread.finished) thread.finished = execute(s, thread, thread.frame) == Flow::finished;
    }
    for (const auto& thread : threads) write_registers(thread);
  }

  [[nodiscard]] std::size_t word(const Thread& thread, std::size_t k) const {
    return k * program_.threads() + thread.of_grid;
  }
  void read_registers(Thread& thread) {
    std::size_t k = 0;
    for (const Class cls : {Class::b64, Class::b32, Class::b16})
      for (int i = 0; i < kRegisters[static_cast<std::size_t>(cls)]; ++i)
        thread.frame.set({cls, false, i, 0}, buffers_.init[word(thread, k++)]);
    for (int i = 0; i < kRegisters[0]; ++i)
      thread.frame.set({Class::pred, false, i, 0}, buffers_.init[word(thread, k)] >> i);
  }
  void write_registers(const Thread& thread) {
    std::size_t k = 0;
    for (const Class cls : {Class::b64, Class::b32, Class::b16})
      for (int i = 0; i < kRegisters[static_cast<std::size_t>(cls)]; ++i)
        buffers_.out[word(thread, k++)] = thread.frame.get({cls, false, i, 0});
    u64 preds = 0;
    for (int i = 0; i < kRegisters[0]; ++i) preds |= thread.frame.get({Class::pred, false, i, 0}) << i;
    buffers_.out[word(thread, k)] = preds;
  }

  // ---- one thread ----

  Flow execute(const std::vector<Statement>& list, Thread& thread, Frame& frame) {
    for (const auto& s : list)
      if (const Flow flow = execute(s, thread, frame); flow != Flow::next) return flow;
    return Flow::next;
  }
  Flow execute(const Statement& s, Thread& thread, Frame& frame) {
    switch (s.kind) {
      case StatementKind::branch:
        return execute(s.bodies[frame.holds(s.condition) ? 0 : 1], thread, frame);
      case StatementKind::loop:
        return loop(s, thread, frame);
      case StatementKind::leave:
        return !frame.holds(s.condition) ? Flow::next : s.variant ? Flow::next_turn : Flow::leave_loop;
      case StatementKind::table:
        return table(s, thread, frame);
      case StatementKind::finish:
        return frame.holds(s.condition) ? Flow::finished : Flow::next;
      default:
        if (!s.guarded || frame.holds(s.condition)) straight(s, thread, frame);
        return Flow::next;
    }
  }
  Flow loop(const Statement& s, Thread& thread, Frame& frame) {
    u64 trips = s.in[0].literal ? s.in[0].bits : frame.get(s.in[0]) & s.immediate;
    if (s.variant == 1) trips = std::max<u64>(trips, 1);
    for (; trips > 0; --trips) {
      const Flow flow = execute(s.bodies[0], thread, frame);
      if (flow == Flow::finished) return flow;
      if (flow == Flow::leave_loop) break;
    }
    return Flow::next;
  }
  Flow table(const Statement& s, Thread& thread, Frame& frame) {
    for (u64 i = frame.get(s.in[0]) & s.immediate; i < s.bodies.size(); ++i) {
      if (const Flow flow = execute(s.bodies[i], thread, frame); flow != Flow::next) return flow;
      if (s.variant == 0) break;
    }
    return Flow::next;
  }

  void straight(const Statement& s, Thread& thread, Frame& frame) {
    if (s.kind == StatementKind::instruction) return instruction(s, frame);
    if (s.kind == StatementKind::call) return call(s, thread, frame);
    if (s.kind == StatementKind::reduce) return reduce(s, frame);
    std::byte* at = place(s.access, thread, frame.get(s.in[0]));
    const auto bytes = static_cast<std::size_t>(s.access.bytes);
    if (s.kind == StatementKind::load) {
      for (std::size_t k = 0; k < s.out.size(); ++k) frame.set(s.out[k], loaded(s.access, at + k * bytes));
    } else if (s.kind == StatementKind::store) {
      for (std::size_t k = 1; k < s.in.size(); ++k) {
        const u64 bits = frame.get(s.in[k]);
        std::memcpy(at + (k - 1) * bytes, &bits, bytes);
      }
    } else {
      frame.set(s.out[0],
                changed(kFetchTable[static_cast<std::size_t>(s.variant)], at, frame.get(s.in[1]), frame.get(s.in[2])));
    }
  }
  void instruction(const Statement& s, Frame& frame) {
    Values in, out;
    for (std::size_t k = 0; k < s.in.size(); ++k) {
      in.bits[k] = frame.get(s.in[k]);
      in.present[k] = s.in[k].literal || s.in[k].index >= 0;
    }
    for (std::size_t k = 0; k < s.out.size(); ++k) out.present[k] = s.out[k].index >= 0;
    compute(pool_.at(s.instruction), s.immediate, in, out);
    for (std::size_t k = 0; k < s.out.size(); ++k) frame.set(s.out[k], out.bits[k]);
  }
  void call(const Statement& s, Thread& thread, Frame& frame) {
    Frame inner;
    for (std::size_t cls = 1; cls < 4; ++cls)
      for (std::size_t i = 0; i < 8; ++i) inner.values[cls][i] = i;
    inner.values[2][0] = frame.get(s.in[0]);
    inner.values[3][0] = frame.get(s.in[1]);
    for (std::size_t i = 0; i < 6; ++i) inner.values[0][i] = inner.values[2][0] >> i & 1;
    execute(program_.functions[static_cast<std::size_t>(s.variant)], thread, inner);
    frame.set(s.out[0], inner.values[3][0]);
  }
  static u64 loaded(const Access& a, const std::byte* from) {
    u64 bits = 0;
    std::memcpy(&bits, from, static_cast<std::size_t>(a.bytes));
    const int spare = 64 - a.bytes * 8;
    return a.type == 's' ? static_cast<u64>(static_cast<s64>(bits << spare) >> spare) : bits;
  }
  static u64 changed(const Reduction& one, std::byte* at, u64 b, u64 c) {
    u64 old = 0;
    std::memcpy(&old, at, static_cast<std::size_t>(one.bytes));
    const u64 value = result_of(one, old, b, c);
    std::memcpy(at, &value, static_cast<std::size_t>(one.bytes));
    return old;
  }
  void reduce(const Statement& s, Frame& frame) {
    const auto offset = static_cast<std::size_t>(s.variant) * 64 + (frame.get(s.in[0]) & 7) * 8;
    changed(kReductionTable[static_cast<std::size_t>(s.variant)], &buffers_.counters[offset], frame.get(s.in[1]), 0);
  }

  std::byte* place(const Access& a, Thread& thread, u64 index) {
    const auto size = static_cast<std::size_t>(a.bytes) * static_cast<std::size_t>(a.vector),
               fixed = static_cast<std::size_t>(a.fixed);
    const std::size_t n = program_.threads();
    const auto slot = [&](std::size_t range) { return static_cast<std::size_t>(index) % (range / size) * size; };
    switch (a.space) {
      case Space::input:
        if (a.pattern == Pattern::uniform) return &buffers_.input[fixed];
        if (a.pattern == Pattern::unit) return &buffers_.input[thread.of_grid * size % kInputBytes];
        return &buffers_.input[slot(kInputBytes)];
      case Space::own:
        return &buffers_.own[thread.of_grid * std::size_t{kOwnBytes} + slot(64) + fixed];
      case Space::rows:
        return &buffers_.own[n * kOwnBytes + static_cast<std::size_t>(std::countr_zero(size)) * 16 * n +
                             thread.of_grid * size];
      case Space::local:
        return &thread.local[slot(32) + fixed];
      default:
        return &thread.shared[slot(32) + fixed];
    }
  }

  // ---- a warp, a block ----

  void of_warp(const Statement& s, std::vector<Thread>& threads, u32 first, u32 count) {
    const u32 members = s.members & (count == 32 ? ~0u : (1u << count) - 1);
    if (members == 0) return;
    std::array<u64, 32> a{}, b{};
    u32 yes = 0;
    for (u32 lane = 0; lane < count; ++lane) {
      const Frame& frame = threads[first + lane].frame;
      if (!s.in.empty()) a[lane] = frame.get(s.in[0]);
      if (s.in.size() > 1) b[lane] = frame.get(s.in[1]);
      yes |= static_cast<u32>(frame.holds(s.condition)) << lane;
    }
    for (u32 lane = 0; lane < count; ++lane) {
      if (!(members >> lane & 1)) continue;
      Frame& frame = threads[first + lane].frame;
      if (s.kind == StatementKind::shuffle)
        shuffle(s, frame, a, static_cast<u32>(b[lane]), lane);
      else if (s.kind == StatementKind::vote)
        frame.set(s.out[0], verdict(s.variant, yes & members, members));
      else if (s.kind == StatementKind::match)
        match(s, frame, a, lane, members);
      else
        frame.set(s.out[0], reduced(s.variant, a, members));
    }
  }
  /// PTX ISA, shfl.sync: the pseudocode of its description.
  static void shuffle(const Statement& s, Frame& frame, const std::array<u64, 32>& a, u32 b, u32 lane) {
    const u32 bval = b & 31, cval = s.immediate & 31, segment = s.immediate >> 8 & 31;
    const u32 max_lane = (lane & segment) | (cval & ~segment), min_lane = lane & segment;
    s64 j = 0;
    bool in_range = false;
    if (s.variant == 0)
      j = s64{lane} - bval, in_range = j >= s64{max_lane};
    else if (s.variant == 1)
      j = s64{lane} + bval, in_range = j <= s64{max_lane};
    else if (s.variant == 2)
      j = lane ^ bval, in_range = j <= s64{max_lane};
    else
      j = min_lane | (bval & ~segment), in_range = j <= s64{max_lane};
    frame.set(s.out[0], a[in_range ? static_cast<std::size_t>(j) : lane]);
    frame.set(s.out[1], in_range);
  }
  static u64 verdict(int variant, u32 yes, u32 members) {
    if (variant == 0) return yes == members;
    if (variant == 1) return yes != 0;
    if (variant == 2) return yes == members || yes == 0;
    return yes;
  }
  static void match(const Statement& s, Frame& frame, const std::array<u64, 32>& a, u32 lane, u32 members) {
    const u64 mask = s.variant == 1 ? ~u64{0} : s.immediate;
    u32 same = 0;
    for (u32 other = 0; other < 32; ++other)
      same |= static_cast<u32>((a[other] & mask) == (a[lane] & mask) && (members >> other & 1)) << other;
    if (s.variant == 2) {
      frame.set(s.out[1], same == members);
      same = same == members ? members : 0;
    }
    frame.set(s.out[0], same);
  }
  static u64 reduced(int variant, const std::array<u64, 32>& a, u32 members) {
    u64 total = a[static_cast<std::size_t>(std::countr_zero(members))];
    for (u32 left = members & (members - 1); left != 0; left &= left - 1)
      total = truncated(result_of(kWarpReductions[static_cast<std::size_t>(variant)], total,
                                  a[static_cast<std::size_t>(std::countr_zero(left))], 0),
                        32);
    return total;
  }
  static void of_block(const Statement& s, std::vector<Thread>& threads) {
    const std::size_t size = threads.size();
    if (s.kind == StatementKind::block_vote) {
      std::size_t yes = 0;
      for (const auto& thread : threads) yes += thread.frame.holds(s.condition);
      for (auto& thread : threads)
        thread.frame.set(s.out[0], s.variant == 0 ? yes == size : s.variant == 1 ? yes != 0 : yes);
      return;
    }
    std::vector<u64> given;
    for (const auto& thread : threads) given.push_back(thread.frame.get(s.in[0]));
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t from = s.variant == 0   ? (i + s.immediate) % size
                               : s.variant == 1 ? size - 1 - i
                                                : threads[i].frame.get(s.in[1]) % size;
      threads[i].frame.set(s.out[0], given[from]);
    }
  }

  const Program& program_;
  const InstructionPool& pool_;
  Buffers buffers_;
};

/// A word that is interesting as an integer of some width or as a float.
u64 random_word(std::mt19937_64& random) {
  const u64 any = random();
  const auto small = static_cast<std::int32_t>(any >> 40) % 100;
  switch (any % 8) {
    case 0:
      return any >> 20;
    case 1:
      return static_cast<u64>(static_cast<s64>(small));
    case 2:
      return std::bit_cast<u64>(static_cast<double>(small) / 4);
    case 3:
      return u64{0x100000001} * std::bit_cast<u32>(static_cast<float>(small) / 8);
    case 4:
      return u64{1} << (any >> 8) % 64;
    case 5:
      return (u64{1} << (any >> 8) % 64) - 1;
    case 6:
      return u64{0x3c00380034004000} ^ (any >> 8 & 0x83ff83ff83ff83ff);  // halves of moderate size
    default:
      return any;
  }
}

}  // namespace

Buffers initial_buffers(const Program& program) {
  std::mt19937_64 random(program.seed ^ 0x9e3779b97f4a7c15u);
  const std::size_t n = program.threads();
  Buffers buffers;
  for (std::size_t i = 0; i < n * kWordsOut; ++i) buffers.init.push_back(random_word(random));
  const auto fill = [&](std::vector<std::byte>& bytes, std::size_t size) {
    for (std::size_t at = 0; at < size; at += 8) {
      const u64 bits = random_word(random);
      bytes.resize(at + 8);
      std::memcpy(&bytes[at], &bits, 8);
    }
  };
  fill(buffers.input, kInputBytes);
  fill(buffers.own, n * (kOwnBytes + kRows * 16));
  fill(buffers.counters, kCounterBytes);
  buffers.out.assign(n * kWordsOut, 0xeeeeeeeeeeeeeeee);
  return buffers;
}

Buffers evaluate(const Program& program, const InstructionPool& pool) { return Evaluation(program, pool).run(); }

u64 hash_of(const Buffers& buffers) {
  u64 hash = 0xcbf29ce484222325u;
  const auto add = [&](std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) hash = (hash ^ static_cast<u64>(byte)) * 0x100000001b3u;
  };
  add(std::as_bytes(std::span(buffers.out)));
  add(buffers.own);
  add(buffers.counters);
  return hash;
}

}  // namespace gpulab::differential
