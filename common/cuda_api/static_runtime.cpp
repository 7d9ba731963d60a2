#include "common/cuda_api/static_runtime.h"

#include <elf.h>

#include <algorithm>
#include <string_view>

#include "common/cuda_api/elf_bytes.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::uint64_t kMostSymbols = std::uint64_t{1} << 22;  ///< of a file; those beyond are not looked at

/// The table of names of all functions; nothing where the file has been stripped of it.
std::optional<Elf64_Shdr> symbol_table(std::span<const std::byte> file, const Elf64_Ehdr& header) {
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto one = at<Elf64_Shdr>(file, header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
    if (one && one->sh_type == SHT_SYMTAB) return one;
  }
  return std::nullopt;
}

bool is_of_runtime(std::string_view name) { return name.starts_with("cuda") || name.starts_with("__cuda"); }

/// The program's own may have such names, too, but not this one.
bool holds_runtime(const std::vector<StaticFunction>& functions) {
  return std::ranges::any_of(functions, [](const auto& one) { return one.name == "__cudaRegisterFatBinary"; });
}

}  // namespace

std::vector<StaticFunction> static_runtime_functions(std::span<const std::byte> file) {
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (!header || header->e_shoff == 0) return {};
  const auto table = symbol_table(file, *header);
  if (!table) return {};
  const auto names = at<Elf64_Shdr>(file, header->e_shoff + std::uint64_t{table->sh_link} * sizeof(Elf64_Shdr));
  if (!names) return {};
  std::vector<StaticFunction> found;
  std::vector<std::uint64_t> begins;
  const std::uint64_t count = std::min(table->sh_size / sizeof(Elf64_Sym), kMostSymbols);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto symbol = at<Elf64_Sym>(file, table->sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol) break;
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) continue;
    begins.push_back(symbol->st_value);
    auto name = text_at(file, names->sh_offset, symbol->st_name);
    if (is_of_runtime(name)) found.push_back({std::move(name), symbol->st_value, 0});
  }
  if (!holds_runtime(found)) return {};
  std::ranges::sort(begins);
  for (auto& one : found) {
    const auto next = std::ranges::upper_bound(begins, one.address);
    one.room = next == begins.end() ? 0 : static_cast<std::size_t>(*next - one.address);
  }
  std::ranges::sort(found, {}, &StaticFunction::address);
  return found;
}

}  // namespace gpulab::cuda_api
