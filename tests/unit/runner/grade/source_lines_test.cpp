#include "runner/grade/source_lines.h"

#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("lines that a text names stand below it, once each, without what is around them") {
  const std::string source = "__global__ void k(int* p) {\n\t  p[0] = 1;  \n\n}\n";
  CHECK(with_source_lines("k.cu:2: fault\nk.cu:2 write, k.cu:1", "k.cu", source) ==
        "k.cu:2: fault\nk.cu:2 write, k.cu:1\nk.cu:2 is: p[0] = 1;\nk.cu:1 is: __global__ void k(int* p) {");
  for (const char* text : {"nothing", "k.cu", "k.cu:", "k.cu:x", "k.cu:0", "k.cu:3", "k.cu:9", "ok.cu:1", "a/k.cu:1",
                           ".k.cu:1", "k.cu:99999999999999999999999", "k.cu 1"})
    CHECK(with_source_lines(text, "k.cu", source) == text);
  CHECK(with_source_lines(":1", "", source) == ":1");
}

TEST_CASE("lines that stand below a text are few and not wide, whatever the file holds") {
  std::string source, text;
  for (int i = 1; i <= 9; ++i) {
    source += "\xe2\x82\xac" + std::string(400, 'x') + "\n";
    text += "k.cu:" + std::to_string(i) + " ";
  }
  const auto made = with_source_lines(text, "k.cu", source);
  CHECK(std::count(made.begin(), made.end(), '\n') == 4);
  CHECK(made.size() < text.size() + 4 * 200);
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "\xe2\x82\xac";
  CHECK(with_source_lines("k.cu:1", "k.cu", wide).ends_with("\xe2\x82\xac \xe2\x80\xa6"));  // no half of a character
}
