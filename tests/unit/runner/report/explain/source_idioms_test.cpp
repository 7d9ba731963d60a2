#include "runner/report/explain/source_idioms.h"

#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("a condition that lets one thread in is known by its words, one that lets some in is another") {
  for (const auto* line : {"if (threadIdx.x == 0) partials[blockIdx.x] = value;", "if (lane == 0) s[warp] = r;",
                           "if (threadIdx.x % 32 == 0) *total += r;", "if ((tid & 31) == 0) {", "if (!threadIdx.x)",
                           "if (block.thread_rank() == 0) sum = 0;", "if (lane_id==0)", "if (tid % warpSize == 0)"}) {
    INFO(line);
    CHECK(lets_one_in(line));
  }
  for (const auto* line : {"if (tid % (2 * offset) == 0 && tid + offset < n) s[tid] += s[tid + offset];",
                           "if (threadIdx.x % 2 == 0)", "if (threadIdx.x < R) {", "if (x[i] == 0) x[i] = 1;",
                           "if (i < n)", "while (threadIdx.x == 0x20)", "if (!done)"}) {
    INFO(line);
    CHECK_FALSE(lets_one_in(line));
  }
}

TEST_CASE("loops and ways out of a function are known by their words") {
  for (const auto* line : {"for (int k = 0; k < work; ++k) x = step(x);", "while (i < n) {", "} while (x > 0);"})
    CHECK(loops(line));
  for (const auto* line : {"if (i < n) forward(x);", "before(x);", "meanwhile (x)"}) CHECK_FALSE(loops(line));
  for (const auto* line : {"if (i >= n) return;", "if (done) return x;"}) CHECK(leaves(line));
  for (const auto* line : {"if (i >= n) returned = true;", "if (i < n) {"}) CHECK_FALSE(leaves(line));
}

TEST_CASE("a place that all threads change is named, one of a thread's own is not") {
  CHECK(one_place_changed("if (threadIdx.x % 32 == 0) *total += r;") == "*total");
  CHECK(one_place_changed("  *out = *out + x[i];") == "*out");
  CHECK(one_place_changed("count[0]++;") == "count[0]");
  CHECK(one_place_changed("(*count)++;") == "*count");
  CHECK(one_place_changed("sum[0] += x;") == "sum[0]");
  for (const auto* line : {"x[i] *= factor;", "float *y = x + 1;", "r += *p;", "a = b *c + d;", "*out = value;",
                           "s[tid] += s[tid + offset];", "atomicAdd(total, r);", "y = x[0] + 1;"}) {
    INFO(line);
    CHECK(one_place_changed(line).empty());
  }
}

TEST_CASE("a barrier of the grid is no barrier of the block") {
  CHECK(waits_for_grid("grid.sync();"));
  CHECK(waits_for_grid("cooperative_groups::this_grid().sync();"));
  CHECK_FALSE(waits_for_grid("block.sync();"));
  CHECK_FALSE(waits_for_grid("__syncthreads();"));
}
