#include "labs/lab.h"

#include <fmt/format.h>

#include <utility>

#include "labs/allreduce/nccl.h"
#include "labs/allreduce/plans.h"
#include "labs/contract_parts.h"

namespace gpulab::labs::allreduce {
namespace {

std::size_t count(const Case& c) { return static_cast<std::size_t>(c.n()); }
double bytes(const Case& c) { return 4 * static_cast<double>(c.n()); }
double gpus(const Case& c) { return gpus_of(c); }

/// Each of k - 1 additions rounds a sum of at most k numbers below 1, in whatever order; a hundredth more for the
/// errors of errors.
double tolerance(double k) { return 1.01 * 0x1p-24 * (k - 1) * k; }

Problem problem(const Case& c) {
  Problem p;
  std::vector<double> sums(count(c));
  for (int gpu = 0; gpu < gpus_of(c); ++gpu) {
    auto values = random_values(Scalar::f32, count(c), c.seed, -1, 1, static_cast<std::uint64_t>(gpu));
    const auto view = view_as<float>(std::span<const std::byte>(values));
    for (std::size_t i = 0; i < view.size(); ++i) sums[i] += static_cast<double>(view[i]);
    p.buffers.push_back({.name = numbered("in", gpu),
                         .type = Scalar::f32,
                         .count = count(c),
                         .initial = std::move(values),
                         .gpu = gpu});
    p.buffers.push_back(
        {.name = numbered("out", gpu), .type = Scalar::f32, .count = count(c), .role = BufferRole::output, .gpu = gpu});
  }
  for (int gpu = 0; gpu < gpus_of(c); ++gpu)
    p.expected.push_back({.buffer = numbered("out", gpu), .real = sums, .tolerance = tolerance(gpus(c))});
  return p;
}

/// What a rung asks of the links: bytes that the busiest one carries in one direction, and steps from GPU to GPU that
/// come one behind the other.
struct OnLinks {
  double bytes = 0, steps = 0;
};

int levels(const Case& c) {
  int levels = 0;
  for (int apart = 1; apart < gpus_of(c); apart *= 2) ++levels;
  return levels;
}

OnLinks on_links(const Case& c, const std::string& rung) {
  const double k = gpus(c), all = bytes(c);
  if (rung == "through_host") return {0, 2};
  if (rung == "gather") return {(k - 1) * all, 2};
  if (rung == "tree") return {all * levels(c), 2.0 * levels(c)};
  if (rung == "one_shot") return {(k - 1) * all, 1};
  return {2 * (k - 1) / k * all, rung == "two_shot" ? 2 : 2 * (k - 1)};
}

Commentary commentary(const Case& c, const std::string& rung) {
  const OnLinks on = on_links(c, rung);
  Commentary made;
  made.metrics = {{"link_bytes", on.bytes, "B"}, {"steps_in_a_row", on.steps, ""}};
  if (c.gpu != nullptr && c.gpu->nvlink_gbs > 0 && on.bytes > 0)
    made.metrics.push_back({"link_time", on.bytes / (c.gpu->nvlink_gbs * 1e9) * 1e6, "us"});
  return made;
}

Dim3 four_per_thread(const Case& c) { return {4 * c.block.x}; }

Variant rung(const char* name, const char* summary, std::vector<Step> (*steps)(const Case&),
             std::vector<Buffer> (*scratch)(const Case&) = nullptr) {
  Variant v;
  v.name = name;
  v.summary = summary;
  v.covers = four_per_thread;
  v.steps = steps;
  if (scratch != nullptr) v.scratch = scratch;
  v.about_time = true;
  v.commentary = [name = v.name](const Case& c, const ReadBuffer&) { return commentary(c, name); };
  return v;
}

std::vector<Variant> ladder() {
  std::vector<Variant> all{
      rung("through_host", "all vectors to the host and on to GPU 0, which adds; the sum goes back the same way",
           through_host, on_host),
      rung("gather", "copies between GPUs without the host; one link carries all, and one GPU does all the work",
           gather, all_on_first),
      rung("tree",
           "pairs add, then pairs of pairs: kernels load what the partner has; half the GPUs rest at each level", tree),
      rung("ring_copies",
           "a k-th of the vector at a time, from neighbour to neighbour: every link is busy in each step", ring_copies,
           arrivals),
      rung("ring_loads", "kernels load from their neighbour and add at once: nothing lies in memory on its way",
           ring_loads),
      rung("one_shot", "every GPU loads all vectors and adds them itself: one step, but each link carries everything",
           one_shot),
      rung("two_shot",
           "each GPU adds one part of all vectors, then fetches the other parts: two steps, the ring's bytes",
           two_shot),
  };
  all[0].pinned = true;
  all[3].builds_on = "gather";
  all[5].builds_on = "gather";
  Variant library;
  library.name = "nccl";
  library.summary = "NVIDIA's library: one kernel for each GPU, which goes around the ring by itself";
  library.about_time = true;
  library.vendor = nccl();
  library.commentary = [](const Case& c, const ReadBuffer&) { return commentary(c, "ring_loads"); };
  all.push_back(std::move(library));
  return all;
}

std::vector<Contract> contracts() {
  auto add = row_contract("allreduce_add", "(const float* mine, const float* other, float* out, int n)",
                          "writes mine[i] + other[i] to out[i]: what a GPU does in a step of the ring");
  add.params = {{"gpus", std::int64_t{2}}};
  add.precision = "one addition, rounded to nearest: exact";
  add.rungs = {"ring_loads"};
  add.reference = {{"n", std::int64_t{1} << 16}};
  add.problem = [](const Case& c, Values values) {
    Problem p;
    const auto mine = floats(count(c), c.seed, 2, values), other = floats(count(c), c.seed, 2, values, 1);
    const auto a = view_as<float>(std::span<const std::byte>(mine)),
               b = view_as<float>(std::span<const std::byte>(other));
    std::vector<float> sums(count(c));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = a[i] + b[i];
    p.buffers = {{"mine", Scalar::f32, count(c), BufferRole::input, mine},
                 {"other", Scalar::f32, count(c), BufferRole::input, other},
                 {"out", Scalar::f32, count(c), BufferRole::output}};
    p.expected = {{.buffer = "out", .exact = bytes_of<float>(sums)}};
    return p;
  };
  add.arguments = [](const Case& c) -> std::vector<Argument> {
    return {BufferArgument{"mine"}, BufferArgument{"other"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n())};
  };
  return {add};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 17;
  lab.topic = "several GPUs";
  lab.question = "How do several GPUs come to one sum, and who waits for whom?";
  lab.headline = "ring_loads";
  lab.prerequisites = {"reduce", "transfer"};
  lab.params = {{"n", "elements (floats) on each GPU", std::int64_t{1} << 20, {}, 0, 2147483647},
                {.name = "gpus",
                 .help = "GPUs, each with a vector of its own",
                 .fallback = std::int64_t{2},
                 .min = 2,
                 .max = 8,
                 .tested = {std::int64_t{2}, std::int64_t{3}, std::int64_t{4}, std::int64_t{8}}}};
  lab.block_presets = {{128}, {256}, {512}, {1024}};
  lab.default_block = {512};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  // The bus bandwidth, as NCCL's tests call it: what each link has to carry at least.
  lab.work = [](const Case& c) {
    return Work{.bytes = 2 * (gpus(c) - 1) / gpus(c) * bytes(c),
                .flops = (gpus(c) - 1) * static_cast<double>(c.n()),
                .elements = static_cast<double>(c.n()),
                .over_link = true};
  };
  lab.metrics = {{"link_bytes", "B", "bytes that the busiest link between two GPUs carries in one direction"},
                 {"steps_in_a_row", "", "steps from GPU to GPU that come one behind the other"},
                 {"link_time", "us", "link_bytes / what a link carries by the GPU's data sheet"}};
  lab.gpus = gpus_of;
  lab.contracts = contracts();
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::allreduce
