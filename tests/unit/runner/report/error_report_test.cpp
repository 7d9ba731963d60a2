#include "runner/report/error_report.h"

#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("an error says what, where and what next, each only where known") {
  CHECK(error_text(usage_error("it broke"), std::string::npos) == "error: it broke\n");
  CHECK(error_text(usage_error("it broke", "mend it", "kernels.cu:41"), std::string::npos) ==
        "error: it broke\n  kernels.cu:41\n  hint: mend it\n");
}

TEST_CASE("an error that is wider than the terminal goes on below its words") {
  CHECK(error_text(usage_error("it broke in the middle", "mend it, or throw it away"), 20) ==
        "error: it broke in\n       the middle\n  hint: mend it, or\n        throw it\n        away\n");
}

TEST_CASE("an error as JSON has all three, empty where unknown") {
  CHECK(
      error_json(usage_error("it \"broke\"")) ==
      "{\n  \"schema\": \"gpulab.error.v1\",\n  \"error\": {\"what\": \"it \\\"broke\\\"\", \"where\": \"\", \"hint\": "
      "\"\"}\n}\n");
}
