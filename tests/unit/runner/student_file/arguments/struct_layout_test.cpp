#include "runner/student_file/arguments/struct_layout.h"

#include <fmt/format.h>

#include <string>

#include "tests/catch.h"

namespace gpulab {
namespace {

/// "f32@0 i32@4, 8 bytes"; "unknown".
std::string layout(std::string_view type, std::string_view code = {}) {
  const auto found = layout_of(type, code);
  if (!found) return "unknown";
  std::string text;
  for (const auto& member : found->members)
    text += fmt::format("{}{}@{}", text.empty() ? "" : " ", name_of(member.type), member.offset);
  return fmt::format("{}, {} bytes", text, found->bytes);
}

TEST_CASE("numbers and CUDA's vectors lie as C++ has them") {
  CHECK(layout("float") == "f32@0, 4 bytes");
  CHECK(layout("unsigned long long") == "u64@0, 8 bytes");
  CHECK(layout("float3") == "f32@0 f32@4 f32@8, 12 bytes");
  CHECK(layout("uchar4") == "u8@0 u8@1 u8@2 u8@3, 4 bytes");
  CHECK(layout("dim3") == "u32@0 u32@4 u32@8, 12 bytes");
  CHECK(layout("Nobody") == "unknown");
}

TEST_CASE("members are padded to their size, a struct to its largest") {
  CHECK(layout("P", "struct P { char c; double d; int a, b[2]; };") == "i8@0 f64@8 i32@16 i32@20 i32@24, 32 bytes");
  CHECK(layout("P", "struct P { float* p; const int *q, n; unsigned long long u; };") ==
        "u64@0 u64@8 i32@16 u64@24, 32 bytes");
  CHECK(layout("P", "struct P { char c; float4 v; };") == "i8@0 f32@16 f32@20 f32@24 f32@28, 32 bytes");
}

TEST_CASE("structs in structs, typedefs, defaults, functions and labels are read") {
  const std::string code =
      "struct Point { float x = 0, y = 1; float length() const { return x; } };\n"
      "typedef struct { Point from, to; int n; } Line;\n"
      "class Box { public: static int count; Point corner; Box* next; Box() : next(0) {} };";
  CHECK(layout("Line", code) == "f32@0 f32@4 f32@8 f32@12 i32@16, 20 bytes");
  CHECK(layout("geo::Box", code) == "f32@0 f32@4 u64@8, 16 bytes");
}

TEST_CASE("what is not understood is unknown, not guessed") {
  CHECK(layout("P", "struct P : Q { int n; };") == "unknown");
  CHECK(layout("P", "struct P { int n[N]; };") == "unknown");
  CHECK(layout("P", "struct P { Unknown u; };") == "unknown");
  CHECK(layout("P", "struct P { unsigned n : 3; };") == "unknown");
  CHECK(layout("P", "struct P { P p; };") == "unknown");
  CHECK(layout("P", "struct P { int n; ") == "unknown");
  CHECK(layout("P", "struct P { char a[1000000][1000000]; };") == "unknown");
}

}  // namespace
}  // namespace gpulab
