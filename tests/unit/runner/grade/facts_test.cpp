#include "runner/grade/facts.h"

#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("what a compiler says of its own memory is the same in each grading") {
  Judgement judgement;
  judgement.messages =
      "k.cu(3): error\n\ncc1plus: out of memory allocating 417 bytes after a total of 338 bytes\n"
      "cc1plus: out of memory allocating 5 bytes";
  CHECK(facts_of(judgement, {}).messages == "k.cu(3): error\n\ncc1plus: out of memory\ncc1plus: out of memory");
}
