#include "common/cuda_api/ordering/operations.h"

#include <algorithm>
#include <utility>

namespace gpulab::cuda_api {
namespace {

using simt::ByteRanges;

constexpr std::size_t kMostTold = 1000;  ///< ranges, to count the bytes of

/// What an operation takes, in ranges: a name of an allocation as much as eight.
std::size_t weight(const Operation& operation) { return operation.bytes.ranges() + 8 * operation.bytes.names.size(); }

bool is_transfer(const Operation& operation) {
  return operation.kind == Operation::Kind::copy || operation.kind == Operation::Kind::fill;
}

/// They may wait for each other there, as nobody can see.
bool may_order_each_other(const Operation& a, const Operation& b) {
  const auto &one = a.bytes, &other = b.bytes;
  return one.atomic.overlaps(other.atomic) || one.shared_atomic.overlaps(other.shared_atomic);
}

/// The begin of the allocation that holds the address, 0: nobody knows.
std::uint64_t begin_of(const Operation& operation, std::uint64_t address) {
  auto next = operation.bytes.names.upper_bound(address);
  return next == operation.bytes.names.begin() ? 0 : (--next)->first;
}

/// What lies in the same allocation as the first.
ByteRanges of_one_allocation(const ByteRanges& all, const Operation& operation) {
  ByteRanges some;
  const auto begin = begin_of(operation, all.all().front().first);
  for (const auto& range : all.all())
    if (begin_of(operation, range.first) == begin) some.add(range.first, range.end);
  return some;
}

}  // namespace

std::optional<Conflict> conflict_of(const Operation& earlier, const Operation& later) {
  const auto &a = earlier.bytes, &b = later.bytes;
  const std::pair<const ByteRanges*, Touch> of_a[] = {
      {&a.written, Touch::writes}, {&a.atomic, Touch::changes}, {&a.read, Touch::reads}};
  const std::pair<const ByteRanges*, Touch> of_b[] = {
      {&b.written, Touch::writes}, {&b.atomic, Touch::changes}, {&b.read, Touch::reads}};
  for (const auto& [one, does] : of_a)
    for (const auto& [other, did] : of_b) {
      const bool innocent = does == did && does != Touch::writes;  // both read, both by atomics
      if (innocent || (does == Touch::changes && did == Touch::changes)) continue;
      const ByteRanges both = one->common_with(*other, kMostTold);
      if (both.empty() || may_order_each_other(earlier, later)) continue;
      return Conflict{does, did, of_one_allocation(both, earlier)};
    }
  return std::nullopt;
}

void Operations::add(Operation operation, const SameBytes& same, const Tell& tell) {
  for (auto one = pending_.rbegin(); one != pending_.rend(); ++one) {
    const Operation& earlier = *one;
    if (ordering_.is_before(earlier.when, operation.when)) continue;
    auto conflict = conflict_of(earlier, operation);
    if (!conflict) continue;
    const bool both_write = conflict->earlier == Touch::writes && conflict->later == Touch::writes;
    if (both_write && is_transfer(earlier) && is_transfer(operation) &&
        std::ranges::all_of(conflict->bytes.all(), [&](const auto& range) { return same(operation, range); }))
      continue;
    tell(earlier, operation, *conflict);
    ordering_.assume_before(earlier.when, operation.when);
  }
  if (operation.waited_for) return;
  ranges_ += weight(operation);
  pending_.push_back(std::move(operation));
  while (pending_.size() > kMost || ranges_ > kMostRanges) {
    ranges_ -= weight(pending_.front());
    pending_.pop_front();
  }
}

void Operations::forget_over() {
  std::erase_if(pending_, [&](const Operation& operation) {
    if (!ordering_.is_over(operation.when)) return false;
    ranges_ -= weight(operation);
    return true;
  });
}

}  // namespace gpulab::cuda_api
