#include "labs/allreduce/plans.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulab::labs::allreduce {
namespace {

/// Elements [first, first + count) of a vector.
struct Part {
  std::size_t first = 0, count = 0;
};

Part all_of(const Case& c) { return {0, static_cast<std::size_t>(c.n())}; }

/// Part `index` of as many as there are GPUs. All begin on multiples of four elements: threads take four at once.
Part part_of(const Case& c, int index) {
  const auto n = static_cast<std::size_t>(c.n()), parts = static_cast<std::size_t>(gpus_of(c));
  const auto at = [&](std::size_t i) { return i == parts ? n : n / 4 * i / parts * 4; };
  const auto i = static_cast<std::size_t>(index);
  return {at(i), at(i + 1) - at(i)};
}

/// A plan as it grows: each step's place is known to whoever is to wait for it.
class Planned {
 public:
  explicit Planned(const Case& c) : case_(c) {}

  std::size_t copy(int gpu, const std::string& to, const std::string& from, Part part,
                   std::vector<std::size_t> after = {}) {
    Step step;
    step.copy = {to, from, part.first, part.count};
    return add(gpu, std::move(step), std::move(after));
  }
  std::size_t sum(int gpu, const std::string& mine, const std::string& other, const std::string& out, Part part,
                  std::vector<std::size_t> after = {}) {
    return launch(gpu, "allreduce_add", {at(mine, part), at(other, part), at(out, part)}, part, std::move(after));
  }
  std::size_t fetch(int gpu, const std::string& other, const std::string& out, Part part,
                    std::vector<std::size_t> after = {}) {
    return launch(gpu, "allreduce_fetch", {at(other, part), at(out, part)}, part, std::move(after));
  }
  /// `vectors`: of each GPU.
  std::size_t sum_all(int gpu, const char* vectors, const std::string& out, Part part,
                      std::vector<std::size_t> after = {}) {
    constexpr int most = 8;
    const int gpus = gpus_of(case_);
    std::vector<Argument> arguments;
    for (int i = 0; i < most; ++i) arguments.emplace_back(at(numbered(vectors, i < gpus ? i : 0), part));
    arguments.emplace_back(at(out, part));
    arguments.emplace_back(static_cast<std::int32_t>(gpus));
    return launch(gpu, "allreduce_sum", std::move(arguments), part, std::move(after));
  }
  [[nodiscard]] std::vector<Step> steps() && { return std::move(steps_); }

 private:
  static BufferArgument at(const std::string& buffer, Part part) { return {buffer, part.first}; }
  std::size_t launch(int gpu, const char* kernel, std::vector<Argument> arguments, Part part,
                     std::vector<std::size_t> after) {
    constexpr std::int64_t each = 4;  // elements of a thread
    arguments.emplace_back(static_cast<std::int32_t>(part.count));
    Step step;
    step.kernel = kernel;
    step.grid = {blocks_for(static_cast<std::int64_t>(part.count), each * case_.block.x)};
    step.block = case_.block;
    step.arguments = std::move(arguments);
    return add(gpu, std::move(step), std::move(after));
  }
  std::size_t add(int gpu, Step step, std::vector<std::size_t> after) {
    step.gpu = gpu;
    step.after = std::move(after);
    steps_.push_back(std::move(step));
    return steps_.size() - 1;
  }

  const Case& case_;
  std::vector<Step> steps_;
};

/// Two rounds of k - 1 steps. In each step a GPU takes one part from the GPU before it, another part than all others
/// take: every link carries something all the time. Round one adds: after it GPU i has all of part i + 1's sum. Round
/// two hands the sums on. A step waits for the one by which the GPU before has got what is taken.
template <typename Take>
std::vector<Step> ring(const Case& c, const Take& take) {
  const int k = gpus_of(c);
  Planned plan(c);
  std::vector<std::vector<std::size_t>> before(
      static_cast<std::size_t>(k));  // of each GPU: what its last step waits for
  for (int step = 0; step < 2 * (k - 1); ++step) {
    const bool adds = step < k - 1;
    std::vector<std::vector<std::size_t>> done;
    for (int gpu = 0; gpu < k; ++gpu) {
      const int previous = (gpu + k - 1) % k, part = (gpu - step - 1 + 2 * k) % k;
      // The first step takes what the GPU before was given.
      const std::string from = numbered(step == 0 ? "in" : "out", previous);
      done.push_back({take(plan, gpu, from, part_of(c, part), adds, before[static_cast<std::size_t>(previous)])});
    }
    before = std::move(done);
  }
  return std::move(plan).steps();
}

}  // namespace

int gpus_of(const Case& c) { return static_cast<int>(c.params.integer("gpus")); }

std::string numbered(const char* name, int gpu) { return fmt::format("{}{}", name, gpu); }

std::vector<Step> through_host(const Case& c) {
  Planned plan(c);
  std::vector<std::vector<std::size_t>> out;
  for (int gpu = 0; gpu < gpus_of(c); ++gpu)
    out.push_back({plan.copy(gpu, numbered("host", gpu), numbered("in", gpu), all_of(c))});
  out.front().clear();  // GPU 0's own stream keeps its order
  for (int gpu = 0; gpu < gpus_of(c); ++gpu)
    plan.copy(0, numbered("all", gpu), numbered("host", gpu), all_of(c), out[static_cast<std::size_t>(gpu)]);
  plan.sum_all(0, "all", "out0", all_of(c));
  const std::size_t back = plan.copy(0, "host0", "out0", all_of(c));
  for (int gpu = 1; gpu < gpus_of(c); ++gpu) plan.copy(gpu, numbered("out", gpu), "host0", all_of(c), {back});
  return std::move(plan).steps();
}

std::vector<Step> gather(const Case& c) {
  Planned plan(c);
  for (int gpu = 0; gpu < gpus_of(c); ++gpu) plan.copy(0, numbered("all", gpu), numbered("in", gpu), all_of(c));
  plan.sum_all(0, "all", "out0", all_of(c));
  for (int gpu = 1; gpu < gpus_of(c); ++gpu) plan.copy(0, numbered("out", gpu), "out0", all_of(c));
  return std::move(plan).steps();
}

std::vector<Step> tree(const Case& c) {
  const int k = gpus_of(c);
  Planned plan(c);
  struct Gpu {
    std::string has;                  // where its sum so far lies
    std::vector<std::size_t> made{};  // by this step
  };
  std::vector<Gpu> gpus;
  for (int gpu = 0; gpu < k; ++gpu) gpus.push_back({numbered("in", gpu)});
  const auto at = [&](int gpu) -> Gpu& { return gpus[static_cast<std::size_t>(gpu)]; };
  int apart = 1;
  for (; apart < k; apart *= 2)
    for (int gpu = 0; gpu + apart < k; gpu += 2 * apart) {
      const Gpu& other = at(gpu + apart);
      const std::string out = numbered("out", gpu);
      at(gpu) = {out, {plan.sum(gpu, at(gpu).has, other.has, out, all_of(c), other.made)}};
    }
  for (apart /= 2; apart > 0; apart /= 2)
    for (int gpu = 0; gpu + apart < k; gpu += 2 * apart) {
      const std::string out = numbered("out", gpu + apart);
      at(gpu + apart) = {out, {plan.fetch(gpu + apart, numbered("out", gpu), out, all_of(c), at(gpu).made)}};
    }
  return std::move(plan).steps();
}

std::vector<Step> ring_copies(const Case& c) {
  return ring(c, [](Planned& plan, int gpu, const std::string& from, Part part, bool adds, auto after) {
    const std::string out = numbered("out", gpu), came = numbered("came", gpu);
    if (!adds) return plan.copy(gpu, out, from, part, std::move(after));
    plan.copy(gpu, came, from, part, std::move(after));
    return plan.sum(gpu, numbered("in", gpu), came, out, part);
  });
}

std::vector<Step> ring_loads(const Case& c) {
  return ring(c, [](Planned& plan, int gpu, const std::string& from, Part part, bool adds, auto after) {
    const std::string out = numbered("out", gpu);
    if (!adds) return plan.fetch(gpu, from, out, part, std::move(after));
    return plan.sum(gpu, numbered("in", gpu), from, out, part, std::move(after));
  });
}

std::vector<Step> one_shot(const Case& c) {
  Planned plan(c);
  for (int gpu = 0; gpu < gpus_of(c); ++gpu) plan.sum_all(gpu, "in", numbered("out", gpu), all_of(c));
  return std::move(plan).steps();
}

std::vector<Step> two_shot(const Case& c) {
  const int k = gpus_of(c);
  Planned plan(c);
  std::vector<std::size_t> summed;
  for (int gpu = 0; gpu < k; ++gpu) summed.push_back(plan.sum_all(gpu, "in", numbered("out", gpu), part_of(c, gpu)));
  // Each begins with another one, so that not all ask the same GPU at once.
  for (int far = 1; far < k; ++far)
    for (int gpu = 0; gpu < k; ++gpu) {
      const int owner = (gpu + far) % k;
      plan.fetch(gpu, numbered("out", owner), numbered("out", gpu), part_of(c, owner),
                 {summed[static_cast<std::size_t>(owner)]});
    }
  return std::move(plan).steps();
}

namespace {

std::vector<Buffer> scratch(const Case& c, const char* name, bool on_host, bool on_first) {
  std::vector<Buffer> buffers;
  for (int gpu = 0; gpu < gpus_of(c); ++gpu)
    buffers.push_back({.name = numbered(name, gpu),
                       .type = Scalar::f32,
                       .count = static_cast<std::size_t>(c.n()),
                       .role = BufferRole::scratch,
                       .on_host = on_host,
                       .gpu = on_host || on_first ? 0 : gpu});
  return buffers;
}

}  // namespace

std::vector<Buffer> all_on_first(const Case& c) { return scratch(c, "all", false, true); }
std::vector<Buffer> arrivals(const Case& c) { return scratch(c, "came", false, false); }
std::vector<Buffer> on_host(const Case& c) {
  auto buffers = scratch(c, "host", true, true);
  for (auto& buffer : all_on_first(c)) buffers.push_back(std::move(buffer));
  return buffers;
}

}  // namespace gpulab::labs::allreduce
