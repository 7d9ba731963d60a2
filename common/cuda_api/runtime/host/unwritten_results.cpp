#include "common/cuda_api/runtime/host/unwritten_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpulab::cuda_api {
namespace {

/// Bytes that a thread writes in one piece.
constexpr std::array<std::uint64_t, 5> kElementBytes{4, 8, 2, 1, 16};

bool has(const WritingLaunch& launch, std::uint64_t number) {
  return std::ranges::find(launch.numbers, number) != launch.numbers.end();
}

/// Where one stretch reaches to the end of what is taken, its begin; the memory's first bytes are all written then.
std::optional<std::uint64_t> begin_of_tail(const TakenBytes& taken) {
  if (taken.taken.offset != 0 || taken.unwritten.size() != 1) return std::nullopt;
  const Stretch& tail = taken.unwritten.front();
  return tail.offset > 0 && tail.end() == taken.taken.end() ? std::optional(tail.offset) : std::nullopt;
}

/// A thread for an element, and fewer threads than elements: less than a block is missing, as where n / block was
/// rounded down, or the kernel was told the number of elements.
std::optional<std::string> too_few_threads(const TakenBytes& taken, const WritingLaunch& launch) {
  const auto written = begin_of_tail(taken);
  const std::uint64_t threads = launch.grid.volume() * launch.block.volume(), total = taken.taken.bytes;
  if (!written) return std::nullopt;
  for (const std::uint64_t element : kElementBytes) {
    if (*written != threads * element || total % element != 0) continue;
    const std::uint64_t elements = total / element;
    if (elements - threads >= launch.block.volume() && !has(launch, elements)) continue;
    return fmt::format(
        "{} x {} threads for {} elements: let the grid have (n + block - 1) / block blocks, or each thread take "
        "several "
        "elements",
        launch.grid.volume(), launch.block.volume(), elements);
  }
  return std::nullopt;
}

/// Rows of a matrix, whose width the kernel was told: those behind the grid's last one are missing.
std::optional<std::string> too_few_rows(const TakenBytes& taken, const WritingLaunch& launch) {
  const auto written = begin_of_tail(taken);
  const std::uint64_t there = std::uint64_t{launch.grid.y} * launch.block.y;
  if (!written || there <= 1) return std::nullopt;
  for (const std::uint64_t element : kElementBytes)
    for (const std::uint64_t width : launch.numbers) {
      if (width > *written || *written != width * element * there || taken.taken.bytes % (width * element) != 0)
        continue;
      const std::uint64_t rows = taken.taken.bytes / (width * element);
      if (rows - there >= launch.block.y && !has(launch, rows)) continue;
      return fmt::format("{} x {} threads in y for {} rows: round up, (rows + block.y - 1) / block.y blocks in y",
                         launch.grid.y, launch.block.y, rows);
    }
  return std::nullopt;
}

/// The same of columns: a gap at the end of each row.
std::optional<std::string> too_few_columns(const TakenBytes& taken, const WritingLaunch& launch) {
  const auto& gaps = taken.unwritten;
  const std::uint64_t there = std::uint64_t{launch.grid.x} * launch.block.x;
  if (taken.taken.offset != 0 || gaps.size() < 2) return std::nullopt;
  const std::uint64_t pitch = gaps[1].offset - gaps[0].offset, gap = gaps[0].bytes;
  if (gaps[0].offset + gap != pitch) return std::nullopt;
  for (std::size_t i = 0; i < gaps.size(); ++i)
    if (gaps[i].bytes != gap || gaps[i].offset != gaps[0].offset + i * pitch) return std::nullopt;
  for (const std::uint64_t element : kElementBytes)
    if (gaps[0].offset == there * element && pitch % element == 0 && has(launch, pitch / element))
      return fmt::format("{} x {} threads in x for {} columns: round up, (columns + block.x - 1) / block.x blocks in x",
                         launch.grid.x, launch.block.x, pitch / element);
  return std::nullopt;
}

}  // namespace

std::optional<UnwrittenResult> unwritten_result(const TakenBytes& taken, const WritingLaunch& launch) {
  constexpr std::uint64_t most_padding = 15;  // of a struct, before its next member or its end
  constexpr std::uint64_t one_struct = 256;
  if (taken.unwritten.empty()) return std::nullopt;
  std::uint64_t bytes = 0, longest = 0;
  for (const auto& range : taken.unwritten) {
    bytes += range.bytes;
    longest = std::max(longest, range.bytes);
  }
  const auto first = taken.unwritten.front().offset - taken.taken.offset;
  std::string what = fmt::format("{} takes {}{} bytes of '{}' that nothing has written", taken.function,
                                 taken.unwritten.size() >= kMostGaps ? "at least " : "", bytes, taken.memory);
  const std::string who = fmt::format("{}, launched at {},", launch.kernel, launch.caller);
  if (bytes == taken.taken.bytes)
    return UnwrittenResult{Severity::error,
                           fmt::format("{}; {} had its address and stored nothing there: look at the conditions of its "
                                       "stores, and at its index",
                                       what, who)};
  what += fmt::format(", the first at byte {} of {}", first, taken.taken.bytes);
  for (const auto& explains : {too_few_threads, too_few_rows, too_few_columns})
    if (const auto why = explains(taken, launch))
      return UnwrittenResult{Severity::error, fmt::format("{}; {} has {}", what, who, *why)};
  if (longest <= most_padding && (taken.unwritten.size() > 1 || taken.taken.bytes <= one_struct)) return std::nullopt;
  return UnwrittenResult{
      Severity::note,
      fmt::format("{}; {} had its address: if the host uses them, its stores leave them out", what, who)};
}

}  // namespace gpulab::cuda_api
