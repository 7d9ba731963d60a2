#include "common/cuda_api/link_ptx.h"

#include <string>
#include <vector>

#include "tests/catch.h"

using namespace gpulab::cuda_api;

namespace {

const std::string head = ".version 8.0\n.target sm_90\n.address_size 64\n";

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("what one module declares and another defines is there once") {
  const std::vector<std::string> texts = {
      head +
          ".extern .func (.param .b32 r) twice (.param .b32 x);\n.extern .global .align 4 .b32 shared_one;\n"
          ".visible .entry first()\n{\n ret;\n}\n",
      head +
          ".visible .func (.param .b32 r) twice (.param .b32 x)\n{\n ret;\n}\n"
          ".visible .global .align 4 .b32 shared_one;\n"};
  const auto linked = link_ptx(texts);
  INFO(linked);
  CHECK(count(linked, ".version") == 1);
  CHECK(count(linked, ".entry first") == 1);
  CHECK(count(linked, ".extern .global") == 0);
  CHECK(count(linked, "shared_one") == 1);
}

TEST_CASE("of what all define alike there is one, and names of a module's own stay apart") {
  const std::string weak = ".weak .func both()\n{\n ret;\n}\n.weak .global .align 4 .b32 one_of_all;\n";
  const std::string own = ".func helper()\n{\n ret;\n}\n";
  const std::vector<std::string> texts = {head + weak + own + ".visible .entry a()\n{\n call helper;\n ret;\n}\n",
                                          head + weak + own + ".visible .entry b()\n{\n call helper;\n ret;\n}\n"};
  const auto linked = link_ptx(texts);
  CHECK(count(linked, ".func both") == 1);
  CHECK(count(linked, "one_of_all") == 1);
  CHECK(count(linked, ".func helper") == 2);
  CHECK(count(linked, "call helper;") <= 1);  // one of the two has another name by now
}

TEST_CASE("what is no module of nvcc's is linked to something, whatever it is") {
  const std::string good = head + ".visible .entry a(.param .u64 x)\n{\n .reg .b32 %r<2>;\n ret;\n}\n// \"{\n";
  for (std::size_t length = 0; length <= good.size(); ++length)
    (void)link_ptx(std::vector{good.substr(0, length), good});
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const char c : {'\0', '{', '}', '"', ';', '(', '.', '\n', '\xff'}) {
      std::string changed = good;
      changed[at] = c;
      (void)link_ptx(std::vector{changed, good});
    }
  CHECK(link_ptx(std::vector<std::string>{}).empty());
}
