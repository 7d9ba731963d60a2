#include "common/cuda_api/static_runtime.h"

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/catch.h"

using namespace gpulab::cuda_api;

namespace {

/// A file of two sections, its symbols and their names.
std::vector<std::byte> file_of(const std::vector<std::pair<std::string, std::uint64_t>>& functions) {
  std::string names(1, '\0');
  std::vector<Elf64_Sym> symbols(1);
  for (const auto& [name, address] : functions) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
    symbol.st_shndx = 1;
    symbol.st_value = address;
    symbols.push_back(symbol);
    names += name + '\0';
  }
  Elf64_Ehdr header{};
  header.e_shoff = sizeof header;
  header.e_shnum = 2;
  Elf64_Shdr table{}, texts{};
  table.sh_type = SHT_SYMTAB;
  table.sh_link = 1;
  table.sh_offset = sizeof header + 2 * sizeof table;
  table.sh_size = symbols.size() * sizeof(Elf64_Sym);
  texts.sh_type = SHT_STRTAB;
  texts.sh_offset = table.sh_offset + table.sh_size;
  texts.sh_size = names.size();
  std::vector<std::byte> file(texts.sh_offset + names.size());
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, &table, sizeof table);
  std::memcpy(file.data() + sizeof header + sizeof table, &texts, sizeof texts);
  std::memcpy(file.data() + table.sh_offset, symbols.data(), table.sh_size);
  std::memcpy(file.data() + texts.sh_offset, names.data(), names.size());
  return file;
}

}  // namespace

TEST_CASE("functions of a static runtime are found by their names, with the room that each has") {
  const auto found = static_runtime_functions(
      file_of({{"main", 0x100}, {"cudaMalloc", 0x240}, {"__cudaRegisterFatBinary", 0x200}, {"other", 0x250}}));
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "__cudaRegisterFatBinary");
  CHECK(found[0].room == 0x40);
  CHECK(found[1].name == "cudaMalloc");
  CHECK(found[1].room == 0x10);
}

TEST_CASE("a program that only names functions of its own like the runtime's has none") {
  CHECK(static_runtime_functions(file_of({{"main", 0x100}, {"cudaCheck", 0x200}})).empty());
  CHECK(static_runtime_functions({}).empty());
}

TEST_CASE("a file whose places lead out of it is read without harm") {
  const auto whole = file_of({{"cudaMalloc", 0x240}, {"__cudaRegisterFatBinary", 0x200}});
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int value : {0, 0x7f, 0xff}) {
      auto changed = whole;
      changed[at] = static_cast<std::byte>(value);
      (void)static_runtime_functions(changed);
    }
  for (std::size_t length = 0; length < whole.size(); length += 7)
    (void)static_runtime_functions(std::span(whole).first(length));
  SUCCEED("no crash");
}
