#include "labs/lab.h"

#include "labs/contract_parts.h"
#include "labs/occupancy/calculator.h"
#include "labs/occupancy/reference.h"

namespace gpulab::labs::occupancy {
namespace {

Problem problem(const Case& c) {
  const auto n = static_cast<std::size_t>(c.n());
  Problem p;
  p.buffers = {{"in", Scalar::u32, n, BufferRole::input, random_values(Scalar::u32, n, c.seed, 0, 0x1p32 - 1)},
               {"out", Scalar::u32, n, BufferRole::output}};
  p.expected = {{.buffer = "out", .exact = chains(c, p.buffers[0].initial)}};
  return p;
}

std::int32_t n(const Case& c) { return static_cast<std::int32_t>(c.n()); }
std::int32_t steps(const Case& c) { return static_cast<std::int32_t>(c.params.integer("steps")); }

std::vector<Argument> arguments(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"out"}, n(c), steps(c), chain_a, chain_c};
}

/// All kernels of this lab reserve --shared, and account for their occupancy.
Variant kernel(const std::string& name, const std::string& summary, const std::string& kernel) {
  Variant v{.name = name, .summary = summary, .kernel = kernel};
  v.dynamic_shared_bytes = shared_bytes;
  v.commentary = commentary_of(kernel);
  return v;
}

/// `values` elements per thread. `registers`: what 65536 registers of a block divide into, its limit on threads.
Variant chain(const std::string& name, const std::string& summary, const std::string& name_of_kernel,
              std::uint32_t values, std::uint32_t max_threads = 1024) {
  Variant v = kernel(name, summary, name_of_kernel);
  v.blocks = {.whole_warps = true,
              .min_threads = 32,
              .max_threads = max_threads,
              .why = max_threads < 1024 ? "a block's threads share 65536 registers, and a warp its elements"
                                        : "the 32 lanes of a warp share its elements"};
  v.covers = [=](const Case& c) { return Dim3{c.block.x * values}; };
  return v;
}

Variant calculator() {
  return {.name = "calculator",
          .summary = "what --registers, --shared and --block allow on the GPU's data sheet; launches nothing",
          .calculate = calculated};
}

Variant registers(std::uint32_t count, std::uint32_t values, const std::string& effect) {
  Variant v =
      chain("registers_" + std::to_string(count),
            std::to_string(values) + " values per thread, in " + std::to_string(count) + " registers: " + effect,
            "chains<" + std::to_string(values) + ">", values, std::min(1024U, 65536 / count));
  if (count > 16) v.claims = {rises("registers_per_thread")};
  return v;
}

Variant ilp(std::uint32_t values, const std::string& summary) {
  Variant v = chain("ilp_" + std::to_string(values), summary, "chains<" + std::to_string(values) + ">", values);
  if (values > 1) v.claims = {falls("warp_instructions")};
  v.starts = values == 1;
  v.about_time = true;
  return v;
}

Variant shared_table() {
  Variant v = kernel("shared_bytes", "a table of --shared bytes per block: the larger it is, the fewer blocks fit",
                     "shared_table");
  v.starts = true;
  v.strides = true;
  v.automatic_grid = resident_grid(4);
  v.scratch = [](const Case& c) -> std::vector<Buffer> {
    auto words = table(c);
    const auto count = words.size() / size_of(Scalar::u32);
    return {{"table", Scalar::u32, count, BufferRole::scratch, std::move(words)}};
  };
  v.arguments = [](const Case& c) -> std::vector<Argument> {
    return {BufferArgument{"in"}, BufferArgument{"table"}, BufferArgument{"out"}, n(c),
            static_cast<std::int32_t>(c.params.integer("shared") / 4)};
  };
  v.adjust = [](const Case& c, Problem& p) { p.expected[0].exact = looked_up(c, p.buffers[0].initial); };
  return v;
}

Variant memory_latency() {
  Variant v =
      kernel("memory_latency", "a chain of dependent loads: only other warps can fill the wait, every one counts",
             "memory_latency");
  v.starts = true;
  v.scratch = [](const Case& c) -> std::vector<Buffer> {
    return {{"next", Scalar::u32, static_cast<std::size_t>(c.n()), BufferRole::scratch, links(c)}};
  };
  v.arguments = [](const Case& c) -> std::vector<Argument> {
    return {BufferArgument{"next"}, BufferArgument{"out"}, n(c), static_cast<std::int32_t>(c.params.integer("hops"))};
  };
  v.adjust = [](const Case& c, Problem& p) { p.expected[0].exact = linked(c); };
  v.about_time = true;
  return v;
}

Variant arithmetic_latency() {
  Variant v = kernel("arithmetic_latency", "a chain of dependent divisions: a shorter wait, which few warps fill",
                     "arithmetic_latency");
  v.starts = true;
  v.arguments = [](const Case& c) -> std::vector<Argument> {
    return {BufferArgument{"in"}, BufferArgument{"out"}, n(c), steps(c), divisor, division_c};
  };
  v.adjust = [](const Case& c, Problem& p) {
    p.buffers[1].type = Scalar::f32;
    p.expected[0].exact = divisions(c, p.buffers[0].initial);
  };
  v.about_time = true;
  return v;
}

std::vector<Variant> ladder() {
  Variant unbounded = chain("unbounded", "40 values, and nothing said about blocks: the compiler takes what it likes",
                            "chains<40>", 40, 512);
  unbounded.starts = true;
  Variant bounded =
      chain("launch_bounds", "the same with __launch_bounds__(1024): at most 64 registers, any block starts",
            "chains_bounded<40>", 40);
  bounded.claims = {falls("registers_per_thread"), rises("resident_warps")};
  Variant spill = chain("spill", "96 values under the same bounds: what does not fit 64 registers goes to local memory",
                        "chains_bounded<96>", 96);
  spill.builds_on = "registers_128";
  spill.claims = {rises("resident_warps"), rises("local_bytes_per_thread")};
  spill.about_time = true;
  return {calculator(),
          registers(16, 4, "as many warps as an SM can hold"),
          registers(32, 12, "all that 2048 resident threads leave to each"),
          registers(64, 28, "half of 2048 threads fit, each with 28 chains that do not wait"),
          registers(128, 96, "a quarter of 2048 threads fit, each with 96 chains"),
          std::move(unbounded),
          std::move(bounded),
          std::move(spill),
          shared_table(),
          ilp(1, "one chain per thread: while it waits, other warps must issue"),
          ilp(2, "two independent chains per thread: half as many warps hide as much"),
          ilp(4, "four: at a quarter of the warps"),
          ilp(8, "eight: and still enough registers for every warp"),
          memory_latency(),
          arithmetic_latency()};
}

std::vector<Contract> contracts() {
  auto one = row_contract("chains", "(const unsigned* in, unsigned* out, int n, int steps, unsigned a, unsigned c)",
                          "takes x = a * x + c, steps times, on every element of in and writes it to out");
  one.precision = "modulo 2^32";
  one.rungs = {"ilp_1", "ilp_4"};
  one.reference = {{"n", std::int64_t{1} << 14}, {"steps", std::int64_t{64}}};
  one.classes = with_param(one.classes, "steps", {std::int64_t{5}, std::int64_t{0}, std::int64_t{1}, std::int64_t{33}});
  one.problem = [](const Case& c, Values values) {
    const auto n = static_cast<std::size_t>(c.n());
    const auto in = integers(Scalar::u32, n, c.seed, values);
    return Problem{
        .buffers = {{"in", Scalar::u32, n, BufferRole::input, in}, {"out", Scalar::u32, n, BufferRole::output}},
        .expected = {{.buffer = "out", .exact = chains(c, in)}}};
  };
  one.arguments = arguments;
  return {one};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 4;
  lab.topic = "occupancy, resources, latency hiding";
  lab.question = "How many warps fit on an SM, what keeps the others out, and how many does it take?";
  lab.headline = "calculator";
  lab.prerequisites = {"warps"};
  lab.params = {{"n", "elements", std::int64_t{1} << 22, {}, 0, 2147483647},
                {"registers",
                 "per thread, for the calculator",
                 std::int64_t{48},
                 {},
                 1,
                 255,
                 {std::int64_t{1}, std::int64_t{255}}},
                {"shared",
                 "dynamic shared memory per block, bytes",
                 std::int64_t{4096},
                 {},
                 0,
                 2147483647,
                 {std::int64_t{0}, std::int64_t{1001}, std::int64_t{232448}}},
                {"steps",
                 "dependent steps of arithmetic per element",
                 std::int64_t{64},
                 {},
                 0,
                 1 << 20,
                 {std::int64_t{0}, std::int64_t{65}}},
                {"hops",
                 "dependent loads per element (memory_latency)",
                 std::int64_t{4},
                 {},
                 0,
                 1 << 20,
                 {std::int64_t{0}, std::int64_t{5}}}};
  lab.block_presets = {{32}, {64}, {128}, {256}, {512}, {1024}};
  lab.default_block = {128};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  lab.arguments = arguments;
  lab.work = [](const Case& c) {
    const auto elements = static_cast<double>(c.n());
    return Work{.bytes = 8 * elements, .elements = elements};
  };
  lab.metrics = {
      {"threads_per_block", "", "threads of the block"},
      {"resident_warps", "warps", "warps that an SM holds at once: blocks per SM x warps of a block"},
      {"max_warps", "warps", "warps that an SM can hold, whatever they take"},
      {"blocks_per_sm", "blocks", "blocks that an SM holds at once"},
      {"theoretical_occupancy", "ratio", "resident warps / warps that the SM can hold"},
      {"occupancy_limit_warps", "blocks", "blocks that the SM's warps would allow"},
      {"occupancy_limit_registers", "blocks", "blocks that the SM's registers would allow"},
      {"occupancy_limit_shared", "blocks", "blocks that the SM's shared memory would allow"},
      {"occupancy_limit_blocks", "blocks", "blocks that the SM has slots for"},
      {"registers_per_thread", "", "registers that ptxas gives a thread"},
      {"local_bytes_per_thread", "bytes", "local memory of a thread: arrays, and registers that were spilled"},
      {"waves", "waves", "blocks of the grid / blocks that all SMs hold at once"}};
  lab.contracts = contracts();
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::occupancy
