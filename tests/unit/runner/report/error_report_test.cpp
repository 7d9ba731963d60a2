#include "runner/report/error_report.h"

#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("an error says what, where and what next, each only where known") {
  CHECK(error_text(usage_error("it broke")) == "error: it broke\n");
  CHECK(error_text(usage_error("it broke", "mend it", "kernels.cu:41")) ==
        "error: it broke\n  kernels.cu:41\n  hint: mend it\n");
}

TEST_CASE("an error as JSON has all three, empty where unknown") {
  CHECK(
      error_json(usage_error("it \"broke\"")) ==
      "{\n  \"schema\": \"gpulab.error.v1\",\n  \"error\": {\"what\": \"it \\\"broke\\\"\", \"where\": \"\", \"hint\": "
      "\"\"}\n}\n");
}
