// Which lanes want which words of an access: shared memory bank by bank, global memory sector by sector.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <vector>

#include "common/text.h"
#include "runner/report/trace/pictures/part.h"

namespace gpulab::trace_picture {
namespace {

using sheet::Anchor;

constexpr std::size_t banks = 32, most_words = 8, most_lines = 32;  ///< drawn of a bank, and of an access
constexpr std::uint64_t word_bytes = 4, line_bytes = 128;
constexpr double small = 22;  ///< px: two digits fit the 38 px of a bank, or the 30 px of a word

using Lanes = std::vector<int>;
using Words = std::map<std::uint64_t, Lanes>;  ///< by number of the word

/// What lies in words of four bytes; a lane that takes more is at each of its words.
Words words_of(const StepAccess& access, std::uint64_t address) {
  Words words;
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto from = address + static_cast<std::uint64_t>(access.relative[static_cast<std::size_t>(lane)]);
    for (auto word = from / word_bytes; word <= (from + std::max(access.width, 1U) - 1) / word_bytes; ++word)
      words[word].push_back(lane);
  }
  return words;
}

std::string lanes_text(const Lanes& lanes) {
  return lanes.size() > 1 ? fmt::format("×{}", lanes.size()) : fmt::format("{}", lanes.front());
}

void draw_banks(sheet::Sheet& to, double top, const std::vector<Words>& of_bank) {
  // One word of a bank after the other: colours tell the passes apart.
  constexpr std::array colours{sheet::memory, sheet::flat, sheet::mark, sheet::grey};
  const double across = width / static_cast<double>(banks);
  for (std::size_t b = 0; b < banks; ++b) {
    const double x = edge + across * static_cast<double>(b), middle = x + across / 2;
    to.text(middle, top + small, fmt::format("{}", b), small, Anchor::middle, sheet::grey);
    to.box(x + 1, top + small + 6, across - 2, 2, sheet::faint);
    double y = top + small + 12;
    std::size_t drawn = 0;
    for (const auto& [word, lanes] : of_bank[b]) {
      if (drawn == most_words) {
        to.text(middle, y + small, fmt::format("+{}", of_bank[b].size() - drawn), small, Anchor::middle, sheet::ink);
        break;
      }
      to.box(x + 1, y, across - 2, line_height - 4, colours[drawn++ % colours.size()]);
      const auto words = lanes_text(lanes);
      const double size = columns(words) > 2 ? 19 : small;
      to.text(middle, y + small, words, size, Anchor::middle, sheet::white);
      y += line_height;
    }
  }
}

Part banks_part(const StepAccess& access, std::uint64_t address) {
  std::vector<Words> of_bank(banks);
  std::size_t most = 0;
  for (const auto& [word, lanes] : words_of(access, address)) {
    auto& bank = of_bank[word % banks];
    bank[word] = lanes;
    most = std::max(most, bank.size());
  }
  const double rows = static_cast<double>(std::min(most, most_words + 1));
  return {small + 12 + rows * line_height, [of_bank](sheet::Sheet& to, double top) { draw_banks(to, top, of_bank); }};
}

/// "in[64]" of the line's first byte; where no array has it, its number.
std::string name_of(const StepTrace& trace, const StepAccess& access, std::uint64_t address) {
  for (const StepArray& array : trace.arrays)
    if (!array.shared && address + line_bytes > array.address && address < array.address + array.bytes)
      return fmt::format("{}[{}]", visible(array.name),
                         (std::max(address, array.address) - array.address) / std::max(access.width, 1U));
  return fmt::format("{:#x}", address);
}

void draw_line(sheet::Sheet& to, double y, const std::string& name, const Words& words, std::uint64_t first) {
  constexpr double names = 160, apart = 8;
  constexpr double across = (width - names - 3 * apart) / 4, cell = (across - 8) / 8;
  to.text(edge, y + small, sheet::clipped(name, names, small), small, Anchor::start, sheet::grey);
  for (std::uint64_t sector = 0; sector < 4; ++sector) {
    const double x = edge + names + static_cast<double>(sector) * (across + apart);
    const auto begin = words.lower_bound(first + 8 * sector), end = words.lower_bound(first + 8 * sector + 8);
    to.box(x, y, across, line_height - 4, begin == end ? sheet::faint : sheet::memory);
    to.box(x + 3, y + 3, across - 6, line_height - 10, sheet::white);
    for (auto at = begin; at != end; ++at) {
      const double left = x + 4 + static_cast<double>(at->first - first - 8 * sector) * cell;
      to.box(left + 1, y + 3, cell - 2, line_height - 10, sheet::memory);
      to.text(left + cell / 2, y + small - 1, fmt::format("{}", at->second.front()), 20, Anchor::middle, sheet::white);
    }
  }
}

Part sectors_part(const StepTrace& trace, const StepAccess& access, std::uint64_t address) {
  constexpr auto words_of_line = line_bytes / word_bytes;
  std::map<std::uint64_t, Words> lines;  // by number
  for (const auto& [word, lanes] : words_of(access, address)) lines[word / words_of_line][word] = lanes;
  std::vector<std::pair<std::string, std::pair<std::uint64_t, Words>>> drawn;
  for (const auto& [line, words] : lines) {
    if (drawn.size() == most_lines) break;
    drawn.push_back({name_of(trace, access, line * line_bytes), {line * words_of_line, words}});
  }
  const auto more = lines.size() - drawn.size();
  const double height = line_height * static_cast<double>(drawn.size() + (more > 0 ? 1 : 0));
  return {height, [drawn, more](sheet::Sheet& to, double top) {
            for (const auto& [name, line] : drawn) {
              draw_line(to, top, name, line.second, line.first);
              top += line_height;
            }
            if (more > 0)
              to.text(edge, top + small, fmt::format("and {} more lines", more), small, Anchor::start, sheet::grey);
          }};
}

}  // namespace

Part memory_part(const StepTrace& trace, const TraceStep& step) {
  if (step.access == no_step_part) return {};
  const StepAccess& access = trace.accesses[step.access];
  return access.space == StepAccess::Space::shared ? banks_part(access, step.address)
                                                   : sectors_part(trace, access, step.address);
}

}  // namespace gpulab::trace_picture
