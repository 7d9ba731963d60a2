#include "common/counters.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/catch.h"

using gpulab::Counters;

namespace {

const gpulab::CounterInfo& info(std::string_view name) {
  for (const auto& row : gpulab::counter_table()) {
    if (row.name == name) return row;
  }
  throw std::logic_error("no counter " + std::string(name));
}
std::optional<double> value(std::string_view name, const Counters& c) { return info(name).value(c); }

}  // namespace

TEST_CASE("the counter table has every name once, in the order of the documentation") {
  std::vector<std::string> names;
  for (const auto& row : gpulab::counter_table()) names.emplace_back(row.name);
  const std::vector<std::string> documented{"warp_instructions",
                                            "thread_instructions",
                                            "warp_execution_efficiency",
                                            "instructions_per_warp",
                                            "branches",
                                            "divergent_branches",
                                            "branch_efficiency",
                                            "global_load_requests",
                                            "global_store_requests",
                                            "global_ordered_load_requests",
                                            "global_load_sectors",
                                            "global_store_sectors",
                                            "global_load_efficiency",
                                            "global_store_efficiency",
                                            "global_bytes_loaded",
                                            "global_bytes_stored",
                                            "global_read_footprint_bytes",
                                            "global_write_footprint_bytes",
                                            "shared_load_requests",
                                            "shared_store_requests",
                                            "shared_load_wavefronts",
                                            "shared_store_wavefronts",
                                            "shared_load_bank_conflicts",
                                            "shared_store_bank_conflicts",
                                            "shared_efficiency",
                                            "local_load_sectors",
                                            "local_store_sectors",
                                            "global_atomic_requests",
                                            "shared_atomic_requests",
                                            "global_atomic_max_lanes",
                                            "shared_atomic_max_lanes",
                                            "barriers"};
  CHECK(names == documented);
}

TEST_CASE("a counter is a field or derives from fields, never both") {
  for (const auto& row : gpulab::counter_table()) {
    CAPTURE(row.name);
    CHECK_FALSE(row.meaning.empty());
    if (row.field == nullptr) {
      CHECK_FALSE(row.value(Counters{}));  // nothing counted: no denominator
    } else {
      Counters c;
      c.*row.field = 7;
      CHECK(row.value(c) == 7.0);
      CHECK_FALSE(row.ratio);
    }
  }
}

TEST_CASE("200 branches of which 50 diverge are 75% efficient") {
  Counters c;
  c.branches = 200;
  c.divergent_branches = 50;
  CHECK(value("branch_efficiency", c) == 0.75);
}

TEST_CASE("a broadcast load uses 4 of the 32 bytes of its sector") {
  Counters c;
  c.global_load_requests = 1;
  c.global_load_sectors = 1;
  c.global_bytes_loaded = 128;
  c.global_distinct_bytes_loaded = 4;
  CHECK(value("global_load_efficiency", c) == 0.125);
  CHECK_FALSE(value("global_store_efficiency", c));
}

TEST_CASE("a tile without padding has a shared efficiency of 2 in 33: one wavefront stores, 32 load") {
  Counters c;
  c.shared_load_requests = c.shared_store_requests = 32768;
  c.shared_load_wavefronts = 1048576;
  c.shared_load_bank_conflicts = 1015808;
  c.shared_store_wavefronts = 32768;
  CHECK(value("shared_efficiency", c).value() == 2.0 / 33);
}

TEST_CASE("efficiencies of warps divide by their 32 lanes") {
  Counters c;
  c.warps = 4;
  c.warp_instructions = 100;
  c.thread_instructions = 1600;
  CHECK(value("warp_execution_efficiency", c) == 0.5);
  CHECK(value("instructions_per_warp", c) == 25.0);
  CHECK_FALSE(info("instructions_per_warp").ratio);
}

TEST_CASE("launches add up, but the most lanes on one address are a maximum") {
  Counters a, b;
  a.warp_instructions = 1, b.warp_instructions = 2;
  a.global_atomic_max_lanes = 32, b.global_atomic_max_lanes = 4;
  b.barriers = 3;
  a += b;
  CHECK(a.warp_instructions == 3);
  CHECK(a.barriers == 3);
  CHECK(a.global_atomic_max_lanes == 32);
}

TEST_CASE("adding nothing changes no counter") {
  Counters all;
  std::uint64_t next = 1;
  for (const auto& row : gpulab::counter_table()) {
    if (row.field != nullptr) all.*row.field = next++;
  }
  Counters sum;
  sum += all;
  CHECK(sum == all);
}
