#include "common/cuda_api/program_file.h"

#include <filesystem>
#include <fstream>
#include <span>

#include "tests/catch.h"

using namespace gpulab::cuda_api;

namespace {

/// A program of this machine's: ourselves, as far as its headers reach.
std::vector<std::byte> own_program() {
  std::vector<std::byte> bytes(std::filesystem::file_size("/proc/self/exe"));
  std::ifstream("/proc/self/exe", std::ios::binary)
      .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

}  // namespace

TEST_CASE("a program's file says which libraries it asks for") {
  const auto program = read_program(own_program());
  REQUIRE(program);
  CHECK_FALSE(program->libraries.empty());
  CHECK_FALSE(program->has_device_code);
}

TEST_CASE("what is no program of this machine's is none") {
  const std::string text = "#!/bin/sh\nexit 0\n";
  CHECK_FALSE(read_program(std::as_bytes(std::span(text))));
  CHECK_FALSE(read_program({}));
}

TEST_CASE("a program's file that is cut off, or of which a byte is another, is read without going beyond it") {
  const auto whole = own_program();
  for (std::size_t length = 0; length < 2000; length += 7)
    (void)read_program(std::span(whole).first(std::min(length, whole.size())));
  // The headers of the file, and of its parts.
  auto changed = whole;
  for (std::size_t at = 0; at < std::min<std::size_t>(900, whole.size()); ++at) {
    for (const int value : {0, 1, 127, 255}) {
      changed[at] = static_cast<std::byte>(value);
      (void)read_program(changed);
    }
    changed[at] = whole[at];
  }
  SUCCEED("no crash");
}

TEST_CASE("closed libraries are named") {
  CHECK(closed_library({"libc.so.6", "libcublas.so.13"}) == "libcublas.so.13");
  CHECK(closed_library({"libc.so.6", "libcudart.so.13"}).empty());
}
