#include "runner/judge/kernel_search/launch_choice.h"

#include "labs/contract_parts.h"
#include "runner/listing/contract_text.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

/// "256, 128 on a few": what is asked, in words.
std::string text_of(const LaunchChoice& choice) {
  if (!choice.problem.empty()) return choice.problem;
  std::string text;
  for (const auto& one : choice.launches)
    text += (text.empty()           ? ""
             : choice.one_is_enough ? " or "
                                    : ", ") +
            launch_text(one.launch) + (one.every_class ? "" : " on a few");
  return choice.because.empty() ? text : text + ", " + choice.because;
}

Contract row() { return row_contract("total", "(const int* in, int* out, int n)", ""); }
Contract barriers() {
  auto made = row();
  made.about_barriers = true;
  return made;
}
Contract tiles() {
  Contract made{.name = "transpose", .signature = "(const float* in)", .summary = ""};
  made.launches = {{{32, 32}}, {{32, 8}, {32, 32}}, {{32, 8}}, {{32}}};
  return made;
}

KernelSignature bounded(std::uint64_t threads) { return {.name = "k", .parameters = {}, .most_threads = threads}; }
KernelSignature exact(Dim3 block) { return {.name = "k", .parameters = {}, .exact_block = block}; }
const KernelSignature plain{.name = "k", .parameters = {}};

TEST_CASE("a thread for an element: the usual block on every class, the next smaller one on a few") {
  CHECK(text_of(choose_launches(row(), plain, {})) == "256, 128 on a few");
  auto other = row();
  other.launches = {{{64}}, {{32}}, {{128}}};
  CHECK(text_of(choose_launches(other, plain, {})) == "64");  // one warp is asked of nobody, nor what is larger
}

TEST_CASE("tiles: the first of more than one warp with which it is right") {
  CHECK(text_of(choose_launches(tiles(), plain, {})) == "32x32 or 32x8 for 32x32 or 32x8");
  auto one = tiles();
  one.launches = {{{1024}}};
  CHECK(text_of(choose_launches(one, plain, {})) == "1024");
  auto each = tiles();
  each.every_launch = true;
  CHECK(text_of(choose_launches(each, plain, {})) == "32x32, 32x8 for 32x32, 32x8, 32");
}

TEST_CASE("a source that asks for blocks is judged with each of these, and no other") {
  CHECK(text_of(choose_launches(row(), plain, {"64", "512", "64"})) == "64, 512, which its source asks for");
  CHECK(text_of(choose_launches(tiles(), plain, {"32x8 for 32x32"})) == "32x8 for 32x32, which its source asks for");
  CHECK(text_of(choose_launches(tiles(), plain, {"32x8 for 32x32 each"})) ==
        "32x8 for 32x32, which its source asks for");
  CHECK(text_of(choose_launches(tiles(), plain, {"32x32x1"})) == "32x32, which its source asks for");
  CHECK(text_of(choose_launches(row(), plain, {"48"})) ==
        "its source asks for a block '48' that 'total' does not list: there is 256, 128, 512, 1024, 64, 32");
  for (const char* text : {"", "x", "64x", "0", "-64", "64 threads", "99999999999", "1x1x1x64", "64 for"})
    CHECK(text_of(choose_launches(row(), plain, {text})).starts_with("its source asks for a block '"));
}

TEST_CASE("a block of one warp counts where the source asks for it, and not where barriers are the subject") {
  CHECK(text_of(choose_launches(row(), plain, {"32"})) == "32, which its source asks for");
  CHECK(text_of(choose_launches(barriers(), plain, {"32"})) ==
        "its source asks for a block of 32: a block of one warp is not judged in 'total', whose threads wait for each "
        "other at barriers");
  CHECK(text_of(choose_launches(barriers(), bounded(32), {})) ==
        "its __launch_bounds__(32) leaves no other: a block of one warp is not judged in 'total', whose threads wait "
        "for each other at barriers");
}

TEST_CASE("__launch_bounds__ is a maximum, __block_size__ exact") {
  CHECK(text_of(choose_launches(row(), bounded(256), {})) ==
        "256, 128 on a few, as its __launch_bounds__(256) asks for");
  CHECK(text_of(choose_launches(row(), bounded(200), {})) ==
        "128, 64 on a few, as its __launch_bounds__(200) asks for");
  CHECK(text_of(choose_launches(row(), bounded(2000), {})) == "256, 128 on a few");
  CHECK(text_of(choose_launches(row(), bounded(32), {})) == "32, as its __launch_bounds__(32) asks for");
  CHECK(text_of(choose_launches(row(), bounded(8), {})) ==
        "its __launch_bounds__(8) allows none of the blocks that 'total' lists: 256, 128, 512, 1024, 64, 32");
  CHECK(text_of(choose_launches(row(), exact({512}), {})) == "512, as its __block_size__ of 512 asks for");
  CHECK(text_of(choose_launches(tiles(), exact({32, 8}), {})) ==
        "32x8 for 32x32 or 32x8, as its __block_size__ of 32x8 asks for");
}

TEST_CASE("a template that takes the number of threads is an instance for the usual block, and judged with that") {
  const auto named = [](const char* name) { return KernelSignature{.name = name, .parameters = {}}; };
  for (const char* name :
       {"k<256>", "k<int, 256>", "k<256u, int>", "mine::k<(unsigned int)256>", "k<(int)256, (bool)1>"})
    CHECK(text_of(choose_launches(row(), named(name), {})) == "256, for which its template is made");
  for (const char* name : {"k<int>", "k<4>", "k<2560>", "k", "k<", "k<>", "k<a<256>::b>"})
    CHECK(text_of(choose_launches(row(), named(name), {})) == "256, 128 on a few");
}

TEST_CASE("an assignment's own blocks are all there is, and may be of one warp") {
  CHECK(text_of(choose_launches(with_launches(barriers(), {1, 5}, false), plain, {})) == "128");
  CHECK(text_of(choose_launches(with_launches(barriers(), {1, 5}, false), plain, {"32"})) ==
        "32, which its source asks for");
  CHECK(text_of(choose_launches(with_launches(barriers(), {5}, false), plain, {})) == "32");
  CHECK(text_of(choose_launches(with_launches(row(), {}, true), plain, {})) == "256, 128, 512, 1024, 64, 32");
  CHECK(text_of(choose_launches(with_launches(row(), {1}, false), plain, {"256"})).starts_with("its source asks for"));
}

}  // namespace
}  // namespace gpulab
