#include "runner/student_file/arguments/kernel_signature.h"

#include "tests/catch.h"
#include "tests/unit/error_of.h"

namespace gpulab {
namespace {

/// void scale<float>(float*, float, int), and one of C linkage with a struct of 12 bytes.
const std::string ptx = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .entry _Z5scaleIfEvPT_S0_i(.param .u64 a, .param .f32 b, .param .u32 c)
{
  ret;
}
.visible .entry plain(.param .u64 .ptr .global p, .param .align 4 .b8 point[12])
{
  ret;
}
)";

KernelSignature scale() { return signature_of(ptx, "k.cu", "_Z5scaleIfEvPT_S0_i"); }

std::string refusal(const KernelSignature& kernel, const std::vector<std::string>& texts) {
  std::vector<FileArgument> specs;
  for (const auto& text : texts) specs.push_back(parse_argument(text));
  return error_of([&] {
    check_arguments(kernel, specs);
    return 0;
  });
}

TEST_CASE("a signature has the C++ types of a mangled name, else PTX's") {
  CHECK(scale().text() == "scale<float>(float*, float, int)");
  const auto plain = signature_of(ptx, "k.cu", "plain");
  CHECK(plain.text() == "plain(.u64, .b8)");
  CHECK(plain.parameters[1].aggregate);
  CHECK(plain.parameters[1].bytes == 12);
}

TEST_CASE("a type with commas and parentheses is one parameter") {
  const std::string text =
      ".version 7.0\n.target sm_52\n.address_size 64\n"
      ".visible .entry _Z1kPFviiESt4pairIiiE(.param .u64 f, .param .align 4 .b8 p[8])\n{\n  ret;\n}\n";
  CHECK(signature_of(text, "k.cu", "_Z1kPFviiESt4pairIiiE").text() == "k(void (*)(int, int), std::pair<int, int>)");
}

TEST_CASE("arguments that fit are taken") {
  CHECK(refusal(scale(), {"x:f32[4]=1", "a:f32=2", "n:i32=4"}) == "nothing");
  CHECK(refusal(scale(), {"x:u64=0", "a:f32=2", "n:u32=4"}) == "nothing");  // a null pointer, an unsigned count
}

TEST_CASE("arguments that differ in number, size or kind are refused") {
  CHECK(refusal(scale(), {}) ==
        "scale<float> takes 3 arguments, not 0 | --arg once for each, in order: --arg 'x:f32[1024]=iota' "
        "--arg n:i32=1024");
  const std::string order = " | arguments bind in the order of the kernel's parameters";
  CHECK(refusal(scale(), {"x:f32[4]=1", "a:f64=2", "n:i32=4"}) ==
        "--arg a: f64 has 8 bytes, parameter 2 of scale<float> has 4 (float)" + order);
  CHECK(refusal(scale(), {"x:f32[4]=1", "a:i32=2", "n:i32=4"}) ==
        "--arg a: i32 is an integer, parameter 2 of scale<float> is float" + order);
  CHECK(refusal(scale(), {"x:f32[4]=1", "y:f32[4]=1", "n:i32=4"}) ==
        "--arg y: it is a buffer, parameter 2 of scale<float> is float, no pointer" + order);
  CHECK(refusal(scale(), {"x:f32=1", "a:f32=1", "n:i32=4"}) ==
        "--arg x: f32 has 4 bytes, parameter 1 of scale<float> has 8 (float*) | a buffer has a count: x:f32[1024]=…");
  CHECK(refusal(signature_of(ptx, "k.cu", "plain"), {"x:f32[4]=1", "p:f32=1"}) ==
        "--arg p: parameter 2 of plain is a struct of 12 bytes (.b8) | p:bytes[12]={1,2.5,3} names its members, "
        "p:bytes[12]=@FILE its bytes");
}

TEST_CASE("buffers of another element type than the pointer's are doubted, raw bytes are not") {
  const auto doubts = [](const std::string& text) {
    const std::vector<FileArgument> specs{parse_argument(text), parse_argument("a:f32=1"), parse_argument("n:i32=1")};
    return doubtful_buffers(scale(), specs);
  };
  CHECK(doubts("x:f32[4]=1").empty());
  CHECK(doubts("x:u8[16]=@data.bin").empty());
  CHECK(doubts("x:i32[4]=1") == std::vector<std::string>{"x is i32[4], parameter 1 of scale<float> is float*"});
}

TEST_CASE("a kernel is chosen by name, or for being the only one") {
  const std::vector<std::string_view> two{"_Z5scaleIfEvPT_S0_i", "plain"}, one{"plain"}, none;
  CHECK(choose_kernel("scale", two, "k.cu", "half<float>") == "_Z5scaleIfEvPT_S0_i");
  CHECK(choose_kernel("", one, "k.cu", "") == "plain");
  CHECK(error_of([&] { return choose_kernel("", two, "k.cu", ""); }) ==
        "--kernel: k.cu holds 2 kernels: which one? | there is 'scale<float>', 'plain'");
  CHECK(error_of([&] { return choose_kernel("", none, "k.cu", ""); }) ==
        "k.cu holds no kernel | a kernel is a __global__ function; in PTX, an .entry");
  CHECK(error_of([&] { return choose_kernel("scael", two, "k.cu", "half<float>"); }) ==
        "no kernel 'scael' | there is 'scale<float>', 'plain'; a template is compiled where its arguments are named: "
        "--kernel 'half<float>'");
  CHECK(error_of([&] { return choose_kernel("", none, "k.cu", "total<float, 256>"); }) ==
        "k.cu holds no kernel but templates | a template is compiled where its arguments are named: "
        "--kernel 'total<float, 256>'");
}

}  // namespace
}  // namespace gpulab
