#include "common/simt/observers/touched/touch_recorder.h"

#include <bit>
#include <utility>

#include "common/demangle.h"

namespace gpulab::simt {

namespace {

/// Of one launch, 16 MB.
constexpr std::size_t kMostRanges = std::size_t{1} << 20;

}  // namespace

TouchRecorder::Touched& TouchRecorder::of(const Allocation& allocation) {
  if (last_ != nullptr && last_->allocation == &allocation) return *last_;
  Touched& touched = touched_[allocation.index];
  if (touched.allocation != &allocation) {
    touched = {};
    touched.allocation = &allocation;
    touched.of_host = is_of_host(allocation);
    // The kernels' heap is theirs, and comes and goes with them.
    touched.is_wanted =
        (which_ == Touches::all || touched.of_host) && !allocation.of_heap && allocation.address != left_out_;
  }
  last_ = &touched;
  return touched;
}

void TouchRecorder::leave_out(std::uint64_t address) {
  left_out_ = address;
  std::erase_if(touched_, [&](const auto& one) { return one.second.allocation->address == address; });
  last_ = nullptr;
}

InitShadow& TouchRecorder::bytes_of(Touched& touched, Kind kind) {
  auto& bytes = touched.bytes[kind];
  if (!bytes) bytes = std::make_unique<InitShadow>(touched.allocation->bytes);
  return *bytes;
}

void TouchRecorder::access(Locator& locator) {
  const MemoryUse& use = locator.use();
  const Kind kind = use.may_order() ? Kind::atomic : use.store ? Kind::write : Kind::read;
  if (!locator.in_one_stretch() || !use.uses_all()) return access_each(locator, kind);
  if (!locator.first_place().allocation) return;  // shared memory
  Touched& touched = of(*locator.first_place().allocation);
  if (!touched.is_wanted) return;
  InitShadow& bytes = bytes_of(touched, kind);
  const std::uint64_t offset = locator.first_place().offset;
  if (locator.is_contiguous()) {
    if (!bytes.known_range(offset, std::uint64_t{kLanes} * use.bytes))
      bytes.set_range(offset, std::uint64_t{kLanes} * use.bytes, true);
  } else if (locator.is_uniform()) {
    bytes.set(offset, use.bytes);
  } else {
    for (std::uint32_t left = locator.lanes(); left; left &= left - 1)
      bytes.set(locator.offset(std::countr_zero(left)), use.bytes);
  }
}

void TouchRecorder::access_each(Locator& locator, Kind kind) {
  const MemoryUse& use = locator.use();
  for (std::uint32_t left = locator.lanes(); left; left &= left - 1) {
    const Place place = locator.place(std::countr_zero(left));
    if (!place.allocation) continue;
    Touched& touched = of(*place.allocation);
    if (!touched.is_wanted) continue;
    InitShadow& bytes = bytes_of(touched, kind);
    if (use.uses_all()) {
      bytes.set(place.offset, use.bytes);
      continue;
    }
    for (std::uint32_t k = 0; k < use.bytes; ++k)
      if (use.uses(k, 1)) bytes.set(place.offset + k, 1);
  }
}

void TouchRecorder::written(const Allocation& allocation, std::uint64_t offset, std::uint64_t bytes) {
  Touched& touched = of(allocation);
  if (touched.is_wanted) bytes_of(touched, Kind::write).set_range(offset, bytes, true);
}

TouchedBytes TouchRecorder::take() {
  const Touches which = std::exchange(which_, Touches::none);
  TouchedBytes all;
  if (which == Touches::none) return all;
  std::map<std::uint64_t, const Touched*> by_address;
  for (const auto& [index, touched] : touched_)
    if (touched.is_wanted) by_address[touched.allocation->address] = &touched;
  for (const auto& [first_byte, touched] : by_address) {
    const std::uint64_t address = first_byte;
    ByteRanges& atomics = touched->of_host ? all.shared_atomic : all.atomic;
    ByteRanges* const to[kinds] = {&all.read, &all.written, &atomics};
    for (int kind = 0; kind < kinds; ++kind)
      if (const auto& bytes = touched->bytes[kind])
        bytes->for_each_range(touched->allocation->bytes, [&](std::uint64_t first, std::uint64_t end) {
          if (to[kind]->all().size() < kMostRanges) to[kind]->add(address + first, address + end);
        });
    all.names[address] = demangle(touched->allocation->name);
  }
  forget();
  return all.ranges() < kMostRanges ? all : TouchedBytes{};
}

}  // namespace gpulab::simt
