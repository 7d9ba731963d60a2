// Names of the environment that hold secrets.
#include "runner/program/process/environment.h"

#include "tests/catch.h"

namespace gpulab {

TEST_CASE("a name tells whether it holds a secret") {
  for (const char* name :
       {"GITHUB_TOKEN", "api_key", "MY_SECRET", "DB_PASSWORD", "AWS_PROFILE", "GH_HOST", "SSH_AUTH_SOCK",
        "OPENAI_API_KEY", "MYSQL_PWD", "TOKENIZER_TOKEN", "AccessKeyId", "NETRC_AUTH", "SESSION_COOKIE"})
    CHECK(std::string(holds_a_secret(name) ? "" : name) == "");
  for (const char* name : {"PATH", "HOME", "KEYBOARD", "MONKEYS_COUNT", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES",
                           "AUTHOR", "PASSES", "XAUTHORITY", "PWD", "OLDPWD", "GHOST", ""})
    CHECK(std::string(holds_a_secret(name) ? name : "") == "");
}

TEST_CASE("a program gets the environment but for secrets and what is ours to set") {
  const char* const ours[] = {"PATH=/bin",      "TOKEN=1",    "TMPDIR=/x", "LD_PRELOAD=/y",
                              "GPULAB_EXEC={}", "MY_KEY=2=3", nullptr};
  CHECK(environment_of_program(ours, {}) == std::vector<std::string>{"PATH=/bin"});
  const std::vector<std::string> back{"MY_KEY", "NONE"};
  CHECK(environment_of_program(ours, back) == std::vector<std::string>{"PATH=/bin", "MY_KEY=2=3"});
}

}  // namespace gpulab
