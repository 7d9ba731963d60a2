#include "common/simt/timing/event_queue.h"

#include <limits>
#include <random>
#include <set>
#include <utility>

#include "tests/catch.h"

using gpulab::simt::EventQueue;

TEST_CASE("warps come out of the queue by time, those of one time by their number, as many as there are") {
  constexpr double never = std::numeric_limits<double>::infinity();
  for (const unsigned warps : {1u, 3u, 64u, 65u, 300u}) {
    std::mt19937 random(warps);
    EventQueue queue;
    std::set<std::pair<double, unsigned>> plain;
    std::set<unsigned> away;
    for (unsigned i = 0; i < warps; ++i) away.insert(i);
    for (int step = 0; step < 4000; ++step) {
      REQUIRE(queue.empty() == plain.empty());
      if (!plain.empty()) {
        REQUIRE(queue.first() == plain.begin()->second);
        REQUIRE(queue.first_time() == plain.begin()->first);
        REQUIRE(queue.second_time() == (plain.size() > 1 ? std::next(plain.begin())->first : never));
      }
      // Few times, so that many are the same; both zeros, halves, the largest that there is.
      const double times[] = {0, -0.0, 0.5, 1, 1.5, 1e-300, 1e300, std::numeric_limits<double>::max()};
      const double time = times[random() % std::size(times)];
      if (!plain.empty() && random() % 4 == 0) {
        const unsigned first = plain.begin()->second;
        plain.erase(plain.begin());
        plain.insert({time + 0.0, first});
        queue.move_first(time);
      } else if (!away.empty() && (plain.empty() || random() % 2)) {
        const auto one = std::next(away.begin(), random() % away.size());
        queue.add(*one, time);
        plain.insert({time + 0.0, *one});
        away.erase(one);
      } else {
        away.insert(plain.begin()->second);
        plain.erase(plain.begin());
        queue.remove_first();
      }
    }
  }
  EventQueue queue;
  queue.add(7, never);
  CHECK(!queue.empty());
  CHECK(queue.first() == 7);
  CHECK(queue.first_time() == std::numeric_limits<double>::max());
}
