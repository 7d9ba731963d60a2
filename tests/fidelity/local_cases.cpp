// Launches of local.cu, and which thread touches which element of its own array.
#include <fmt/format.h>

#include "tests/fidelity/suite.h"

namespace gpulab::fidelity {
namespace {

std::int64_t own(const Thread& t) { return t.linear; }

std::vector<Step> filled(std::uint32_t width, int threads) {
  std::vector<Step> steps;
  for (int i = 0; i < 16; ++i) {
    steps.push_back({Action::load, Space::in, width, [=](const Thread& t) { return i * threads + t.linear; }});
    steps.push_back({Action::store, Space::local, width, [=](const Thread&) { return i; }});
  }
  return steps;
}

Case from_array(const char* kernel, const Width& width, int threads, int factor, int mask, std::vector<Step> steps) {
  Case one{fmt::format("{}<{}>", kernel, width.type),
           {1, 1, 1},
           {static_cast<std::uint32_t>(threads), 1, 1},
           {Buffer::in, Buffer::out, factor, mask},
           filled(width.bytes, threads)};
  one.steps.insert(one.steps.end(), steps.begin(), steps.end());
  return one;
}

}  // namespace

std::vector<Case> local_cases() {
  std::vector<Case> cases;
  for (const Width& width : kWidths) {
    const Step stored{Action::store, Space::out, width.bytes, own};
    for (const int index : {0, 5, 15})
      cases.push_back(
          from_array("local_uniform", width, 64, index, 0,
                     {{Action::load, Space::local, width.bytes, [=](const Thread&) { return index; }}, stored}));
    for (const auto& [factor, mask] : {std::pair{1, 1}, {1, 3}, {1, 15}, {3, 15}, {8, 15}})
      cases.push_back(from_array(
          "local_diverged", width, 50, factor, mask,
          {{Action::load, Space::local, width.bytes,
            [factor = factor, mask = mask](const Thread& t) { return static_cast<int>(t.linear) * factor & mask; }},
           stored}));
    for (const int mask : {0x55555555, 0x0000ffff, 0x2f8b61c4})
      for (const int factor : {0, 1, 7}) {
        const auto chosen = [=](const Thread& t) { return (mask >> t.lane & 1) != 0; };
        cases.push_back(
            from_array("local_masked", width, 32, factor, mask,
                       {{Action::load, Space::in, width.bytes,
                         [=](const Thread& t) -> std::int64_t { return chosen(t) ? t.linear : kIdle; }},
                        {Action::store, Space::local, width.bytes,
                         [=](const Thread& t) -> std::int64_t {
                           return chosen(t) ? static_cast<int>(t.linear) * factor & 15 : kIdle;
                         }},
                        {Action::load, Space::local, width.bytes, [=](const Thread&) { return factor & 15; }},
                        stored}));
      }
  }
  return cases;
}

}  // namespace gpulab::fidelity
