// How far a launch is, in words.

#include "common/progress/launch_progress.h"

#include "tests/catch.h"

namespace gpulab {
namespace {

TEST_CASE("what is left of a launch is told once some of its blocks have ended, and have run for a second") {
  CHECK(time_left(0, 100, 9000).empty());
  CHECK(time_left(100, 100, 9000).empty());
  CHECK(time_left(10, 100, 900).empty());
  CHECK(time_left(10, 100, 2000) == "about 18 s left");
  CHECK(time_left(99, 100, 2000) == "less than 1 s left");
  CHECK(time_left(1, 301, 2000) == "about 10 min left");
  CHECK(time_left(1, 36001, 2000) == "about 20 h left");
}

TEST_CASE("the line has the number of the launch where there are several, and of how many where that is known") {
  CHECK(text_of({.kernel = "k", .launch = 1, .launches = 1, .blocks = 1, .done = 0}) == "0 of 1 block");
  CHECK(text_of({.kernel = "k", .launch = 2, .launches = 3, .blocks = 8, .done = 4}) == "launch 2 of 3, 4 of 8 blocks");
  CHECK(text_of({.kernel = "k", .launch = 7, .launches = 0, .blocks = 8, .done = 4, .elapsed_ms = 4000}) ==
        "launch 7, 4 of 8 blocks, about 4 s left");
  CHECK(text_of({.kernel = "k", .launch = 4, .launches = 3, .blocks = 8, .done = 4}) == "4 of 8 blocks");
  CHECK(text_of({}).empty());
}

TEST_CASE("blocks are counted from the launch's beginning on, and launches from what is expected") {
  LaunchProgress progress;
  progress.expect(2);
  progress.begin("first", 8);
  progress.block_ended();
  CHECK(progress.now().done == 1);
  progress.end();
  CHECK(progress.now().kernel.empty());
  progress.begin("second", 4);
  CHECK(progress.now().done == 0);
  CHECK(progress.now().launch == 2);
  CHECK(progress.now().launches == 2);
  progress.show({.kernel = "of another process", .launch = 1, .blocks = 6, .done = 5, .elapsed_ms = 3000});
  CHECK(progress.now().done == 5);
  CHECK(progress.now().elapsed_ms >= 3000);
}

TEST_CASE("a line is cut to the terminal's width, characters of several bytes not apart") {
  CHECK(progress_line("short") == "\r\x1b[Kshort");
  std::string wide;
  for (int i = 0; i < 500; ++i) wide += "µ";
  const auto cut = progress_line(wide).substr(4);
  CHECK(cut.size() < wide.size());
  CHECK(cut.size() % 2 == 0);
}

}  // namespace
}  // namespace gpulab
