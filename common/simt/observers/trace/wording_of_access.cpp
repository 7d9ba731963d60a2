#include "common/simt/observers/trace/wording_of_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>

#include "common/text.h"

namespace gpulab::simt {

namespace {

constexpr std::int64_t kBanks = 32, kWord = 4;

/// The lanes' words by bank.
struct Banks {
  std::array<std::map<std::int64_t, int>, kBanks> words;  ///< word -> the first lane that wants it
  int touched = 0, fullest = 0, distinct = 0;

  Banks(const StepAccess& access, std::uint64_t base) {
    for (std::uint32_t left = access.mask; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const std::int64_t from = static_cast<std::int64_t>(base) + access.relative[static_cast<std::size_t>(lane)];
      for (std::int64_t word = from / kWord; word <= (from + access.width - 1) / kWord; ++word)
        words[static_cast<std::size_t>(word % kBanks)].emplace(word, lane);
    }
    for (int bank = 0; bank < kBanks; ++bank) {
      const auto here = words[static_cast<std::size_t>(bank)].size();
      touched += here > 0;
      distinct += static_cast<int>(here);
      if (here > words[static_cast<std::size_t>(fullest)].size()) fullest = bank;
    }
  }
};

/// "lanes 0 and 16 want different words of bank 0".
std::string conflict_text(const Banks& banks) {
  const auto& words = banks.words[static_cast<std::size_t>(banks.fullest)];
  std::set<int> lanes;
  for (const auto& [word, lane] : words) lanes.insert(lane);
  if (lanes.size() < 2) return fmt::format("bank {} holds {} of the words", banks.fullest, words.size());
  std::string text = "lanes ";
  std::size_t shown = 0;
  for (const int lane : lanes) {
    if (shown == 3 && lanes.size() > 4) {
      text += fmt::format(" and {} others", lanes.size() - shown);
      break;
    }
    text += fmt::format("{}{}", shown == 0 ? "" : shown + 1 == lanes.size() ? " and " : ", ", lane);
    ++shown;
  }
  return fmt::format("{} want different words of bank {}", text, banks.fullest);
}

std::string counted_lanes(int lanes) { return plural(static_cast<std::uint64_t>(lanes), "lane"); }

std::string_view verb_of(const StepAccess& access) {
  return access.atomic ? "updates atomically" : access.store ? "stores" : "loads";
}

/// Names the elements, first and last, where the access lies in one array.
void add_elements(const StepFacts& step, Sentence& sentence) {
  if (step.array == nullptr) return;
  const StepAccess& access = *step.access;
  std::int64_t least = INT64_MAX, most = INT64_MIN;
  for (std::uint32_t left = access.mask; left; left &= left - 1) {
    const std::int64_t at = access.relative[static_cast<std::size_t>(std::countr_zero(left))];
    least = std::min(least, at);
    most = std::max(most, at);
  }
  const auto base = static_cast<std::int64_t>(step.address - step.array->address);
  const std::int64_t first = (base + least) / access.width, last = (base + most) / access.width;
  sentence.text += fmt::format(", {}[{{}}]", step.array->name);
  sentence.args.push_back(first);
  if (last == first) return;
  sentence.text += fmt::format(" to {}[{{}}]", step.array->name);
  sentence.args.push_back(last);
}

void add_shared_cost(const StepFacts& step, Sentence& sentence) {
  const StepAccess& access = *step.access;
  const int lanes = std::popcount(access.mask);
  const Banks banks(access, step.address);
  if (banks.distinct == 1 && lanes > 1 && !access.atomic) {
    sentence.text +=
        fmt::format(": {} {} one word of bank {}, {}", counted_lanes(lanes), access.store ? "write" : "read",
                    banks.fullest, plural(access.wavefronts, "wavefront"));
    return;
  }
  sentence.text +=
      fmt::format(": {} touch{} {}, {}", counted_lanes(lanes), lanes == 1 ? "es" : "",
                  plural(static_cast<std::uint64_t>(banks.touched), "bank"), plural(access.wavefronts, "wavefront"));
  if (access.wavefronts > access.ideal_wavefronts)
    sentence.text += fmt::format(" where {} would do, because {}", access.ideal_wavefronts, conflict_text(banks));
  else if (access.wavefronts > 1)
    sentence.text += fmt::format(", the fewest for {} bytes a lane", access.width);
  else if (lanes > 1 && !access.atomic)
    sentence.text += ": no bank is asked for two words";
}

/// How far apart neighbouring lanes are; 0: it differs.
std::int64_t distance(const StepAccess& access) {
  std::int64_t apart = 0, before = 0;
  bool first = true, second = false;
  for (std::uint32_t left = access.mask; left; left &= left - 1) {
    const std::int64_t at = access.relative[static_cast<std::size_t>(std::countr_zero(left))];
    if (second && at - before != apart) return 0;
    if (!first) {
      apart = at - before;
      second = true;
    }
    before = at;
    first = false;
  }
  return apart;
}

void add_sector_cost(const StepFacts& step, Sentence& sentence) {
  const StepAccess& access = *step.access;
  const int lanes = std::popcount(access.mask);
  const std::uint32_t moved = access.sectors * 32;
  sentence.text += fmt::format(": {} of {}, {} of 32 bytes", counted_lanes(lanes), plural(access.width, "byte"),
                               plural(access.sectors, "sector"));
  if (access.distinct_bytes == 0) return;
  if (moved == access.distinct_bytes) {
    sentence.text += ", all of whose bytes are asked for";
    return;
  }
  sentence.text += fmt::format(": {} bytes move for {} that are asked for", moved, access.distinct_bytes);
  const std::int64_t apart = distance(access);
  if (access.distinct_bytes == access.width && lanes > 1)
    sentence.text += ", the same for all lanes";
  else if (apart > access.width || -apart > static_cast<std::int64_t>(access.width))
    sentence.text += fmt::format(", because neighbouring lanes are {} bytes apart", std::abs(apart));
}

void add_atomic_cost(const StepFacts& step, Sentence& sentence) {
  const StepAccess& access = *step.access;
  std::map<std::int64_t, int> meet;
  int most = 0;
  for (std::uint32_t left = access.mask; left; left &= left - 1)
    most = std::max(most, ++meet[access.relative[static_cast<std::size_t>(std::countr_zero(left))]]);
  const int lanes = std::popcount(access.mask);
  sentence.text += fmt::format(": {} at {} address{}", counted_lanes(lanes), meet.size(), meet.size() == 1 ? "" : "es");
  if (most > 1) sentence.text += fmt::format(", {} lanes meet at one and take turns", most);
}

}  // namespace

Sentence access_sentence(const StepFacts& step, const SiteFacts&) {
  const StepAccess& access = *step.access;
  const std::string_view where = to_text(access.space);
  Sentence sentence;
  sentence.text = fmt::format("{} {} {} memory", verb_of(access),
                              access.atomic  ? ""
                              : access.store ? "to"
                                             : "from",
                              where);
  if (access.atomic) sentence.text = fmt::format("updates {} memory atomically", where);
  add_elements(step, sentence);
  const bool counted = access.sectors + access.wavefronts > 0;  // not where the launch fails on it
  if (access.atomic)
    add_atomic_cost(step, sentence);
  else if (!counted)
    sentence.text += fmt::format(": {}", counted_lanes(std::popcount(access.mask)));
  else if (access.space == StepAccess::Space::shared)
    add_shared_cost(step, sentence);
  else
    add_sector_cost(step, sentence);
  return sentence;
}

}  // namespace gpulab::simt
