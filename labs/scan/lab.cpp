#include "labs/lab.h"

#include "labs/contract_parts.h"
#include "labs/scan/commentary.h"
#include "labs/scan/launches.h"
#include "labs/scan/reference.h"
#include "labs/vendor.h"

namespace gpulab::labs::scan {
namespace {

const BlockRule any{.min_threads = 2, .why = "a tile of one element leaves as many totals as elements"};
const BlockRule tree{.power_of_two = true, .why = "each step of the tree doubles the distance"};
const BlockRule warps{.whole_warps = true, .min_threads = 32, .why = "shuffles need all lanes of a warp"};
const BlockRule largest{.only = {{1024}}, .why = "the tile is as large as a block's registers allow"};

/// Shared memory for one word per element of the tile.
std::uint32_t words(std::uint32_t count) { return count * static_cast<std::uint32_t>(sizeof(float)); }
std::uint32_t one_tile(const Case& c) { return words(c.block.x); }
std::uint32_t two_tiles(const Case& c) { return words(2 * c.block.x); }
std::uint32_t padded_tile(const Case& c) { return words(padded(2 * c.block.x - 1) + 1); }

/// The rung's kernel is named after it.
Variant rung(const std::string& name, const std::string& summary, const BlockRule& blocks,
             std::uint32_t (*shared)(const Case&) = nullptr) {
  Variant v{.name = name, .summary = summary, .kernel = "scan_" + name + "<{type}, {Op}, {Kind}>", .blocks = blocks};
  if (shared != nullptr) v.dynamic_shared_bytes = shared;
  return v;
}

Variant claims(Variant variant, std::vector<Claim> claims) {
  variant.claims = std::move(claims);
  return variant;
}

std::vector<Variant> ladder() {
  Variant racy = explained(
      scan_then_add(rung("racy", "doubling distances, in place: threads read what others overwrite", any, one_tile), 1),
      scan_then_add_operations(1, doubling_operations, false));
  racy.racy = true;
  std::vector<Variant> v{
      racy,
      explained(
          scan_then_add(
              rung("hillis_steele", "from one buffer into another: right, but n log n additions", any, two_tiles), 1),
          scan_then_add_operations(1, doubling_operations, false)),
      claims(explained(scan_then_add(
                           rung("blelloch", "a tree up and down: additions linear in n, but its lanes meet in one bank",
                                tree, two_tiles),
                           2),
                       scan_then_add_operations(2, tree_operations, true), unpadded),
             {falls("operations")}),
      claims(explained(scan_then_add(
                           rung("blelloch_padded", "one unused word after each 32: the lanes of a warp meet in no bank",
                                tree, padded_tile),
                           2),
                       scan_then_add_operations(2, tree_operations, true), padded),
             {falls("shared_load_bank_conflicts"), falls("shared_store_bank_conflicts")}),
      claims(
          explained(
              scan_then_add(
                  rung("warp_scan", "registers of a warp by shuffles: hardly any barriers or shared memory", warps), 1),
              scan_then_add_operations(1, warps_operations, true)),
          {falls("barriers"), falls("shared_load_wavefronts"), falls("shared_store_wavefronts")}),
      claims(explained(reduce_then_scan(rung("three_phase",
                                             "reduce tiles, scan totals, scan tiles: three times n moved, not four; "
                                             "four elements per thread",
                                             warps),
                                        4),
                       three_phase_operations(4)),
             {falls("operations"), falls("global_bytes_stored"), falls("warp_instructions")}),
      claims(
          look_back(
              rung("look_back",
                   "one pass: each tile waits for the totals before it and adds them up; twice n moved, as by a copy",
                   warps),
              16),
          {falls("global_bytes_loaded"), falls("warp_instructions")}),
      claims(
          look_back(rung("look_back_large",
                         "tiles eight times as long: a block looks back less often; it pays where there are many tiles",
                         largest),
                    32),
          {falls("global_atomic_requests")}),
  };
  v.push_back({.name = "cub",
               .summary = "NVIDIA's cub::DeviceScan: the yardstick (it looks back, too)",
               .adjust = within([](const Case& c) { return static_cast<double>(c.n()); }),
               .vendor = vendor_code("scan.cub")});
  return v;
}

/// in[0] + … + in[i] modulo 2^32.
Problem prefix_sums(const Case& c, Values values) {
  const auto n = static_cast<std::size_t>(c.n());
  const auto in = integers(Scalar::i32, n, c.seed, values);
  auto sums = in;
  std::uint32_t total = 0;
  for (auto& x : view_as<std::uint32_t>(sums)) x = total += x;
  return {.buffers = {{"in", Scalar::i32, n, BufferRole::input, in}, {"out", Scalar::i32, n, BufferRole::output}},
          .expected = {{.buffer = "out", .exact = sums}}};
}

std::vector<Contract> contracts() {
  auto scan = row_contract("scan", "(const int* in, int* out, int n)", "writes in[0] + … + in[i] to out[i]");
  scan.about_barriers = true;
  scan.grid =
      "a thread for each element, in x; all blocks are on the GPU at once, so that they may wait for each other, "
      "in whatever order they start; each does all the work or a part of it";
  scan.shared = "two ints for each thread";
  scan.dynamic_shared_bytes = [](const Case& c) { return words(2 * c.block.x); };
  scan.precision = "modulo 2^32";
  scan.params = {{"type", "int"}};
  scan.reference = {{"n", std::int64_t{1} << 14}};
  scan.rungs = {"hillis_steele", "blelloch_padded", "warp_scan", "three_phase", "look_back"};
  std::erase_if(scan.classes, [](const InputClass& of) { return of.name == "large"; });
  scan.problem = prefix_sums;
  Contract tile = scan;
  tile.name = "tile";
  tile.summary = "writes in[0] + … + in[i] to out[i], of at most as many elements as the block has threads";
  tile.grid = "one block; n is at most its number of threads";
  const auto sizes = [](std::initializer_list<std::int64_t> all) {
    std::vector<std::map<std::string, ParamValue, std::less<>>> points;
    for (const auto n : all) points.push_back({{"n", n}});
    return points;
  };
  tile.reference = {{"n", std::int64_t{1024}}};
  tile.launches = {{{1024}}};
  tile.takes_any_block = false;
  tile.classes = {
      {"usual", "a full block", "the answer itself is wrong: start with 32 elements by hand", sizes({1024})},
      {"empty", "no elements at all", "with n = 0 nothing may be read", sizes({0})},
      {"one", "a single element", "all other threads have no element", sizes({1})},
      {"warps", "sizes around a warp", "which lanes have an element, and which take from where?", sizes({31, 32, 33})},
      {"odd", "sizes that nothing divides", "threads without an element still meet barriers", sizes({777, 1023})},
      {"extreme", "the largest and the smallest numbers", "sums wrap", sizes({1000}), Values::extreme},
  };
  return {scan, tile};
}

}  // namespace

Lab lab() {
  Lab lab;
  lab.lecture = 11;
  lab.topic = "prefix sums";
  lab.question = "How can every element know the sum of all before it, without waiting for them one by one?";
  lab.headline = "three_phase";
  lab.prerequisites = {"reduce"};
  lab.params = {{"n", "elements", std::int64_t{1} << 22, {}, 0, 2147483647},
                {"type", "element type", "float", {"int", "float"}},
                {"op", "operation", "sum", {"sum", "product", "max"}},
                {"kind", "does a result count its own element", "inclusive", {"inclusive", "exclusive"}}};
  lab.block_presets = {{64}, {128}, {256}, {512}, {1024}};
  lab.extent = [](const Case& c) { return Dim3{static_cast<std::uint32_t>(c.n())}; };
  lab.problem = problem;
  lab.arguments = [](const Case& c) -> std::vector<Argument> {
    return {BufferArgument{"in"}, BufferArgument{"out"}, static_cast<std::int32_t>(c.n())};
  };
  lab.work = [](const Case& c) {
    const auto n = static_cast<double>(c.n());
    return Work{.bytes = 2 * n * static_cast<double>(size_of(c.type())), .flops = n > 0 ? n - 1 : 0, .elements = n};
  };
  lab.metrics = {{"operations", "", "additions (or what the operator is) that all threads execute together"},
                 {"operations_per_element", "", "operations / n; one pass of one thread needs 1"}};
  lab.contracts = contracts();
  lab.subject = {"bank_conflicts_per_worse_shared_request", "barriers"};
  lab.variants = ladder();
  return lab;
}

}  // namespace gpulab::labs::scan
