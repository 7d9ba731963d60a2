// Which of two operations' bytes meet, and which of the meetings are wrong.
#include "common/cuda_api/ordering/operations.h"

#include "tests/catch.h"

namespace gpulab::cuda_api {
namespace {

using simt::ByteRanges;
using Kind = Operation::Kind;

struct Program {
  Ordering order;
  Operations operations{order};
  std::vector<std::string> told;  ///< "a b": later, earlier
  bool same = false;

  void add(const std::string& name, Ordering::Stream stream, simt::TouchedBytes bytes, Kind kind = Kind::kernel,
           bool waited_for = false) {
    Operation operation;
    operation.kind = kind;
    operation.name = name;
    operation.when = order.queued(stream);
    operation.bytes = std::move(bytes);
    operation.waited_for = waited_for;
    operations.add(
        std::move(operation), [&](const auto&, const auto&) { return same; },
        [&](const Operation& earlier, const Operation& later, const Conflict&) {
          told.push_back(later.name + " " + earlier.name);
        });
  }
};

simt::TouchedBytes reads(std::uint64_t first, std::uint64_t bytes) {
  simt::TouchedBytes touched;
  touched.read.add(first, first + bytes);
  return touched;
}
simt::TouchedBytes writes(std::uint64_t first, std::uint64_t bytes) {
  simt::TouchedBytes touched;
  touched.written.add(first, first + bytes);
  return touched;
}
simt::TouchedBytes adds(std::uint64_t first, std::uint64_t bytes) {
  simt::TouchedBytes touched;
  touched.atomic.add(first, first + bytes);
  return touched;
}

using Told = std::vector<std::string>;

TEST_CASE("one byte that one operation writes and another touches is told, other bytes and reads by both are not") {
  Program program;
  program.add("write", 1, writes(0, 100));
  program.add("beside", 2, writes(100, 4));
  CHECK(program.told.empty());
  program.add("read", 2, reads(99, 4));
  program.add("read too", 3, reads(99, 1));
  CHECK(program.told == Told{"read write", "read too write"});
}

TEST_CASE("atomics of both are innocent, those of one are not") {
  Program program;
  program.add("count", 1, adds(0, 4));
  program.add("count too", 2, adds(0, 4));
  CHECK(program.told.empty());
  program.add("read", 3, reads(0, 4));
  CHECK(program.told == Told{"read count too", "read count"});
}

TEST_CASE("operations that change a word by atomics may wait for each other there") {
  Program program;
  auto first = writes(0, 4), second = reads(0, 4);
  first.shared_atomic = second.shared_atomic = ByteRanges(1000, 4);
  program.add("sends", 1, first);
  program.add("receives", 2, second);
  CHECK(program.told.empty());
  program.add("reads", 3, reads(0, 4));
  CHECK(program.told == Told{"reads sends"});
}

TEST_CASE("two copies that write the same bytes are innocent, a kernel and a copy are not") {
  Program program;
  program.same = true;
  program.add("copy", 1, writes(0, 4), Kind::copy);
  program.add("fill", 2, writes(0, 4), Kind::fill);
  CHECK(program.told.empty());
  program.add("kernel", 3, writes(0, 4));
  CHECK(program.told == Told{"kernel fill", "kernel copy"});
  program.same = false;
  program.add("other", 4, writes(0, 4), Kind::copy);
  CHECK(program.told.size() == 5);
}

TEST_CASE("of a stream that is not waited for one mistake is told, and nothing that follows from it") {
  Program program;
  program.add("first", 1, writes(0, 4));
  program.add("second", 1, writes(0, 4));
  program.add("read", 2, reads(0, 4));
  program.add("again", 2, reads(0, 4));
  CHECK(program.told == Told{"read second"});
}

TEST_CASE("what the host knows to be over is forgotten") {
  Program program;
  program.add("write", 1, writes(0, 4));
  program.add("copy", 2, reads(100, 4), Kind::copy, true);  // the host waits for it at once
  CHECK(program.operations.pending().size() == 1);
  program.order.synchronised(1);
  program.operations.forget_over();
  CHECK(program.operations.pending().empty());
}

TEST_CASE("a thousand operations are remembered, and as many ranges as memory allows") {
  Program program;
  for (int i = 0; i < 3000; ++i) program.add("write", 1, writes(0, 4));
  CHECK(program.operations.pending().size() == 1024);
  for (int i = 0; i < 100; ++i) {
    auto many = writes(0, 4);
    for (std::uint64_t name = 0; name < 10'000; ++name) many.names[name];
    program.add("of many allocations", 1, std::move(many));
  }
  CHECK(program.operations.pending().size() == 52);
}

TEST_CASE("what two share is told of one allocation") {
  Operation one, other;
  one.bytes.written = ByteRanges(0, 1000);
  other.bytes.written = ByteRanges(10, 1000);
  one.bytes.names = other.bytes.names = {{0, "a"}, {500, "b"}};
  other.bytes.written.clear();
  other.bytes.written.add(490, 495);
  other.bytes.written.add(600, 700);
  const auto conflict = conflict_of(one, other);
  REQUIRE(conflict.has_value());
  CHECK(conflict->bytes.bytes() == 5);
}

}  // namespace
}  // namespace gpulab::cuda_api
