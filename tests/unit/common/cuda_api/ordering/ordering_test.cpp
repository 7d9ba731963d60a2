// Which operations of a program nothing orders: of each rule a right and a wrong program.
#include "common/cuda_api/ordering/ordering.h"

#include "tests/catch.h"

namespace gpulab::cuda_api {
namespace {

constexpr Ordering::Stream kDefault = Ordering::kLegacy, kS = 16, kT = 17, kFree = 18, kThread = 19;

/// Two blocking streams and one that is not.
Ordering three_streams() {
  Ordering order;
  order.created(kS, true);
  order.created(kT, true);
  order.created(kFree, false);
  return order;
}

/// Whether what is queued in one comes before what is queued in the other behind it.
bool orders(Ordering& order, Ordering::Stream first, Ordering::Stream second) {
  const Point earlier = order.queued(first);
  return order.is_before(earlier, order.queued(second));
}

TEST_CASE("operations of one stream follow each other, those of two do not") {
  auto order = three_streams();
  CHECK(orders(order, kS, kS));
  CHECK_FALSE(orders(order, kS, kT));
}

TEST_CASE("the legacy default stream and blocking streams wait for each other") {
  auto order = three_streams();
  CHECK(orders(order, kDefault, kS));
  CHECK(orders(order, kS, kDefault));
  CHECK(orders(order, kDefault, kThread));  // a thread's own, which nobody has created
  CHECK_FALSE(orders(order, kDefault, kFree));
  CHECK_FALSE(orders(order, kFree, kDefault));
  CHECK_FALSE(orders(order, kS, kThread));
}

TEST_CASE("each GPU has a default stream of its own, which another GPU's streams do not wait for") {
  Ordering order;
  const Ordering::Stream other = default_stream_of(1), of_other = other + kS;
  order.created(kS, true);
  order.created(of_other, true);
  CHECK(orders(order, other, of_other));
  CHECK(orders(order, of_other, other));
  CHECK_FALSE(orders(order, kDefault, of_other));
  CHECK_FALSE(orders(order, kS, other));
  CHECK_FALSE(orders(order, kDefault, other));
}

TEST_CASE("a wait for a GPU has what all of its streams hold, of whatever kind, and no other GPU's") {
  Ordering order;
  const Ordering::Stream other = default_stream_of(1), free = other + kFree, gone = other + kT;
  order.created(free, false);
  order.created(gone, false);
  const Point first = order.queued(free), second = order.queued(gone), mine = order.queued(kDefault);
  order.destroyed(gone);
  order.synchronised_gpu(1);
  CHECK(order.is_over(first));
  CHECK(order.is_over(second));
  CHECK_FALSE(order.is_over(mine));
}

TEST_CASE("an event of one GPU orders the work of another's stream") {
  Ordering order;
  const Ordering::Stream other = default_stream_of(1) + kS;
  const Point first = order.queued(kS);
  order.waits(other, order.recorded(kS));
  CHECK(order.is_before(first, order.queued(other)));
}

TEST_CASE("two blocking streams are ordered by what the default stream had between them") {
  auto order = three_streams();
  const Point first = order.queued(kS);
  (void)order.queued(kDefault);
  CHECK(order.is_before(first, order.queued(kT)));
}

TEST_CASE("an event has what its stream held when it was recorded") {
  auto order = three_streams();
  const Point before = order.queued(kS);
  const Mark mark = order.recorded(kS);
  const Point behind = order.queued(kS);
  order.waits(kT, mark);
  const Point last = order.queued(kT);
  CHECK(order.is_before(before, last));
  CHECK_FALSE(order.is_before(behind, last));
  order.waits(kFree, Mark());  // one that was never recorded
  CHECK_FALSE(order.is_before(before, order.queued(kFree)));
}

TEST_CASE("an event of the default stream has all that blocking streams held") {
  auto order = three_streams();
  const Point first = order.queued(kS), other = order.queued(kFree);
  order.waits(kFree, order.recorded(kDefault));
  CHECK(order.is_before(first, order.queued(kFree)));
  order.waits(kT, order.recorded(kDefault));
  CHECK_FALSE(order.is_before(other, order.queued(kT)));
}

TEST_CASE("order goes on through events of other streams") {
  auto order = three_streams();
  const Point first = order.queued(kS);
  order.waits(kFree, order.recorded(kS));
  order.waits(kT, order.recorded(kFree));
  CHECK(order.is_before(first, order.queued(kT)));
}

TEST_CASE("what the host has waited for comes before all that it queues") {
  auto order = three_streams();
  const Point first = order.queued(kS), other = order.queued(kFree);
  CHECK_FALSE(order.is_over(first));
  SECTION("for a stream") { order.synchronised(kS); }
  SECTION("for an event") { order.synchronised(order.recorded(kS)); }
  SECTION("for the default stream, which waits for blocking ones") { order.synchronised(kDefault); }
  CHECK(order.is_over(first));
  CHECK_FALSE(order.is_over(other));
  CHECK(order.is_before(first, order.queued(kT)));
  CHECK_FALSE(order.is_before(other, order.queued(kT)));
}

TEST_CASE("a wait for everything ends all that was") {
  auto order = three_streams();
  const Point first = order.queued(kFree);
  const Mark old = order.recorded(kFree);
  order.synchronised();
  CHECK(order.is_over(first));
  CHECK(order.is_before(first, order.queued(kT)));
  // An event from before knows nothing of what has come since.
  const Point second = order.queued(kFree);
  order.waits(kT, old);
  CHECK_FALSE(order.is_before(second, order.queued(kT)));
}

TEST_CASE("a stream that is destroyed is not waited for, but by the default stream") {
  auto order = three_streams();
  const Point first = order.queued(kS);
  order.destroyed(kS);
  CHECK_FALSE(order.is_over(first));
  CHECK_FALSE(order.is_before(first, order.queued(kT)));
  CHECK(order.is_before(first, order.queued(kDefault)));
}

TEST_CASE("a host function knows what its stream held and no more, and may tell the host") {
  auto order = three_streams();
  const Point mine = order.queued(kS), others = order.queued(kT);
  order.begin_callback(kS);
  CHECK(order.is_over(mine));
  CHECK_FALSE(order.is_over(others));
  order.synchronised();  // which it must not call
  order.end_callback();
  CHECK(order.is_over(mine));
  CHECK_FALSE(order.is_over(others));
}

TEST_CASE("edges alone order the nodes of a graph") {
  auto order = three_streams();
  const Point before = order.queued(kS), elsewhere = order.queued(kT);
  order.begin_graph(kS, &order, {{}, {0}, {}, {1, 2}});
  Point nodes[4];
  for (std::uint32_t i = 0; i < 4; ++i) {
    order.node(i);
    nodes[i] = order.queued(kS);
    CHECK(order.is_before(before, nodes[i]));
    CHECK_FALSE(order.is_before(elsewhere, nodes[i]));
  }
  CHECK(order.is_before(nodes[0], nodes[1]));
  CHECK(order.is_before(nodes[0], nodes[3]));  // by the one between
  CHECK(order.is_before(nodes[2], nodes[3]));
  CHECK_FALSE(order.is_before(nodes[0], nodes[2]));
  CHECK_FALSE(order.is_before(nodes[1], nodes[2]));
  order.end_graph();
  const Point behind = order.queued(kS);
  for (const auto& node : nodes) CHECK(order.is_before(node, behind));
  CHECK_FALSE(order.is_before(nodes[0], order.queued(kT)));
}

TEST_CASE("launches of one instance of a graph follow each other, those of two do not") {
  auto order = three_streams();
  const int one = 0, other = 0;
  const auto launch = [&](Ordering::Stream stream, const void* instance) {
    order.begin_graph(stream, instance, {{}});
    order.node(0);
    const Point node = order.queued(stream);
    order.end_graph();
    return node;
  };
  const Point first = launch(kS, &one), second = launch(kT, &one), third = launch(kFree, &other);
  CHECK(order.is_before(first, second));
  CHECK_FALSE(order.is_before(second, third));
}

TEST_CASE("of a graph in a graph all is one node; of one with very many nodes each waits for the last") {
  auto order = three_streams();
  order.begin_graph(kS, &order, {{}, {}});
  order.node(0);
  order.begin_graph(kS, nullptr, {{}, {}});
  order.node(0);
  const Point first = order.queued(kS);
  order.node(1);
  CHECK(order.is_before(first, order.queued(kS)));
  order.end_graph();
  order.node(1);
  CHECK_FALSE(order.is_before(first, order.queued(kS)));
  order.end_graph();
  order.begin_graph(kS, &order, std::vector<std::vector<std::uint32_t>>(1000));
  order.node(0);
  const Point one = order.queued(kS);
  order.node(999);
  CHECK(order.is_before(one, order.queued(kS)));
  order.end_graph();
}

TEST_CASE("thousands of streams without a wait are as if there had been one") {
  Ordering order;
  const Point first = order.queued(kS);
  for (Ordering::Stream stream = 100; stream < 5000; ++stream) {
    order.created(stream, true);
    (void)order.queued(stream);
    order.destroyed(stream);
  }
  CHECK(order.is_over(first));
}

TEST_CASE("streams may overlap where there are two besides the default stream, or one that does not wait for it") {
  Ordering order;
  CHECK_FALSE(order.may_overlap());
  (void)order.queued(kDefault);
  order.created(kS, true);
  CHECK_FALSE(order.may_overlap());
  CHECK(order.may_overlap(kThread));
  SECTION("a second one") { order.created(kT, true); }
  SECTION("a non-blocking one") {
    order.destroyed(kS);
    order.created(kFree, false);
  }
  CHECK(order.may_overlap());
}

}  // namespace
}  // namespace gpulab::cuda_api
