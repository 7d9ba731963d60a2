// A comparison of a line with what is the same in all lanes, mostly one of a thread's number with a bound: where its
// result is the same in all lanes, two words say so. Else the row's function, of all lanes.

#include <algorithm>
#include <array>

#include "common/simt/compiled/emit/emit.h"

namespace gpulab::simt::compiled {

/// Whether no sum of `x` and a number from `least` to `most` leaves the numbers that a word holds.
Value Emitter::within(Value x, std::int64_t least, std::int64_t most, bool is_signed, bool wide) {
  std::int64_t lowest = 0, highest = -1;  // of 64 bits, unsigned
  if (is_signed) lowest = wide ? INT64_MIN : INT32_MIN, highest = wide ? INT64_MAX : INT32_MAX;
  if (!is_signed && !wide) highest = UINT32_MAX;
  const Compare at_most = is_signed || !wide ? kSignedLessEqual : kUnsignedLessEqual;
  if (!wide) x = b_.cast(is_signed ? kSExt : kZExt, x, b_.integer(64));
  const Value low =
      b_.k64(static_cast<std::uint64_t>(lowest) - static_cast<std::uint64_t>(std::min<std::int64_t>(least, 0)));
  const Value high =
      b_.k64(static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(std::max<std::int64_t>(most, 0)));
  const Value below = b_.compare(at_most, x, high);
  return least >= 0 ? below : b_.both(below, b_.compare(at_most, low, x));
}

namespace {
/// Bit k of [n]: 2^n divides k.
constexpr auto kMultiples = [] {
  std::array<std::uint32_t, 32> all{};
  for (std::uint32_t n = 0; n < 32; ++n)
    for (std::uint32_t k = 0; k < 32; ++k)
      if ((k & ((1u << n) - 1)) == 0) all[n] |= 1u << k;
  return all;
}();
}  // namespace

/// `among`: of those that were known before the operation.
void Emitter::forget_remainders(const Operation& o, std::size_t among) {
  const auto end = remainders_.begin() + static_cast<std::ptrdiff_t>(among);
  remainders_.erase(
      std::remove_if(remainders_.begin(), end,
                     [&](const Remainder& r) { return std::ranges::find(o.out, r.operation->out[0]) != o.out.end(); }),
      end);
}

void Emitter::note_remainder(const Operation& o) {
  const State& number = now_[o.in[0]];
  if (has_masks_ || o.division != Operation::Division::remainder || number.kind != State::Kind::affine ||
      !is_contiguous(flow_.lanes(number.lanes), 1))
    return;
  remainders_.push_back({&o, scalar(o.in[0]), scalar(o.in[1]), {vector(o.in[0]), vector(o.in[1])}});
}

/// Whether threads' numbers leave one remainder (i % stride == 0), or nullptr: it asks for something else. By a power
/// of two it is every so many lanes.
Value Emitter::every_so_many(const Operation& o) {
  const auto found = std::ranges::find_if(remainders_, [&](const Remainder& r) {
    return r.operation->out[0] == o.in[0] && r.operation->out[0] != o.in[1];
  });
  if (found == remainders_.end() || now_[o.in[1]].kind != State::Kind::affine || now_[o.in[1]].lanes != 0)
    return nullptr;
  const auto count_of = [&](const char* name, std::vector<Value> of) {
    std::vector<Type> types(of.size(), b_.integer(32));
    if (of.size() > 1) types[1] = b_.integer(1);
    return intrinsic(name, b_.integer(32), std::move(of), std::move(types));
  };
  const Value divisor = found->divisor, other = scalar(o.in[1]), less = b_.sub(divisor, b_.k32(1)), none = b_.k32(0);
  const Block quick = fresh("every_so_many"), slow = fresh("divide_to_compare"), done = fresh("compared");
  b_.go_if(b_.compare(kEqual, count_of("llvm.ctpop.i32", {divisor}), b_.k32(1)), quick, slow);
  b_.begin(quick);
  const Value power =
      b_.cast(kZExt, count_of("llvm.cttz.i32", {divisor, b_.llvm.ConstInt(b_.integer(1), 1, 0)}), b_.integer(64));
  const Value multiples = b_.load(b_.integer(32), b_.at(pointer_to(kMultiples.data()), b_.op(kShl, power, b_.k64(2))));
  const Value first = b_.both(b_.sub(other, found->number), less);  // the lane
  Value lanes = b_.op(kShl, multiples, b_.both(first, b_.k32(31)));
  lanes = b_.choose_lanes(b_.compare(kUnsignedLess, first, b_.k32(kLanes)), lanes, none);
  lanes = b_.choose_lanes(b_.compare(kUnsignedLessEqual, other, less), lanes, none);
  const Value if_equal = call_row(o, false, {other, other});
  const Value if_not = call_row(o, false, {b_.op(kXor, other, b_.k32(1)), other});
  const Value quick_value = b_.op(kOr, b_.both(lanes, if_equal), b_.both(b_.inverted(lanes), if_not));
  const Block quick_end = b_.here();
  b_.go(done);
  b_.begin(slow);
  const Value slow_value = call_row(o, true, {call_row(*found->operation, true, found->operands), vector(o.in[1])});
  const Block slow_end = b_.here();
  b_.go(done);
  b_.begin(done);
  return b_.phi(b_.integer(32), {quick_value, slow_value}, {quick_end, slow_end});
}

/// What is ordered the same at a line's ends is ordered so between them; words of a line that ends before another word,
/// or begins behind it, all differ from it.
Value Emitter::compared(const Operation& o) {
  using Comparison = Operation::Comparison;
  const auto is_line = [&](Variable v) { return now_[v].kind == State::Kind::affine; };
  if (o.comparison == Comparison::equality)
    if (const Value lanes = every_so_many(o)) return lanes;
  if (has_masks_ || o.comparison == Comparison::none || !is_line(o.in[0]) || !is_line(o.in[1]) ||
      (now_[o.in[0]].lanes != 0 && now_[o.in[1]].lanes != 0))
    return call_row(o, true);
  const std::size_t line = now_[o.in[0]].lanes != 0 ? 0 : 1;
  const bool wide = is_wide(o.in[line]);
  const auto [least, most] = std::ranges::minmax(flow_.lanes(now_[o.in[line]].lanes));
  const Value first = scalar(o.in[line]), other = scalar(o.in[1 - line]);
  const Value low = b_.add(first, b_.k(wide, static_cast<std::uint64_t>(least)));
  const Value high = b_.add(first, b_.k(wide, static_cast<std::uint64_t>(most)));
  const auto result_of = [&](Value x) {
    return call_row(o, false, line == 0 ? std::vector{x, other} : std::vector{other, x});
  };
  const Value same = result_of(low);
  Value known = within(first, least, most, o.is_signed, wide);
  if (o.comparison == Comparison::ordered) {
    known = b_.both(known, b_.compare(kEqual, same, result_of(high)));
  } else {
    const Compare less = o.is_signed ? kSignedLess : kUnsignedLess;
    known = b_.both(known, b_.op(kOr, b_.compare(less, other, low), b_.compare(less, high, other)));
  }
  const Block quick = b_.here(), slow = fresh("compare"), done = fresh("compared");
  b_.go_if(known, done, slow);
  b_.begin(slow);
  const Value slow_value = call_row(o, true);
  const Block slow_end = b_.here();
  b_.go(done);
  b_.begin(done);
  return b_.phi(b_.integer(32), {same, slow_value}, {quick, slow_end});
}

}  // namespace gpulab::simt::compiled
