#include "common/cuda_api/cubin.h"

#include <elf.h>

#include <algorithm>
#include <map>

#include "common/cuda_api/elf_bytes.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::uint64_t kMostEntries = 1'000'000;
constexpr int kMostBytes = 1 << 30;

/// Of the section .nv.info: a form, what it tells, and how many bytes of it follow.
struct Entry {
  std::uint8_t form, what;
  std::uint16_t bytes;
};
constexpr std::uint8_t kSized = 4, kFrame = 0x11, kLeastStack = 0x12, kRegisters = 0x2f;

/// "What" of a symbol.
struct OfSymbol {
  std::uint32_t symbol, value;
};

}  // namespace

std::vector<KernelUse> uses_in_cubin(std::span<const std::byte> cubin) {
  const auto header = at<Elf64_Ehdr>(cubin, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_machine != EM_CUDA) return {};
  const auto section = [&](std::uint64_t i) { return at<Elf64_Shdr>(cubin, header->e_shoff + i * sizeof(Elf64_Shdr)); };
  const auto names = section(header->e_shstrndx);
  if (!names) return {};
  std::optional<Elf64_Shdr> symbols, told;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto one = section(i);
    if (!one) return {};
    if (one->sh_type == SHT_SYMTAB) symbols = one;
    if (text_at(cubin, names->sh_offset, one->sh_name) == ".nv.info") told = one;
  }
  const auto texts = symbols ? section(symbols->sh_link) : std::nullopt;
  if (!told || !texts) return {};
  std::map<std::uint32_t, KernelUse> uses;
  std::uint64_t place = told->sh_offset, count = 0;
  const std::uint64_t end = place + std::min<std::uint64_t>(told->sh_size, cubin.size());
  while (place < end && count++ < kMostEntries) {
    const auto entry = at<Entry>(cubin, place);
    if (!entry) break;
    place += sizeof(Entry);
    if (entry->form != kSized) continue;  // its value is in the place of the size
    const auto value = entry->bytes >= sizeof(OfSymbol) ? at<OfSymbol>(cubin, place) : std::nullopt;
    place += entry->bytes;
    if (!value || value->value > kMostBytes) continue;
    if (entry->what == kRegisters) uses[value->symbol].registers = static_cast<int>(value->value);
    if (entry->what == kFrame || entry->what == kLeastStack)
      uses[value->symbol].stack_bytes = std::max(uses[value->symbol].stack_bytes, static_cast<int>(value->value));
  }
  std::vector<KernelUse> all;
  for (auto& [symbol, use] : uses) {
    const auto known = at<Elf64_Sym>(cubin, symbols->sh_offset + std::uint64_t{symbol} * sizeof(Elf64_Sym));
    if (!known || use.registers == 0) continue;
    use.name = text_at(cubin, texts->sh_offset, known->st_name);
    all.push_back(std::move(use));
  }
  return all;
}

}  // namespace gpulab::cuda_api
