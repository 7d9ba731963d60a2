#include <elf.h>

#include <cstring>

#include "common/cuda_api/cubin.h"
#include "tests/catch.h"

using namespace gpulab::cuda_api;

namespace {

using Bytes = std::vector<std::byte>;

template <typename T>
void append(Bytes& bytes, const T& value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

void append_text(Bytes& bytes, const std::string& text) {
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
}

/// An entry as ptxas writes it, with these instructions: of 64 bits, CIE, begin and length of the function.
void append_entry(Bytes& bytes, const std::vector<std::uint8_t>& code) {
  append(bytes, UINT32_MAX);
  append(bytes, std::uint64_t{24} + code.size());
  for (int i = 0; i < 3; ++i) append(bytes, std::uint64_t{0});
  for (const auto one : code) append(bytes, one);
}

/// The kernel "k", which takes no stack, and its function "f", of which `code` tells.
Bytes cubin(const std::vector<std::uint8_t>& code) {
  Bytes bytes(sizeof(Elf64_Ehdr));
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_machine = EM_CUDA;
  const auto names = bytes.size();
  append_text(bytes, std::string("\0.text.k\0.debug_frame\0.rela.debug_frame\0.symtab\0k\0$k$f\0", 55));
  const auto symbols = bytes.size();
  append(bytes, Elf64_Sym{});
  append(bytes, Elf64_Sym{48, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0, 64});
  append(bytes, Elf64_Sym{50, ELF64_ST_INFO(STB_LOCAL, STT_FUNC), 0, 1, 0x110, 64});
  const auto frames = bytes.size();
  append_entry(bytes, {0x04, 0x2c, 0, 0, 0, 0x0c, 0x81, 0x80, 0x80, 0x28, 0x00});  // def_cfa: R1, 0
  append_entry(bytes, code);
  const auto places = bytes.size();
  append(bytes, Elf64_Rela{20, ELF64_R_INFO(std::uint64_t{1}, 2), 0});
  append(bytes, Elf64_Rela{36 + 11 + 20, ELF64_R_INFO(std::uint64_t{1}, 2), 0x110});
  header.e_shoff = bytes.size();
  header.e_shnum = 5;
  append(bytes, Elf64_Shdr{0, SHT_STRTAB, 0, 0, names, symbols - names, 0, 0, 0, 0});
  append(bytes, Elf64_Shdr{1, SHT_PROGBITS, 0, 0, 0, 0, 0, 0, 0, 0});
  append(bytes, Elf64_Shdr{9, SHT_PROGBITS, 0, 0, frames, places - frames, 0, 0, 0, 0});
  append(bytes, Elf64_Shdr{22, SHT_RELA, 0, 0, places, header.e_shoff - places, 0, 0, 0, 0});
  append(bytes, Elf64_Shdr{40, SHT_SYMTAB, 0, 0, symbols, frames - symbols, 0, 0, 0, 0});
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

}  // namespace

TEST_CASE("machine code says how much stack each call of a kernel's functions takes") {
  // As for an H100: the frame of 832 bytes, where two registers are kept, and what follows is the rest of the kernel's.
  const auto frames = frames_in_cubin(cubin({0x04, 0x08, 0,    0,    0,    0x0c, 0x81, 0x80, 0x80, 0x28, 0xc0,
                                             0x06, 0x05, 0xcf, 0x81, 0x80, 0x28, 0x68, 0x92, 0x01, 0x00}));
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].kernel == "k");
  CHECK(frames[0].function == "k");
  CHECK(frames[0].bytes == 0);
  CHECK(frames[1].kernel == "k");
  CHECK(frames[1].function == "f");
  CHECK(frames[1].bytes == 832);
}

TEST_CASE("of call frame information that nobody can read, or that ends too early, no frame is taken") {
  CHECK(frames_in_cubin(cubin({0x3f, 0x0e, 0x40})).size() == 1);        // no such instruction
  CHECK(frames_in_cubin(cubin({0x0e, 0x40, 0x0e, 0x80})).size() == 1);  // a number without an end
  CHECK(frames_in_cubin(cubin({0x0f, 0xff, 0x7f})).size() == 1);        // an expression beyond the entry
}

TEST_CASE("no end of a cubin that is cut, and no byte that is changed, is read beyond") {
  const Bytes whole = cubin({0x0e, 0x40});
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) (void)frames_in_cubin(std::span(whole).first(bytes));
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const auto value : {std::byte{0xff}, std::byte{0x7f}, std::byte{0}}) {
      Bytes wrong = whole;
      wrong[i] = value;
      (void)frames_in_cubin(wrong);
    }
}
