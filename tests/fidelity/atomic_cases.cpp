// Launches of atomic.cu, and which thread touches which counter.
#include <bit>

#include "tests/fidelity/suite.h"

namespace gpulab::fidelity {
namespace {

struct Adder {
  const char* type;
  std::uint32_t width;
  Action action;
};
constexpr Adder kInt{"int", 4, Action::add_u32}, kLong{"unsigned long long", 8, Action::add_u64},
    kFloat{"float", 4, Action::add_f32}, kDouble{"double", 8, Action::add_f64};

std::int64_t own(const Thread& t) { return t.of_grid; }
std::string named(const char* kernel, const Adder& adder) { return std::string(kernel) + "<" + adder.type + ">"; }

/// What an addition without a result makes of the old value; here with one.
std::uint64_t sum(const Adder& adder, const Thread& t, std::uint64_t old) {
  const std::uint32_t amount = t.linear + 1;
  if (adder.action != Action::add_f32) return old + amount;
  const float total = std::bit_cast<float>(static_cast<std::uint32_t>(old)) + static_cast<float>(amount);
  return std::bit_cast<std::uint32_t>(total);
}

void add_reductions(std::vector<Case>& cases) {
  for (const Adder& adder : {kInt, kLong, kFloat, kDouble})
    for (const auto& [share, stride] : {std::pair{1, 1}, {1, 3}, {1, 16}, {2, 1}, {4, 5}, {32, 1}, {1024, 1}})
      cases.push_back({named("red_add", adder),
                       {2, 1, 1},
                       {96, 1, 1},
                       {Buffer::out, share, stride},
                       {{adder.action, Space::out, adder.width,
                         [share = share, stride = stride](const Thread& t) { return t.of_grid / share * stride; }}}});
}

void add_fetches(std::vector<Case>& cases) {
  const auto fetched = [&](std::string kernel, std::uint32_t width, std::vector<Argument> arguments, Element at,
                           std::function<std::uint64_t(const Thread&, std::uint64_t)> value, Element to = own) {
    cases.push_back({std::move(kernel),
                     {2, 1, 1},
                     {64, 1, 1},
                     std::move(arguments),
                     {{Action::fetch, Space::in, width, std::move(at), std::move(value)},
                      {Action::store, Space::out, width, std::move(to)}}});
  };
  for (const int stride : {1, 2, 9}) {
    const auto at = [=](const Thread& t) { return std::int64_t{t.of_grid} * stride; };
    for (const Adder& adder : {kInt, kLong, kFloat})
      fetched(named("atom_add", adder), adder.width, {Buffer::in, Buffer::out, stride}, at,
              [=](const Thread& t, std::uint64_t old) { return sum(adder, t, old); });
    fetched("atom_exchange", 4, {Buffer::in, Buffer::out, stride}, at,
            [](const Thread& t, std::uint64_t) { return static_cast<std::uint64_t>(t.of_grid); });
  }
  for (const int mask : {0x55555555, 0x1, 0x2f8b61c4}) {
    const auto masked = [=](const Thread& t) -> std::int64_t { return mask >> t.lane & 1 ? t.of_grid : kIdle; };
    fetched(
        "atom_max_masked", 4, {Buffer::in, Buffer::out, mask}, masked,
        [](const Thread&, std::uint64_t old) {
          return static_cast<std::uint64_t>(std::max(static_cast<std::int32_t>(old), 5));
        },
        masked);
  }
  const auto swapped = [](std::uint64_t expected) {
    return [=](const Thread& t, std::uint64_t old) {
      return old == expected ? static_cast<std::uint64_t>(t.of_grid) : old;
    };
  };
  fetched("atom_cas<unsigned int>", 4, {Buffer::in, Buffer::out, 4}, own, swapped(4));
  fetched("atom_cas<unsigned long long>", 8, {Buffer::in, Buffer::out, std::uint64_t{3}}, own, swapped(3));
}

void add_shared(std::vector<Case>& cases) {
  for (const Adder& adder : {kInt, kLong, kFloat})
    for (const auto& [share, stride] : {std::pair{1, 1}, {1, 2}, {1, 8}, {2, 1}, {4, 3}, {32, 1}, {64, 1}}) {
      const auto cell = [stride = stride](const Thread& t) { return std::int64_t{t.linear} * stride; };
      cases.push_back(
          {named("shared_add", adder),
           {1, 1, 1},
           {96, 1, 1},
           {Buffer::out, share, stride},
           {{Action::number, Space::shared, adder.width, cell},
            {adder.action, Space::shared, adder.width,
             [share = share, stride = stride](const Thread& t) { return std::int64_t{t.linear} / share * stride; }},
            {Action::load, Space::shared, adder.width, cell},
            {Action::store, Space::out, adder.width, own}}});
    }
  cases.push_back({"shared_exchange",
                   {1, 1, 1},
                   {96, 1, 1},
                   {Buffer::in, Buffer::out},
                   {{Action::load, Space::in, 4, own},
                    {Action::store, Space::shared, 4, own},
                    {Action::fetch, Space::shared, 4, [](const Thread& t) { return t.linear ^ 1; },
                     [](const Thread&, std::uint64_t) { return 3; }},
                    {Action::store, Space::out, 4, own}}});
}

}  // namespace

std::vector<Case> atomic_cases() {
  std::vector<Case> cases;
  add_reductions(cases);
  add_fetches(cases);
  add_shared(cases);
  return cases;
}

}  // namespace gpulab::fidelity
