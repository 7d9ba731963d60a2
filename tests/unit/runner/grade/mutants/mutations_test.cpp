#include "runner/grade/mutants/mutations.h"

#include <algorithm>
#include <set>

#include "tests/catch.h"

using namespace gpulab;

namespace {

const std::string kernel =
    "// if (i < n) in a comment: __syncthreads()\n"
    "constexpr int side = 32 + 1;\n"
    "__global__ void k(const float* in, float* out, int n) {\n"
    "  __shared__ float tile[32][32 + 1];\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n && i > 0) tile[0][i] = in[i];\n"
    "  __syncthreads();\n"
    "  printf(\"a < b\");\n"
    "  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);\n"
    "  atomicAdd(out, sum);\n"
    "}\n";

std::set<std::string> all_of(const std::vector<Mutation>& mutations) {
  std::set<std::string> all;
  for (const auto& one : mutations) all.insert(std::to_string(one.line) + " " + one.kind + ": " + one.what);
  return all;
}

}  // namespace

TEST_CASE("mutants are the mistakes that students make, each with its line") {
  const auto all = all_of(mutations_of(kernel, 0));
  for (const auto* one : {"7 barrier: '__syncthreads()' is gone",
                          "7 barrier: '__syncthreads()' is '__syncwarp()'",
                          "6 guard: 'if (i < n && i > 0)' always holds",
                          "6 guard: 'if (i < n && i > 0)' never holds",
                          "6 guard: '&&' is '||' in 'if (i < n && i > 0)'",
                          "6 comparison: '<' is '<='",
                          "6 comparison: '>' is '>='",
                          "6 index: '[i]' is one further",
                          "4 boundary: '+ 1' is gone",
                          "5 launch: 'blockDim.x' is '256'",
                          "5 launch: 'blockIdx.x' is '0'",
                          "9 stride: '/= 2' is '/= 4'",
                          "9 mask: '0xffffffff' is '0x0000ffff'",
                          "10 atomic: 'atomicAdd' is a plain addition",
                          "3 launch: one warp of a block works",
                          "4 shared memory: '__shared__' is gone",
                          "4 shared memory: '[32]' is '[16]'",
                          "6 boundary: '< n' is '< n - 1'",
                          "9 number: '16' is '17'",
                          "9 number: '16' is '15'",
                          "9 accumulator: 'm +=' is 'm -='",
                          "9 shuffle: '__shfl_down_sync' is '__shfl_up_sync'",
                          "10 atomic: 'atomicAdd' is 'atomicExch'",
                          "10 statement: 'atomicAdd(out, sum);' is gone",
                          "5 index: 'blockIdx.x' is '(unsigned char)blockIdx.x'",
                          "6 barrier: '__syncthreads()' is before 'if (i < n && i > 0) tile[0][i] = in[i];'",
                          "7 barrier: '__syncthreads()' is behind 'printf(\"a < b\");'"}) {
    INFO(one);
    CHECK(all.contains(one));
  }
}

TEST_CASE("mutants keep a sum in half precision, choose one side of '?:', and narrow an index") {
  const std::string text =
      "__global__ void k(const float* in, float* out, int n) {\n"
      "  const int i = blockIdx.x * 8;\n"
      "  float sum = i < n ? in[i] : 0;\n"
      "  for (int j = 0; j < min(n, 8); ++j) sum += in[j];\n"
      "  out[i] = sum;\n"
      "}\n";
  const auto found = mutations_of(text, 0);
  const auto all = all_of(found);
  for (const auto* one :
       {"2 index: 'int i =' is 'short i ='", "3 guard: '?' always takes what is before ':'",
        "3 accumulator: 'float sum =' is 'int sum ='", "4 accumulator: 'sum' is kept in half precision",
        "4 boundary: 'min(' is 'max('", "4 stride: '++j)' is 'j += 2)'", "5 accumulator: '] =' is '] +='"}) {
    INFO(one);
    CHECK(all.contains(one));
  }
  for (const auto& one : found)
    if (one.what == "'sum' is kept in half precision")
      CHECK(one.text.find("sum = gpulab_half(sum + (in[j]));") != std::string::npos);
}

TEST_CASE("mutants negate conditions, halve them, and exchange functions, operators, votes, atomics and subscripts") {
  const std::string text =
      "__global__ void k(const float* in, volatile float* out, int* most, int n, size_t m) {\n"
      "  float best = -INFINITY;\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x) {\n"
      "    if (i < n && !done(i)) continue;\n"
      "    best = fmaxf(best, 0.5f * expf(-in[i]));\n"
      "    mask = i & 7;\n"
      "    tile[row][column] = i < n ? best : 0.0f;\n"
      "  }\n"
      "  if (__any_sync(0xffffffff, best > 1)) atomicMax(most, n);\n"
      "  bits |= n;\n"
      "  size_t at = m || n ? 1 : 2;\n"
      "}\n";
  const auto all = all_of(mutations_of(text, 0));
  for (const auto* one :
       {"2 neutral element: '-INFINITY' is '0'", "3 stride: '; i +=' is '; i += 2 *'",
        "4 guard: 'if (i < n && !done(i))' holds where it did not",
        "4 guard: 'if (i < n && !done(i))' asks for 'i < n' alone",
        "4 guard: 'if (i < n && !done(i))' asks for '!done(i)' alone", "4 guard: '!' is gone",
        "4 guard: 'continue;' is 'break;'", "5 function: 'fmaxf(' is 'fminf('", "5 function: 'expf(' is 'exp2f('",
        "5 number: '0.5f' is '(2 * 0.5f)'", "5 index: '[i]' is one before", "6 arithmetic: 'i &' is 'i |'",
        "7 index: '[row][column]' is '[column][row]'", "7 guard: '?' always takes what is behind ':'",
        "7 neutral element: ': 0.0f' is ': 1.0f'", "9 vote: '__any_sync' is '__all_sync'",
        "9 atomic: 'atomicMax' is 'atomicMin'", "10 accumulator: 's |=' is 's ='",
        "11 accumulator: 'size_t' is 'int'"}) {
    INFO(one);
    CHECK(all.contains(one));
  }
  CHECK(!all.contains("11 guard: '?' always takes what is behind ':'"));  // "m || n && false" is still m
}

TEST_CASE("mutants leave comments, literals and what stands outside of functions alone") {
  for (const auto& one : mutations_of(kernel, 0)) {
    INFO(one.what);
    CHECK(one.line != 1);
    CHECK(one.line != 2);
    CHECK(one.line != 8);
    CHECK(one.text.find("// if (i < n) in a comment: __syncthreads()\n") != std::string::npos);
    CHECK(one.text.find("\"a < b\"") != std::string::npos);
    CHECK(one.text != kernel);
  }
}

TEST_CASE("mutants are the same in every run, each text once, and spread over the source where they are too many") {
  const auto all = mutations_of(kernel, 0), again = mutations_of(kernel, 0), some = mutations_of(kernel, 10);
  std::set<std::string> texts;
  for (const auto& one : all) texts.insert(one.text);
  CHECK(texts.size() == all.size());
  CHECK(all_of(all) == all_of(again));
  REQUIRE(some.size() == 10);
  CHECK(some.front().line == all.front().line);
  CHECK(some.back().line >= 9);
  CHECK(mutations_of("", 100).empty());
  CHECK(mutations_of("}}}{{{ if (", 100).empty());
}
