#include "labs/occupancy/reference.h"

#include <numeric>
#include <utility>

namespace gpulab::labs::occupancy {
namespace {

std::size_t size(const Case& c) { return static_cast<std::size_t>(c.n()); }
std::vector<std::byte> words(std::size_t count, std::uint64_t seed, std::uint64_t stream) {
  return random_values(Scalar::u32, count, seed, 0, 0x1p32 - 1, stream);
}

/// The elements in the order of the cycle (Fisher and Yates' shuffle).
std::vector<std::uint32_t> cycle(const Case& c) {
  std::vector<std::uint32_t> order(size(c));
  std::iota(order.begin(), order.end(), 0U);
  const auto bytes = words(order.size(), c.seed, 1);
  const auto random = view_as<std::uint32_t>(bytes);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random[i - 1] % i]);
  return order;
}

/// Where `hops` links lead to from each element.
std::vector<std::byte> after(const Case& c, std::int64_t hops) {
  const auto order = cycle(c);
  std::vector<std::byte> bytes(order.size() * sizeof(std::uint32_t));
  const auto ends = view_as<std::uint32_t>(bytes);
  for (std::size_t i = 0; i < order.size(); ++i)
    ends[order[i]] = order[(i + static_cast<std::size_t>(hops)) % order.size()];
  return bytes;
}

}  // namespace

// Not step by step, as the kernels do it: `steps` steps are themselves of the form x -> a * x + c.
std::vector<std::byte> chains(const Case& c, const std::vector<std::byte>& in) {
  std::uint32_t a = 1, sum = 0;
  for (std::int64_t step = c.params.integer("steps"); step > 0; --step) {
    a *= chain_a;
    sum = chain_a * sum + chain_c;
  }
  auto bytes = in;
  for (auto& x : view_as<std::uint32_t>(bytes)) x = a * x + sum;
  return bytes;
}

// Division and addition are both rounded to nearest, on the CPU as on a GPU: no bit may differ.
std::vector<std::byte> divisions(const Case& c, const std::vector<std::byte>& in) {
  const auto steps = c.params.integer("steps");
  std::vector<std::byte> bytes(in.size());
  const auto from = view_as<std::uint32_t>(in);
  const auto to = view_as<float>(bytes);
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from[i]);
  for (std::int64_t step = 0; step < steps; ++step) {
    for (auto& x : to) x = x / divisor + division_c;
  }
  return bytes;
}

std::vector<std::byte> links(const Case& c) { return after(c, 1); }
std::vector<std::byte> linked(const Case& c) { return after(c, c.params.integer("hops")); }

std::vector<std::byte> table(const Case& c) {
  return words(static_cast<std::size_t>(c.params.integer("shared")) / sizeof(std::uint32_t), c.seed, 2);
}

std::vector<std::byte> looked_up(const Case& c, const std::vector<std::byte>& in) {
  const auto entries = table(c);
  const auto look_up = view_as<std::uint32_t>(entries);
  auto bytes = in;
  if (look_up.empty()) return bytes;
  for (auto& x : view_as<std::uint32_t>(bytes)) x += look_up[x % look_up.size()];
  return bytes;
}

}  // namespace gpulab::labs::occupancy
