#include "common/cuda_api/cubin.h"

#include <elf.h>

#include <cstring>

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

/// As ptxas writes it, as far as anybody looks: two functions, of which one says no registers.
Bytes cubin() {
  Bytes bytes(sizeof(Elf64_Ehdr));
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_machine = EM_CUDA;
  const auto names = bytes.size();
  append_text(bytes, std::string("\0.nv.info\0add\0other\0", 21));
  const auto symbols = bytes.size();
  for (const std::uint32_t name : {0U, 10U, 14U}) append(bytes, Elf64_Sym{name, 0, 0, 0, 0, 0});
  const auto told = bytes.size();
  append(bytes, std::uint32_t{0x00010401});  // a form whose value is in the place of the size
  for (const auto& [what, symbol, value] : {std::tuple{0x2f, 1, 34}, {0x11, 1, 256}, {0x12, 1, 264}, {0x11, 2, 8}}) {
    append(bytes, static_cast<std::uint32_t>(0x00080004 | what << 8));
    append(bytes, static_cast<std::uint32_t>(symbol));
    append(bytes, static_cast<std::uint32_t>(value));
  }
  header.e_shoff = bytes.size();
  header.e_shnum = 3;
  append(bytes, Elf64_Shdr{0, SHT_STRTAB, 0, 0, names, symbols - names, 0, 0, 0, 0});
  append(bytes, Elf64_Shdr{0, SHT_SYMTAB, 0, 0, symbols, told - symbols, 0, 0, 0, 0});
  append(bytes, Elf64_Shdr{1, 0x70000000, 0, 0, told, header.e_shoff - told, 0, 0, 0, 0});
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

}  // namespace

TEST_CASE("machine code says how many registers and how much stack a kernel takes") {
  const auto uses = uses_in_cubin(cubin());
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].name == "add");
  CHECK(uses[0].registers == 34);
  CHECK(uses[0].stack_bytes == 264);
}

TEST_CASE("machine code that is cut off, or of which a byte is another, says something or nothing") {
  const Bytes whole = cubin();
  for (std::size_t length = 0; length < whole.size(); ++length) (void)uses_in_cubin(std::span(whole).first(length));
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int value : {0, 1, 4, 127, 128, 255}) {
      Bytes changed = whole;
      changed[at] = static_cast<std::byte>(value);
      (void)uses_in_cubin(changed);
    }
  CHECK(uses_in_cubin({}).empty());
}
