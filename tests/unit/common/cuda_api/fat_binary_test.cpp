#include "common/cuda_api/fat_binary.h"

#include <cstring>

#include "common/error.h"
#include "tests/catch.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

using Bytes = std::vector<std::byte>;

template <typename T>
void put(Bytes& bytes, std::size_t at, T value) {
  if (bytes.size() < at + sizeof value) bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// As nvcc writes one. `plain`: its length without its compression; 0: it has none.
Bytes image(const std::string& content, int architecture, std::uint16_t kind = 1, std::uint64_t plain = 0) {
  Bytes bytes(64);
  const std::string name = "x.cu";
  put<std::uint16_t>(bytes, 0, kind);
  put<std::uint16_t>(bytes, 2, 0x101);
  put<std::uint32_t>(bytes, 4, 72);
  put<std::uint64_t>(bytes, 8, content.size());
  put<std::uint32_t>(bytes, 16, plain != 0 ? static_cast<std::uint32_t>(content.size()) : 0);
  put<std::uint32_t>(bytes, 28, static_cast<std::uint32_t>(architecture));
  put<std::uint32_t>(bytes, 32, 64);
  put<std::uint32_t>(bytes, 36, static_cast<std::uint32_t>(name.size()));
  put<std::uint64_t>(bytes, 40, plain != 0 ? 0x2000 : 0);
  put<std::uint64_t>(bytes, 56, plain);
  bytes.resize(72);
  std::memcpy(bytes.data() + 64, name.data(), name.size());
  for (const char c : content) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

Bytes fat_binary(const std::vector<Bytes>& images) {
  Bytes bytes;
  put<std::uint32_t>(bytes, 0, 0xba55ed50);
  put<std::uint16_t>(bytes, 4, 1);
  put<std::uint16_t>(bytes, 6, 16);
  put<std::uint64_t>(bytes, 8, 0);
  for (const auto& one : images) bytes.insert(bytes.end(), one.begin(), one.end());
  put<std::uint64_t>(bytes, 8, bytes.size() - 16);
  return bytes;
}

/// Whatever the bytes are: images or an Error.
void read_anything(const Bytes& bytes) {
  try {
    const auto images = images_of(bytes);
    (void)ptx_for(90, images);
  } catch (const Error&) {
  }
}

}  // namespace

TEST_CASE("a fat binary's images have their kind, architecture, name and text") {
  const auto images = images_of(fat_binary({image("cubin", 90, 2), image(".version 8.0\n", 75)}));
  REQUIRE(images.size() == 2);
  CHECK(images[0].kind == DeviceImage::Kind::elf);
  CHECK(images[1].architecture == 75);
  CHECK(images[1].name == "x.cu");
  CHECK(images[1].content == ".version 8.0\n");
}

TEST_CASE("a GPU takes the newest PTX that is not newer than it, else the oldest") {
  const auto images = images_of(fat_binary({image("a", 75), image("b", 86), image("c", 100)}));
  CHECK(ptx_for(90, images).content == "b");
  CHECK(ptx_for(75, images).content == "a");
  CHECK(ptx_for(70, images).content == "a");
  CHECK_THROWS_WITH(ptx_for(90, std::vector<DeviceImage>{}), "the program holds no PTX for its kernels");
}

TEST_CASE("PTX that nvcc has compressed by LZ4 is read, and what is no such block is told") {
  // "abcabcabcabc!": three letters, nine copied from three before, one letter.
  const std::string packed = std::string("\x35") + "abc" + std::string("\x03\x00\x10", 3) + "!";
  CHECK(ptx_for(90, images_of(fat_binary({image(packed, 75, 1, 13)}))).content == "abcabcabcabc!");
  for (const std::uint64_t plain : {1ULL, 12ULL, 14ULL, 1ULL << 40}) {
    const auto images = images_of(fat_binary({image(packed, 75, 1, plain)}));
    CHECK_THROWS_AS(ptx_for(90, images), Error);
  }
  const auto back = images_of(fat_binary({image(std::string("\x35") + "abc" + std::string("\x09\x00", 2), 75, 1, 12)}));
  CHECK(back[0].problem == "it is compressed, and cannot be read (is libzstd.so.1 here?)");
}

TEST_CASE("a fat binary that is cut off anywhere is damaged, never read beyond its end") {
  const Bytes whole = fat_binary({image(".version 8.0", 75), image("abcd", 80)});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_THROWS_WITH(images_of(cut), "the program's device code is damaged: a fat binary's sizes do not fit");
  }
}

TEST_CASE("a fat binary of which any byte is another is read or refused") {
  const std::string packed = std::string("\x35") + "abc" + std::string("\x03\x00\x10", 3) + "!";
  const Bytes whole = fat_binary({image(packed, 75, 1, 13), image("abcd", 80)});
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int value = 0; value < 256; value += at < 16 || value < 8 ? 1 : 31) {
      Bytes changed = whole;
      changed[at] = static_cast<std::byte>(value);
      read_anything(changed);
    }
  for (std::size_t at = 0; at + 8 <= whole.size(); at += 4) {
    for (const std::uint64_t value : {~0ULL, 1ULL << 63, 1ULL << 32, 0xfffffff0ULL}) {
      Bytes changed = whole;
      put(changed, at, value);
      read_anything(changed);
    }
  }
  SUCCEED("no crash");
}
