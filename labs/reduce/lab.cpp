#include "labs/lab.h"

#include <cmath>
#include <type_traits>

#include "labs/contract_parts.h"
#include "labs/reduce/launches.h"
#include "labs/reduce/reference.h"
#include "labs/reduce/tree_steps.h"
#include "labs/vendor.h"

namespace gpulab::labs::reduce {
namespace {

const BlockRule tree{.power_of_two = true, .min_threads = 2, .why = "each step halves the threads that work"};
const BlockRule last_warp{.power_of_two = true, .min_threads = 64, .why = "its last warp starts with 64 elements"};
const BlockRule warps{.whole_warps = true, .min_threads = 32, .why = "shuffles need all lanes of a warp"};

Problem problem(const Case& c) {
  Problem p;
  // One by one: a list in braces would copy the elements.
  p.buffers.push_back({"in", c.type(), static_cast<std::size_t>(c.n()), BufferRole::input, inputs(c)});
  p.buffers.push_back({"out", c.type(), 1, BufferRole::output});
  p.expected = {answer(c, p.buffers[0].initial)};
  return p;
}

std::vector<Argument> arguments(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n())};
}

std::vector<Argument> cooperative_arguments(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"out"}, BufferArgument{"partials"}, static_cast<std::int32_t>(c.n())};
}
std::vector<Argument> single_pass_arguments(const Case& c) {
  return {BufferArgument{"in"}, BufferArgument{"out"}, BufferArgument{"partials"}, BufferArgument{"ticket"},
          static_cast<std::int32_t>(c.n())};
}
std::vector<Buffer> single_pass_scratch(const Case& c) {
  return {{"partials", c.type(), c.grid.x, BufferRole::scratch},
          {"ticket", Scalar::u32, 1, BufferRole::scratch, std::vector<std::byte>(size_of(Scalar::u32))}};
}

std::uint32_t bytes_per_thread(const Case& c) { return static_cast<std::uint32_t>(size_of(c.type())) * c.block.x; }
Dim3 two_per_thread(const Case& c) { return {2 * c.block.x}; }
Dim3 tile_of_eight_vectors(const Case& c) { return {8 * 4 * c.block.x}; }
Dim3 one_block(const Case&) { return {1, 1, 1}; }

// Operations that an element passes through at most.
double serial(const Case& c) { return static_cast<double>(c.n()); }
double one_tree(const Case& c) { return std::ceil(std::log2(serial(c) + 1)) + 1; }
double block_then_atomics(const Case& c) { return levels(c) + 1 + c.grid.x; }
double tile_then_atomics(const Case& c) { return 8 * 4 + block_then_atomics(c); }
double stride_then_blocks(const Case& c) {
  return std::ceil(serial(c) / (static_cast<double>(c.grid.x) * c.block.x)) + 4 + 2 * levels(c) + c.grid.x;
}

/// The rung's kernel is named after it.
Variant rung(const std::string& name, const std::string& summary) {
  return {.name = name, .summary = summary, .kernel = "reduce_" + name + "<{type}, {Op}>"};
}
/// Trees over the block's threads that leave one result per block: in place in global memory, or in shared memory.
Variant in_place(const std::string& name, const std::string& summary, const Tree& steps, std::vector<Claim> claims) {
  Variant v = rung(name, summary);
  v.claims = std::move(claims);
  v.blocks = tree;
  v.writes_input = true;
  return with_steps(repeats(v, 1), steps);
}
Variant in_shared(const std::string& name, const std::string& summary, std::vector<Claim> claims,
                  std::uint32_t per_thread = 1, const BlockRule& blocks = tree) {
  Variant v = rung(name, summary);
  v.claims = std::move(claims);
  v.blocks = blocks;
  v.dynamic_shared_bytes = bytes_per_thread;
  return repeats(v, per_thread);
}

Variant racing(Variant v) {
  v.racy = true;
  return v;
}

Variant built_on(const std::string& rung, Variant v) {
  v.builds_on = rung;
  return v;
}

/// Trees in global memory, and what is worse.
std::vector<Variant> in_global_memory() {
  return {
      {.name = "single_thread",
       .summary = "one thread does it all, as on a CPU: the slowest, and what the others must agree with",
       .kernel = "reduce_single_thread<{type}, {Op}>",
       .strides = true,
       .automatic_grid = one_block,
       .adjust = within(serial)},
      {.name = "atomic",
       .summary = "a thread for every element, but all of them queue at one address",
       .kernel = "reduce_atomic<{type}, {Op}>",
       .adjust = accumulates(serial),
       .claims = {rises("warp_execution_efficiency")}},
      in_place("neighbored", "a tree per block, in global memory; the busy threads are scattered over all warps",
               {Numbering::multiples}, {falls("global_atomic_requests")}),
      in_place("neighbored_extra_steps",
               "the same with its loop running to blockDim, not half of it: a step for nothing",
               {.numbering = Numbering::multiples, .extra_steps = 1}, {rises("barriers")}),
      built_on("neighbored",
               in_place("neighbored_improved",
                        "the same pairs, but the first threads take them: 12 working warps instead of 47",
                        {Numbering::first_threads},
                        {rises("branch_efficiency"), falls("working_warps"), falls("warp_instructions")})),
      in_place("interleaved", "pairs half a block apart: neighbouring threads touch neighbouring words",
               {Numbering::halves}, {falls("global_load_sectors"), falls("global_store_sectors")}),
      {.name = "single_block",
       .summary = "the tree of neighbours by one block: no second launch, but all other SMs idle (--print traces it)",
       .kernel = "reduce_single_block<{type}, {Op}, {print}>",
       .strides = true,
       .automatic_grid = one_block,
       .adjust = within(one_tree),
       .writes_input = true},
      with_steps({.name = "tree_atomic",
                  .summary = "many blocks, two elements per thread; each block adds its result by one atomic",
                  .kernel = "reduce_tree_atomic<{type}, {Op}>",
                  .blocks = tree,
                  .covers = two_per_thread,
                  .adjust = accumulates(block_then_atomics),
                  .writes_input = true},
                 {.numbering = Numbering::first_threads, .elements_per_thread = 2}),
  };
}

/// One block's tree in shared memory, ever leaner.
std::vector<Variant> in_shared_memory() {
  return {
      with_steps({.name = "tree_shared",
                  .summary = "the tree moves to shared memory: closer, and the input stays as it was",
                  .kernel = "reduce_tree_shared<{type}, {Op}>",
                  .blocks = tree,
                  .covers = two_per_thread,
                  .dynamic_shared_bytes = [](const Case& c) { return 2 * bytes_per_thread(c); },
                  .adjust = accumulates(block_then_atomics),
                  .claims = {falls("global_load_sectors"), falls("global_store_sectors")}},
                 {.numbering = Numbering::first_threads, .elements_per_thread = 2, .in_shared = true}),
      built_on("neighbored",
               with_steps(in_shared("shared_divergent",
                                    "`neighbored` in shared memory, one element per thread: 47 working warps as there",
                                    {falls("global_load_requests"), falls("global_store_requests")}),
                          {.numbering = Numbering::multiples, .in_shared = true})),
      with_steps(in_shared("shared_strided", "busy threads side by side: 12 working warps, but their words share banks",
                           {rises("branch_efficiency"), falls("working_warps"), rises("shared_load_bank_conflicts")}),
                 {.numbering = Numbering::first_threads, .in_shared = true}),
      with_steps(in_shared("shared_sequential",
                           "neighbouring threads on neighbouring words: 12 working warps, no bank conflict",
                           {falls("shared_load_bank_conflicts")}),
                 {.numbering = Numbering::halves, .in_shared = true}),
      with_steps(
          in_shared("first_add", "every thread combines four elements, all under way at once: a quarter of the blocks",
                    {falls("warp_instructions"), falls("barriers")}, 4),
          {.numbering = Numbering::halves, .in_shared = true}),
      racing(in_shared("volatile_last_warp",
                       "the last steps by one warp, without barriers, as before Volta: `volatile`, a race since",
                       {falls("barriers"), falls("warp_instructions")}, 4, last_warp)),
      built_on("first_add",
               in_shared("unroll_last_warp", "the last steps are one warp's: __syncwarp, not block barriers, no loop",
                         {falls("barriers"), falls("warp_instructions")}, 4, last_warp)),
      in_shared("shuffle_last_warp", "the last warp exchanges registers: no shared memory, no barrier",
                {falls("shared_load_wavefronts")}, 4, last_warp),
  };
}

/// Registers and shuffles first; then as many blocks as fit, in one launch.
std::vector<Variant> by_warps() {
  return {
      {.name = "warp",
       .summary = "shuffles in each warp, then across the warps; one element per thread, one atomic per block",
       .kernel = "reduce_warp<{type}, {Op}>",
       .blocks = warps,
       .adjust = accumulates(block_then_atomics),
       .builds_on = "tree_shared",
       .claims = {falls("shared_load_wavefronts"), falls("barriers")}},
      {.name = "grid_stride_vec4",
       .summary = "only as many blocks as fit, four elements per load: the tree is paid once per resident block",
       .kernel = "reduce_grid_stride_vec4<{type}, {Op}>",
       .blocks = warps,
       .strides = true,
       .automatic_grid = resident_grid(4),
       .adjust = accumulates(stride_then_blocks),
       .claims = {falls("global_load_requests"), falls("barriers")}},
      {.name = "eight_loads",
       .summary = "eight vectors per thread asked for before the first is added, and no loop: more bytes under way",
       .kernel = "reduce_eight_loads<{type}, {Op}>",
       .blocks = warps,
       .covers = tile_of_eight_vectors,
       .adjust = accumulates(tile_then_atomics),
       .claims = {falls("warp_instructions")}},
      {.name = "cooperative",
       .summary = "a barrier over the whole grid between two passes of one launch; elements come one by one again",
       .kernel = "reduce_cooperative<{type}, {Op}>",
       .blocks = warps,
       .cooperative = true,
       .strides = true,
       .automatic_grid = resident_grid(1),
       .scratch = [](const Case& c) -> std::vector<Buffer> {
         return {{"partials", c.type(), c.grid.x, BufferRole::scratch}};
       },
       .arguments = cooperative_arguments,
       .adjust = within(stride_then_blocks),
       .builds_on = "grid_stride_vec4"},
      {.name = "single_pass",
       .summary =
           "the last block to finish adds up the others' results, in fixed order; nvcc keeps four loads under way",
       .kernel = "reduce_single_pass<{type}, {Op}>",
       .blocks = warps,
       .strides = true,
       .automatic_grid = resident_grid(1),
       .scratch = single_pass_scratch,
       .arguments = single_pass_arguments,
       .adjust = within(stride_then_blocks)},
      {.name = "redux",
       .summary = "`warp` with redux.sync: the 32 lanes of a warp in one instruction instead of ten",
       .kernel = "reduce_redux<{Op}>",
       .file = "kernels_sm80.cu",
       .blocks = warps,
       .only = {{"type", {"int"}}, {"op", {"sum", "min", "max"}}},
       .adjust = accumulates(block_then_atomics),
       .builds_on = "warp",
       .min_compute_capability = 80},
  };
}

std::vector<Variant> ladder() {
  std::vector<Variant> v = in_global_memory();
  for (const auto& more : {in_shared_memory(), by_warps()}) v.insert(v.end(), more.begin(), more.end());
  v.push_back({.name = "cub",
               .summary = "NVIDIA's cub::DeviceReduce: the yardstick",
               .adjust = within(serial),
               .vendor = vendor_code("reduce.cub")});
  v.push_back({.name = "cpu",
               .summary = "a loop on the CPU, left to right, in the same type",
               .adjust = within(serial),
               .host = fold_on_host});
  return v;
}

/// Integers wrap; nothing where one is NaN, or a sum leaves the range.
std::optional<double> sum_of(Scalar type, std::span<const std::byte> bytes) {
  return with_element_type(type, [&](auto zero) -> std::optional<double> {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      double sum = 0;
      for (const T x : view_as<T>(bytes)) sum += x;
      return std::isfinite(sum) ? std::optional(sum) : std::nullopt;
    } else {
      std::make_unsigned_t<T> sum = 0;
      for (const T x : view_as<T>(bytes)) sum += static_cast<std::make_unsigned_t<T>>(x);
      return static_cast<double>(static_cast<T>(sum));
    }
  });
}

/// A block's share is its threads' elements, one each.
Problem sums_of_blocks(const Case& c, Values values, bool in_all) {
  const auto n = static_cast<std::size_t>(c.n());
  auto in = !is_floating(c.type())    ? integers(c.type(), n, c.seed, values)
            : c.type() == Scalar::f32 ? floats(n, c.seed, n, values)
                                      : random_values(Scalar::i64, n, c.seed, -1e6, 1e6);
  if (c.type() == Scalar::f64) {
    std::vector<double> whole;
    for (const auto x : view_as<std::int64_t>(in)) whole.push_back(static_cast<double>(x));
    in = bytes_of(std::span<const double>(whole));
  }
  const std::size_t parts = in_all ? 1 : c.grid.x, share = in_all ? n : c.block.x;
  Problem p;
  with_element_type(c.type(), [&](auto zero) {
    using T = decltype(zero);
    using Sum = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
    const auto elements = view_as<T>(in);
    std::vector<T> sums(parts);
    for (std::size_t i = 0; i < n; ++i) {
      T& sum = sums[i / share];
      sum = static_cast<T>(static_cast<Sum>(sum) + static_cast<Sum>(elements[i]));
    }
    p.expected = {{.buffer = "out", .exact = bytes_of(std::span<const T>(sums))}};
  });
  p.buffers.push_back({"in", c.type(), n, BufferRole::input, std::move(in)});
  p.buffers.push_back({"out", c.type(), parts, BufferRole::output});
  if (in_all) p.buffers[1].initial.resize(size_of(c.type()));  // zero
  return p;
}

std::vector<Contract> contracts() {
  auto partials = row_contract("partials", "(const T* in, T* out, int n)",
                               "writes the sum of each block's share of the elements to out[blockIdx.x]");
  partials.about_barriers = true;
  partials.types = {Scalar::i32, Scalar::f32};
  partials.more_types = {Scalar::i64, Scalar::f64, Scalar::u32};
  partials.grid += "; the kernel chooses which elements each block adds, if each element is in one share";
  partials.shared = "two T for each thread";
  partials.dynamic_shared_bytes = [](const Case& c) { return 2 * bytes_per_thread(c); };
  partials.may_write = {"in"};
  partials.precision = "integers wrap modulo 2^32 (or 2^64); floats are such that their sums are exact in any order";
  partials.params = {{"op", "sum"}, {"data", "random"}, {"print", "false"}};
  partials.rungs = {"interleaved", "shared_strided", "shared_sequential", "first_add", "warp"};
  partials.place = {};
  partials.problem = [](const Case& c, Values values) { return sums_of_blocks(c, values, false); };
  partials.settle = [](const Case& c, const Problem&, std::span<const std::byte> got, Expected& expected) {
    const auto all = sum_of(c.type(), got);
    if (all && all == sum_of(c.type(), expected.exact)) expected.exact.assign(got.begin(), got.end());
  };
  Contract total = partials;
  total.name = "total";
  total.summary = "adds the sum of all elements to out[0], which holds 0";
  total.grid = "a thread for each element, in x; the last block may have threads to spare";
  total.before = "out[0] is 0";
  total.problem = [](const Case& c, Values values) { return sums_of_blocks(c, values, true); };
  total.settle = {};
  return {partials, total};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 5;
  lab.topic = "reductions";
  lab.question = "How do thousands of threads come to one answer?";
  lab.headline = "warp";
  lab.params = {
      {"n", "elements", std::int64_t{1} << 22, {}, 0, 2147483647},
      {"type", "element type", "float", {"int", "long", "float", "double"}},
      {"op", "operation", "sum", {"sum", "product", "min", "max"}},
      {"data", "elements: random, or iota: 1, 2, 3 …", "random", {"random", "iota"}},
      {"print", "trace every combination (single_block), or tabulate a tree's steps", "false", {"false", "true"}}};
  lab.block_presets = {{32}, {64}, {128}, {256}, {512}, {1024}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  lab.arguments = arguments;
  lab.work = [](const Case& c) {
    const auto n = static_cast<double>(c.n()), size = static_cast<double>(size_of(c.type()));
    return Work{.bytes = (n + 1) * size, .flops = n > 0 ? n - 1 : 0, .elements = n};
  };
  lab.metrics = {
      {"working_warps", "warps", "warps of a full block with a thread that works, summed over its tree's steps"}};
  lab.contracts = contracts();
  lab.subject = {"warp_instructions", "branch_efficiency", "warp_execution_efficiency",
                 "bank_conflicts_per_worse_shared_request"};
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::reduce
