#include "common/cuda_api/runtime/timeline.h"

#include "tests/catch.h"

using namespace gpulab::cuda_api;

namespace {

using Engine = Timeline::Engine;

}  // namespace

TEST_CASE("kernels of streams run side by side as far as SMs are free, and those of one stream never") {
  Timeline timeline;
  const auto first = timeline.add(1, 0, 0), second = timeline.add(1, 0, 0), third = timeline.add(1, 0, 0);
  CHECK(timeline.queue(first, {.ms = 4, .share = 0.5}) == 0);
  CHECK(timeline.queue(second, {.ms = 2, .share = 0.5}) == 0);
  CHECK(timeline.queue(third, {.ms = 1, .share = 0.5}) == 2);
  CHECK(timeline.queue(second, {.ms = 1, .share = 0.1}) == 3);  // 0.1 beside the first would fit, but for the third
  CHECK(timeline.queue(first, {.ms = 1, .share = 0.1}) == 4);
  CHECK(timeline.queue(third, {.ms = 1, .share = 1}) == 5);
  CHECK(timeline.queue(second, {.ms = 1, .share = 0.1}) == 6);
}

TEST_CASE("no more than 128 kernels are on a GPU at once, however small they are") {
  Timeline timeline;
  double last = 0;
  for (int i = 0; i < 128; ++i) last = timeline.queue(timeline.add(1, 0, 0), {.ms = 3, .share = 0.001});
  CHECK(last == 0);
  CHECK(timeline.queue(timeline.add(1, 0, 0), {.ms = 3, .share = 0.001}) == 3);
}

TEST_CASE("what a profiler makes of the host's calls is on its timeline alone: events know nothing of it") {
  Timeline timeline;
  const auto stream = timeline.add(1, 0, 0);
  timeline.host_calls(7);  // nothing is queued yet: the timeline begins with the first work
  CHECK(timeline.queue(stream, {.engine = Engine::to_device, .ms = 1, .behind_ms = 100}) == 0);
  timeline.host_calls(5);
  CHECK(timeline.queue(stream, {.ms = 1}) == 5);
  CHECK(timeline.reached(stream).ms == 2);
  timeline.host_waits(timeline.ready(stream), 3);  // at 6, and goes on 3 later
  CHECK(timeline.queue(stream, {.ms = 1, .behind_ms = 10}) == 16);
  CHECK(timeline.ready(stream).ms == 3);
  CHECK(timeline.host_ms() == 2);
}
