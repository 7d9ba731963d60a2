// Copies and fills: which bytes they touch, and whether the host waits for them (CUDA Runtime API: API synchronization
// behavior).

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "common/cuda_api/runtime/copies/copies.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streamcheck/streamcheck.h"
#include "common/cuda_api/runtime/streams/streams.h"

namespace gpulab::cuda_api {
namespace {

using Kind = MemoryEntry::Kind;

constexpr std::size_t kMostRows = std::size_t{1} << 16;

bool is_pageable(const MemoryEntry* entry) { return entry == nullptr; }
bool is_managed(const MemoryEntry* entry) { return entry != nullptr && entry->kind == Kind::managed; }
bool is_device(const MemoryEntry* entry) { return entry != nullptr && entry->kind == Kind::device; }
bool is_pinned(const MemoryEntry* entry) { return entry != nullptr && entry->kind >= Kind::pinned; }

struct Waiting {
  bool host_waits = false;  ///< until it is done
  bool staged = false;      ///< until its source has been read
};

Waiting waiting_of_copy(bool async, const MemoryEntry* to, const MemoryEntry* from) {
  const bool on_host = !is_device(to) && !is_device(from) && !is_managed(to) && !is_managed(from);
  if (on_host) return {.host_waits = true};
  if (async) {
    if (is_pageable(to)) return {.host_waits = true};
    return {.staged = is_pageable(from)};
  }
  if (is_managed(to) || is_managed(from) || !is_device(to)) return {.host_waits = true};
  if (is_device(from)) return {};
  return {.host_waits = is_pinned(from), .staged = is_pageable(from)};
}

void add_rows(simt::ByteRanges& ranges, std::uint64_t first, std::size_t pitch, const Rows& rows) {
  for (std::size_t row = 0; row < rows.count; ++row) ranges.add(first + row * pitch, first + row * pitch + rows.bytes);
}

std::vector<std::byte> bytes_at(Session& session, std::uint64_t address, std::size_t count) {
  std::vector<std::byte> bytes(count);
  if (session.memory.holding(address) != nullptr)
    session.device().read(bytes, address);
  else
    std::memcpy(bytes.data(), reinterpret_cast<const void*>(address), count);  // NOLINT: the host's
  return bytes;
}

/// What it would write is there already.
bool is_there(Session& session, const StreamCheck::Transfer& transfer, const simt::ByteRange& range) {
  const Rows& rows = transfer.rows;
  for (std::size_t row = 0; row < rows.count; ++row) {
    const std::uint64_t to = transfer.to + row * rows.pitch_to;
    const std::uint64_t first = std::max(range.first, to), end = std::min(range.end, to + rows.bytes);
    if (first >= end) continue;
    const auto now = bytes_at(session, first, end - first);
    const auto value = static_cast<std::byte>(transfer.value);
    const bool same = transfer.from == 0
                          ? std::ranges::all_of(now, [&](std::byte one) { return one == value; })
                          : now == bytes_at(session, transfer.from + row * rows.pitch_from + (first - to), end - first);
    if (!same) return false;
  }
  return true;
}

}  // namespace

void StreamCheck::transfer(Session& session, const Transfer& asked) {
  if (!on_) return;
  const bool async = std::string_view(asked.function).ends_with("Async");
  const bool fills = asked.from == 0;
  const MemoryEntry* to = session.memory.holding(asked.to);
  const MemoryEntry* from = fills ? nullptr : session.memory.holding(asked.from);
  const Waiting waiting = fills ? Waiting{.host_waits = !async && !is_device(to)} : waiting_of_copy(async, to, from);
  const auto stream = number_of(asked.stream);
  if (waiting.staged && !async && graphs_ == 0) ordering_.synchronised(stream);
  Operation operation;
  operation.kind = fills ? Operation::Kind::fill : Operation::Kind::copy;
  operation.name = asked.function;
  operation.when = ordering_.queued(stream);
  operation.waited_for = waiting.host_waits && graphs_ == 0 && !ordering_.in_callback();
  operation.staged = waiting.staged && graphs_ == 0;
  const bool watched = may_overlap(asked.stream) || is_pinned(to) || is_pinned(from);
  if (watched && asked.rows.count <= kMostRows) {
    if (to != nullptr) {
      add_rows(operation.bytes.written, asked.to, asked.rows.pitch_to, asked.rows);
      operation.bytes.names[to->address] = to->name;
    }
    if (from != nullptr) {
      add_rows(operation.bytes.read, asked.from, asked.rows.pitch_from, asked.rows);
      operation.bytes.names[from->address] = from->name;
    }
    operation.place = place_of(asked.caller);
    add(session, std::move(operation),
        [&](const auto&, const simt::ByteRange& range) { return is_there(session, asked, range); });
  }
  if (waiting.host_waits && graphs_ == 0) synchronised(asked.stream);
}

}  // namespace gpulab::cuda_api
