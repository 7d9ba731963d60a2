// A comparison of a line with what is the same in all lanes, mostly one of a thread's number with a bound: where its
// result is the same in all lanes, two words say so. Else the row's function, of all lanes.

#include <algorithm>

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

/// What is ordered the same at a line's ends is ordered so between them; words of a line that ends before another word,
/// or begins behind it, all differ from it.
Value Emitter::compared(const Operation& o) {
  using Comparison = Operation::Comparison;
  const auto is_line = [&](Variable v) { return now_[v].kind == State::Kind::affine; };
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
