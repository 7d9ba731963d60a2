#include <chrono>
#include <cmath>
#include <limits>

#include "labs/reduce/launches.h"
#include "labs/reduce/reference.h"
#include "tests/catch.h"

using namespace gpulab;
namespace reduce = gpulab::labs::reduce;

namespace {

Case point(const std::string& type, const std::string& op, std::int64_t n) {
  Case c;
  c.params.values = {{"n", n}, {"type", type}, {"op", op}, {"data", std::string("random")}};
  return c;
}

template <typename T>
T exactly(const Expected& expected) {
  return view_as<T>(expected.exact)[0];
}
template <typename T>
Expected answer_for(const std::string& type, const std::string& op, const std::vector<T>& in) {
  return reduce::answer(point(type, op, static_cast<std::int64_t>(in.size())), bytes_of(std::span<const T>(in)));
}

}  // namespace

TEST_CASE("integer sums wrap as unsigned arithmetic does, and say so") {
  const auto fits = answer_for<int>("int", "sum", {2147483646, 1});
  CHECK(exactly<int>(fits) == 2147483647);
  CHECK(fits.note.empty());
  const auto wraps = answer_for<int>("int", "sum", {2147483647, 1});
  CHECK(exactly<int>(wraps) == std::numeric_limits<int>::min());
  CHECK(wraps.note == "the result wraps modulo 2^32");
  CHECK(answer_for<int>("int", "sum", {2147483647, 1, -1}).note.empty());  // back in range: nothing is lost
  const auto wide = answer_for<std::int64_t>("long", "sum", {std::numeric_limits<std::int64_t>::max(), 2});
  CHECK(exactly<std::int64_t>(wide) == std::numeric_limits<std::int64_t>::min() + 1);
  CHECK(wide.note == "the result wraps modulo 2^64");
}

TEST_CASE("integer products wrap and say so") {
  CHECK(exactly<int>(answer_for<int>("int", "product", {3, -5, 7})) == -105);
  CHECK(answer_for<int>("int", "product", {3, -5, 7}).note.empty());
  const auto wraps = answer_for<int>("int", "product", {65537, 65537});
  CHECK(exactly<int>(wraps) == 131073);
  CHECK(wraps.note == "the result wraps modulo 2^32");
}

TEST_CASE("without elements the answer is the neutral element") {
  CHECK(exactly<int>(answer_for<int>("int", "sum", {})) == 0);
  CHECK(exactly<int>(answer_for<int>("int", "product", {})) == 1);
  CHECK(exactly<int>(answer_for<int>("int", "min", {})) == std::numeric_limits<int>::max());
  CHECK(exactly<std::int64_t>(answer_for<std::int64_t>("long", "max", {})) == std::numeric_limits<std::int64_t>::min());
  CHECK(exactly<float>(answer_for<float>("float", "min", {})) == std::numeric_limits<float>::infinity());
  CHECK(answer_for<float>("float", "sum", {}).real == std::vector<double>{0});
  CHECK(answer_for<double>("double", "product", {}).real == std::vector<double>{1});
  for (const auto* type : {"int", "long", "float", "double"}) {
    for (const auto* op : {"sum", "product", "min", "max"}) {
      const auto c = point(type, op, 0);
      CHECK(reduce::tolerance(c, 0, 0) == 0);
      const auto expected = reduce::answer(c, {});
      if (!expected.exact.empty()) CHECK(expected.exact == reduce::neutral(c));
    }
  }
}

TEST_CASE("a sum of doubles keeps what double arithmetic would lose") {
  CHECK(answer_for<double>("double", "sum", {1e16, 1, -1e16}).real[0] == 1);
  CHECK(answer_for<float>("float", "sum", {16777216.0f, 1.0f, 1.0f}).real[0] == 16777218.0);
}

TEST_CASE("minimum and maximum are exact for every length around a lane count") {
  for (std::int64_t n = 1; n < 40; ++n) {
    for (const auto* op : {"min", "max"}) {
      const auto c = point("float", op, n);
      const auto in = reduce::inputs(c);
      const auto values = view_as<float>(in);
      float best = values[0];
      for (float v : values) best = op[1] == 'i' ? std::min(best, v) : std::max(best, v);
      REQUIRE(exactly<float>(reduce::answer(c, in)) == best);
    }
  }
}

TEST_CASE("products of random factors stay finite, far from zero, and depend on every factor") {
  for (const auto* type : {"float", "double"}) {
    for (std::int64_t n : {1, 2, 33, 1000, 1 << 16, 1 << 22}) {
      const auto c = point(type, "product", n);
      const double product = reduce::answer(c, reduce::inputs(c)).real[0];
      CAPTURE(type, n, product);
      CHECK((std::isfinite(product) && std::fabs(product) > 1e-30 && std::fabs(product) < 1e30));
    }
  }
  const auto c = point("int", "product", 4096);
  CHECK(exactly<int>(reduce::answer(c, reduce::inputs(c))) % 2 != 0);
}

TEST_CASE("the serial fold in the element's type is within its bound of the exact answer") {
  for (const auto* type : {"float", "double"}) {
    for (const auto* op : {"sum", "product"}) {
      for (std::int64_t n : {1, 2, 3, 100, 4097, 1 << 20}) {
        auto c = point(type, op, n);
        for (c.seed = 1; c.seed <= 5; ++c.seed) {
          auto in = reduce::inputs(c);
          std::vector<std::byte> out(size_of(c.type()));
          HostCall call;
          call.params = &c.params;
          call.buffers = {{"in", in}, {"out", out}};
          reduce::fold_on_host(call);
          const double got = type[0] == 'f' ? view_as<float>(out)[0] : view_as<double>(out)[0];
          const double wanted = reduce::answer(c, in).real[0];
          CAPTURE(type, op, n, c.seed, got, wanted);
          REQUIRE(std::fabs(got - wanted) <= reduce::tolerance(c, static_cast<double>(n), wanted));
        }
      }
    }
  }
}

TEST_CASE("the bound of a tree over 4 million floats notices a lost element of average size") {
  const auto c = point("float", "sum", 1 << 22);
  CHECK(reduce::tolerance(c, 22, 0) < 0.05);
  CHECK(reduce::tolerance(point("double", "sum", 1 << 22), 22, 0) < 1e-10);
}

TEST_CASE("a reduction by passes ends in one block, whatever its blocks and elements") {
  for (std::int64_t n : {0, 1, 2, 255, 256, 257, 65536, 65537, 2147483647}) {
    for (std::uint32_t block : {2, 64, 256, 1024}) {
      auto c = point("float", "sum", n);
      c.block = {block};
      const Variant v = reduce::repeats({.name = "x", .summary = "", .kernel = "k"}, 4);
      const auto covered = v.covers(c).x;
      c.grid = {static_cast<std::uint32_t>(std::max<std::int64_t>(1, (n + covered - 1) / covered))};
      const auto steps = v.steps(c);
      const auto scratch = v.scratch(c);
      REQUIRE(steps.back().grid.x == 1);
      REQUIRE(std::get<BufferArgument>(steps.back().arguments[1]).buffer == "out");
      REQUIRE(std::get<BufferArgument>(steps.front().arguments[0]).buffer == "in");
      for (std::size_t i = 1; i < steps.size(); ++i) {
        const auto& from = std::get<BufferArgument>(steps[i].arguments[0]).buffer;
        REQUIRE(from == std::get<BufferArgument>(steps[i - 1].arguments[1]).buffer);
        REQUIRE(std::get<std::int32_t>(steps[i].arguments[2]) == static_cast<std::int32_t>(steps[i - 1].grid.x));
        const auto buffer =
            std::find_if(scratch.begin(), scratch.end(), [&](const Buffer& b) { return b.name == from; });
        REQUIRE(buffer != scratch.end());
        REQUIRE(buffer->count >= steps[i - 1].grid.x);
      }
    }
  }
}

TEST_CASE(
    "counted elements, 1 2 3 …: every answer is what arithmetic says, and one element less is outside the bound") {
  for (const auto* type : {"int", "long", "float", "double"}) {
    auto c = point(type, "sum", 16);
    c.params.values["data"] = "iota";
    const auto sum = reduce::answer(c, reduce::inputs(c));
    INFO(type);
    if (!sum.real.empty()) {
      CHECK(sum.real[0] == 136);
      CHECK(reduce::tolerance(c, 5, 136) < 1e-4);
      CHECK(reduce::tolerance(c, 5, 136) > 0);
    } else {
      CHECK((type[0] == 'i' ? exactly<int>(sum) : exactly<std::int64_t>(sum)) == 136);
    }
  }
}

TEST_CASE("a bound of counted elements holds for the serial fold, however long") {
  for (std::int64_t n : {1, 100, 4097, 1 << 20, 1 << 24}) {
    auto c = point("float", "sum", n);
    c.params.values["data"] = "iota";
    auto in = reduce::inputs(c);
    std::vector<std::byte> out(size_of(c.type()));
    HostCall call;
    call.params = &c.params;
    call.buffers = {{"in", in}, {"out", out}};
    reduce::fold_on_host(call);
    const double wanted = reduce::answer(c, in).real[0], got = view_as<float>(out)[0];
    CAPTURE(n, got, wanted);
    CHECK(std::fabs(got - wanted) <= reduce::tolerance(c, static_cast<double>(n), wanted));
    CHECK(std::isfinite(reduce::tolerance(c, static_cast<double>(n), wanted)));
  }
}

TEST_CASE("a factorial that leaves the type's range is infinite, and said to be") {
  for (const auto& [type, last] : {std::pair{"float", 34}, {"double", 170}}) {
    auto c = point(type, "product", last);
    c.params.values["data"] = "iota";
    CHECK(std::isfinite(reduce::answer(c, reduce::inputs(c)).real[0]));
    c.params.values["n"] = std::int64_t{last + 1};
    const auto beyond = reduce::answer(c, reduce::inputs(c));
    CHECK(beyond.note == "the result is infinite: beyond the type's range");
    CHECK(std::isinf(type[0] == 'f' ? double{exactly<float>(beyond)} : exactly<double>(beyond)));
  }
}
