// Launches of control.cu: the lanes on each path and what they load there.
#include "tests/fidelity/suite.h"

namespace gpulab::fidelity {
namespace {

std::int64_t own(const Thread& t) { return t.of_grid; }
const Step kStored{Action::store, Space::out, 4, own};
const Step kFromZero{Action::clear, Space::in, 4, {}};

Step sum(Element element) { return {Action::sum, Space::in, 4, std::move(element)}; }
/// Where `on` holds.
Step load_if(Action action, std::function<bool(int)> on, std::function<int(int)> element) {
  return {action, Space::in, 4, [on = std::move(on), element = std::move(element)](const Thread& t) -> std::int64_t {
            return on(t.of_grid) ? element(t.of_grid) : kIdle;
          }};
}
Step sum_if(std::function<bool(int)> on, std::function<int(int)> element) {
  return load_if(Action::sum, std::move(on), std::move(element));
}

Case shaped(const char* kernel, std::vector<int> numbers, std::vector<Step> steps, bool stored_last = true) {
  Case one{kernel, {2, 1, 1}, {80, 1, 1}, {Buffer::in, Buffer::out}, {}};
  one.arguments.insert(one.arguments.end(), numbers.begin(), numbers.end());
  one.steps = {kFromZero};
  one.steps.insert(one.steps.end(), steps.begin(), steps.end());
  if (stored_last) one.steps.push_back(kStored);
  return one;
}

void add_branches(std::vector<Case>& cases) {
  for (const int mask : {0x55555555, 0x0000ffff, 0x2f8b61c4, 0}) {
    const auto yes = [=](int i) { return (mask >> i % 32 & 1) != 0; };
    cases.push_back(shaped("if_else", {mask},
                           {sum_if(yes, [](int i) { return i; }),
                            load_if(
                                Action::difference, [=](int i) { return !yes(i); }, [](int i) { return i * 2 + 1; })}));
  }
  cases.push_back(shaped("nested_if", {},
                         {sum(own), sum_if([](int i) { return i % 2 != 0; }, [](int i) { return i * 3; }),
                          sum_if([](int i) { return i % 4 == 1; }, [](int i) { return i / 4; }),
                          load_if(
                              Action::difference, [](int i) { return i % 4 == 3; }, [](int i) { return i + 64; })}));
  for (const int shift : {0, 2, 5}) {
    const auto way = [=](int k) { return [=](int i) { return (i >> shift & 3) == k; }; };
    cases.push_back(shaped(
        "switch_of_four", {shift},
        {sum_if(way(0), [](int i) { return i; }), load_if(Action::difference, way(1), [](int i) { return i * 2; }),
         load_if(Action::complement, way(2), [](int i) { return i * 4; }),
         load_if(Action::third, way(3), [](int) { return 7; })}));
  }
  cases.push_back(
      shaped("if_by_warp", {},
             {sum_if([](int i) { return i / 32 % 2 != 0; }, [](int i) { return i; }),
              load_if(
                  Action::difference, [](int i) { return i / 32 % 2 == 0; }, [](int i) { return i * 2; })}));
}

void add_loops(std::vector<Case>& cases) {
  for (const auto& [turns, stride] : {std::pair{5, 1}, {9, 32}, {32, 7}}) {
    std::vector<Step> steps;
    for (int k = 0; k < turns; ++k)
      steps.push_back(sum_if([=, turns = turns](int i) { return k < i % turns; },
                             [=, stride = stride](int i) { return i + k * stride; }));
    cases.push_back(shaped("loop_by_lane", {turns, stride}, steps));
  }
  for (const int turns : {3, 10}) {
    std::vector<Step> broken, continued, nested, returned;
    for (int k = 0; k < turns; ++k) {
      broken.push_back(sum_if([=](int i) { return k <= i % 7; }, [=](int i) { return i + k; }));
      broken.push_back(sum_if([=](int i) { return k < i % 7; }, [=](int i) { return (i + k) * 2; }));
      continued.push_back(sum_if([=](int i) { return (i + k) % 3 != 0; }, [=](int i) { return i * 2 + k; }));
      for (int inner = 0; inner <= k; ++inner)
        nested.push_back(sum_if([=](int i) { return inner < i % (k + 2); }, [=](int i) { return i + k * 8 + inner; }));
      returned.push_back(sum_if([=](int i) { return k <= i % 5; }, [=](int i) { return i + 32 * k; }));
      returned.push_back({Action::store, Space::out, 4,
                          [=](const Thread& t) -> std::int64_t { return k <= t.of_grid % 5 ? t.of_grid : kIdle; }});
    }
    cases.push_back(shaped("loop_with_break", {turns}, broken));
    cases.push_back(shaped("loop_with_continue", {turns}, continued));
    cases.push_back(shaped("nested_loops", {turns}, nested));
    cases.push_back(shaped("return_in_loop", {turns}, returned, false));
  }
}

}  // namespace

std::vector<Case> control_cases() {
  std::vector<Case> cases;
  add_branches(cases);
  add_loops(cases);
  for (const int n : {1, 70, 100, 160}) {
    const auto inside = [=](const Thread& t) -> std::int64_t { return t.of_grid < n ? t.of_grid : kIdle; };
    cases.push_back(shaped("early_return", {n}, {sum(inside), {Action::store, Space::out, 4, inside}}, false));
  }
  return cases;
}

}  // namespace gpulab::fidelity
