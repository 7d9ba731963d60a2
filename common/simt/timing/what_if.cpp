#include "common/simt/timing/what_if.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/simt/timing/trace/sector_set.h"

namespace gpulab::simt {

namespace {

using Why = Question::Kind;
using Space = TracedAccess::Space;

std::uint32_t ideal_sectors(const TracedAccess& a) {
  return std::min<std::uint32_t>(a.sectors, (a.lane_bytes + 31u) / 32);
}

/// What an access costs beyond the ideal of a kind.
double excess_of(const TracedAccess& a, Why kind) {
  switch (kind) {
    case Why::bank_conflict:
      return a.space == Space::shared && !a.atomic ? a.wavefronts - a.ideal_wavefronts : 0;
    case Why::uncoalesced:
      return a.space == Space::global && !a.atomic ? static_cast<double>(a.sectors - ideal_sectors(a)) : 0;
    case Why::same_address:
      return a.atomic && !a.together ? a.same_address - 1 : 0;
  }
  return 0;
}

/// The access as coalesced as its bytes allow. Its line has `unique` sectors in all: as many are asked for, at most,
/// one after the other.
void coalesce(TracedAccess& a, std::uint64_t unique, std::uint64_t& next, std::vector<std::uint64_t>& sectors) {
  constexpr std::uint64_t elsewhere = std::uint64_t{1} << 50;  // no address lies there
  const std::uint32_t ideal = ideal_sectors(a);
  for (std::uint32_t i = 0; i < ideal; ++i) sectors[a.first_sector + i] = elsewhere + next++ % unique;
  std::sort(sectors.begin() + a.first_sector, sectors.begin() + a.first_sector + ideal);
  a.sectors = ideal;
  a.lines = static_cast<std::uint8_t>((ideal + 3) / 4);
  a.scattered = a.partial = false;
}

}  // namespace

std::vector<Question> questions_of(const GridTrace& trace, const std::vector<std::uint32_t>& line_of) {
  std::map<std::pair<std::uint32_t, Why>, double> excess;
  for (const BlockTrace& block : trace.blocks)
    for (const TracedAccess& a : block.accesses) {
      const std::uint32_t line = a.site < line_of.size() ? line_of[a.site] : 0;
      if (line == 0) continue;
      for (const Why kind : {Why::bank_conflict, Why::uncoalesced, Why::same_address})
        if (const double more = excess_of(a, kind); more > 0) excess[{line, kind}] += more * a.times;
    }
  std::vector<Question> questions;
  for (const auto& [what, more] : excess) questions.push_back({what.first, what.second, more});
  std::stable_sort(questions.begin(), questions.end(),
                   [](const Question& a, const Question& b) { return a.excess > b.excess; });
  return questions;
}

void take_away(const Question& question, const std::vector<std::uint32_t>& line_of, GridTrace& trace,
               Counters& counters) {
  SectorSet unique;
  double loads_gone = 0, stores_gone = 0, loads = 0, stores = 0;
  const auto is_meant = [&](const TracedAccess& a) {
    return a.site < line_of.size() && line_of[a.site] == question.line && excess_of(a, question.kind) > 0;
  };
  for (const BlockTrace& block : trace.blocks)
    for (const TracedAccess& a : block.accesses) {
      if (a.space != Space::global || a.atomic) continue;
      (a.stored_bytes ? stores : loads) += a.sectors;
      if (question.kind != Why::uncoalesced || !is_meant(a)) continue;
      (a.stored_bytes ? stores_gone : loads_gone) += a.sectors - ideal_sectors(a);
      for (std::uint32_t i = 0; i < a.sectors; ++i) unique.insert(block.sectors[a.first_sector + i]);
    }
  std::uint64_t next = 0;
  for (BlockTrace& block : trace.blocks)
    for (TracedAccess& a : block.accesses) {
      if (!is_meant(a)) continue;
      if (question.kind == Why::bank_conflict) a.wavefronts = a.ideal_wavefronts;
      if (question.kind == Why::uncoalesced)
        coalesce(a, std::max<std::uint64_t>(unique.size(), 1), next, block.sectors);
      if (question.kind == Why::same_address) {
        a.same_address = 1;
        a.conflicts = static_cast<std::uint8_t>(std::min<std::uint32_t>(a.sectors, UINT8_MAX));
      }
    }
  const auto less = [](std::uint64_t& count, double gone, double of) {
    if (of > 0) count -= static_cast<std::uint64_t>(static_cast<double>(count) * gone / of);
  };
  less(counters["global_load_sectors"], loads_gone, loads);
  less(counters["global_store_sectors"], stores_gone, stores);
}

std::string word_of(Question::Kind kind) {
  return kind == Why::bank_conflict ? "bank_conflict" : kind == Why::uncoalesced ? "uncoalesced" : "same_address";
}

}  // namespace gpulab::simt
