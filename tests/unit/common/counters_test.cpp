#include "common/counters.h"

#include <set>
#include <stdexcept>
#include <string>

#include "tests/catch.h"

using gpulab::Counters;

namespace {

const gpulab::CounterInfo& info(std::string_view name) {
  const auto* found = gpulab::find_counter(name);
  return found != nullptr ? *found : throw std::logic_error("no counter " + std::string(name));
}
std::optional<double> value(std::string_view name, const Counters& c) { return info(name).value(c); }

}  // namespace

TEST_CASE("a counter's row says what it is, under a name of its own") {
  std::set<std::string_view> names;
  for (const auto& row : gpulab::counters_and_columns()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == row.name.npos);
    CHECK_FALSE(row.definition.empty());
    CHECK(row.reported == (gpulab::find_counter(row.name) != nullptr));
  }
  CHECK(names.contains("warp_instructions"));
  CHECK(gpulab::find_counter("no_such_counter") == nullptr);
}

TEST_CASE("where a row stands on the page is told by rows that are there") {
  for (const auto& row : gpulab::counters_and_columns()) {
    CAPTURE(row.name);
    CHECK((row.page.group == nullptr || row.reported));
    CHECK((row.page.per.empty() || gpulab::find_counter(row.page.per)));
    if (row.page.behind.empty()) continue;
    REQUIRE(gpulab::find_counter(row.page.behind));
    CHECK(info(row.page.behind).page.group == row.page.group);
  }
}

TEST_CASE("a counter is counted or follows from counts, never both") {
  std::size_t counted = 0;
  for (const auto& row : gpulab::counters_and_columns()) {
    CAPTURE(row.name);
    CHECK(row.counted.has_value() == (row.derive == nullptr));
    CHECK(row.count(Counters{}) == (row.counted ? std::optional<std::uint64_t>(0) : std::nullopt));
    if (!row.counted) {
      CHECK_FALSE(row.value(Counters{}));  // nothing counted: no denominator
      continue;
    }
    ++counted;
    Counters c;
    c.counts[*row.counted] = 7;
    CHECK(row.value(c) == 7.0);
    CHECK(row.unit == gpulab::CounterUnit::count);
  }
  CHECK(counted == Counters{}.counts.size());
}

TEST_CASE("200 branches of which 50 diverge are 75% efficient") {
  Counters c;
  c["branches"] = 200;
  c["divergent_branches"] = 50;
  CHECK(value("branch_efficiency", c) == 0.75);
}

TEST_CASE("a broadcast load uses 4 of the 32 bytes of its sector") {
  Counters c;
  c["global_load_requests"] = 1;
  c["global_load_sectors"] = 1;
  c["global_bytes_loaded"] = 128;
  c["global_distinct_bytes_loaded"] = 4;
  CHECK(value("global_load_efficiency", c) == 0.125);
  CHECK_FALSE(value("global_store_efficiency", c));
}

TEST_CASE("a tile without padding has a shared efficiency of 2 in 33: one wavefront stores, 32 load") {
  Counters c;
  c["shared_load_requests"] = c["shared_store_requests"] = 32768;
  c["shared_load_wavefronts"] = 1048576;
  c["shared_load_bank_conflicts"] = 1015808;
  c["shared_store_wavefronts"] = 32768;
  CHECK(value("shared_efficiency", c).value() == 2.0 / 33);
}

TEST_CASE("efficiencies of warps divide by their 32 lanes") {
  Counters c;
  c["warps"] = 4;
  c["warp_instructions"] = 100;
  c["thread_instructions"] = 1600;
  CHECK(value("warp_execution_efficiency", c) == 0.5);
  CHECK(value("instructions_per_warp", c) == 25.0);
  CHECK(info("instructions_per_warp").unit == gpulab::CounterUnit::mean);
}

TEST_CASE("launches add up, but the most lanes on one address are a maximum") {
  Counters a, b;
  a["warp_instructions"] = 1, b["warp_instructions"] = 2;
  a["global_atomic_max_lanes"] = 32, b["global_atomic_max_lanes"] = 4;
  b["barriers"] = 3;
  a += b;
  CHECK(a["warp_instructions"] == 3);
  CHECK(a["barriers"] == 3);
  CHECK(a["global_atomic_max_lanes"] == 32);
}

TEST_CASE("adding nothing changes no counter") {
  Counters all;
  std::uint64_t next = 1;
  for (auto& count : all.counts) count = next++;
  Counters sum;
  sum += all;
  CHECK(sum == all);
}
