// The stack frames of a cubin's functions: ptxas says them in DWARF's call frame information (DWARF 5, 6.4), for
// debuggers. What it notes of frames in .nv.info is 0 for functions that are not kernels.

#include <elf.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "common/cuda_api/cubin.h"
#include "common/cuda_api/elf_bytes.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::uint64_t kMostEntries = 1'000'000;
constexpr std::string_view kCode = ".text.";

/// Bytes of one entry, from the front; nothing once they are used up.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] bool done() const { return failed_ || bytes_.empty(); }
  [[nodiscard]] bool failed() const { return failed_; }
  void skip(std::uint64_t bytes) {
    failed_ = failed_ || bytes > bytes_.size();
    bytes_ = bytes_.subspan(failed_ ? bytes_.size() : bytes);
  }
  std::uint8_t byte() {
    const auto value = bytes_.empty() ? std::byte{} : bytes_.front();
    skip(1);
    return std::to_integer<std::uint8_t>(value);
  }
  /// LEB128, unsigned: of a signed one the same bytes.
  std::uint64_t number() {
    constexpr unsigned most_bits = 64;
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < most_bits; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7fU} << shift;
      if ((next & 0x80U) == 0) return value;
    }
    failed_ = true;
    return 0;
  }

 private:
  std::span<const std::byte> bytes_;
  bool failed_ = false;
};

/// The largest offset of the canonical frame address that the instructions set; nothing where one is unknown.
std::optional<std::uint64_t> largest_offset(Reader code) {
  std::uint64_t largest = 0;
  while (!code.done()) {
    const std::uint8_t op = code.byte();
    if (op >> 6U == 2) code.number();  // DW_CFA_offset
    if (op >> 6U != 0) continue;
    switch (op) {
      case 0x00:
      case 0x0a:
      case 0x0b:
        break;  // nop, remember, restore
      case 0x01:
        code.skip(8);
        break;  // set_loc
      case 0x02:
      case 0x03:
      case 0x04:
        code.skip(1U << (op - 2U));
        break;  // advance_loc1, 2, 4
      case 0x05:
      case 0x09:
      case 0x11:
      case 0x14:
      case 0x15:  // two numbers
        code.number();
        [[fallthrough]];
      case 0x06:
      case 0x07:
      case 0x08:
      case 0x0d:
        code.number();
        break;  // one
      case 0x0c:
        code.number();
        [[fallthrough]];  // def_cfa
      case 0x0e:
        largest = std::max(largest, code.number());
        break;  // def_cfa_offset
      case 0x10:
      case 0x16:
        code.number();
        [[fallthrough]];  // (val_)expression
      case 0x0f:
        code.skip(code.number());
        break;  // def_cfa_expression
      default:
        return std::nullopt;
    }
  }
  return code.failed() ? std::nullopt : std::optional(largest);
}

struct Sections {
  std::vector<std::pair<std::string, Elf64_Shdr>> all;
  [[nodiscard]] const Elf64_Shdr* find(std::string_view name) const {
    const auto found = std::ranges::find_if(all, [&](const auto& one) { return one.first == name; });
    return found == all.end() ? nullptr : &found->second;
  }
};

Sections sections_of(std::span<const std::byte> cubin) {
  const auto header = at<Elf64_Ehdr>(cubin, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_machine != EM_CUDA) return {};
  const auto section = [&](std::uint64_t i) { return at<Elf64_Shdr>(cubin, header->e_shoff + i * sizeof(Elf64_Shdr)); };
  const auto names = section(header->e_shstrndx);
  Sections sections;
  for (unsigned i = 0; names && i < header->e_shnum; ++i) {
    const auto one = section(i);
    if (!one) return {};
    sections.all.emplace_back(text_at(cubin, names->sh_offset, one->sh_name), *one);
  }
  return sections;
}

/// Of each function: its section, and where in it. "$kernel$function" is one of a kernel's own.
std::map<std::pair<unsigned, std::uint64_t>, FrameUse> functions_of(std::span<const std::byte> cubin,
                                                                    const Sections& sections,
                                                                    const std::vector<Elf64_Sym>& symbols,
                                                                    std::uint64_t names) {
  std::map<std::pair<unsigned, std::uint64_t>, FrameUse> functions;
  for (const auto& symbol : symbols) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx >= sections.all.size()) continue;
    const std::string& section = sections.all[symbol.st_shndx].first;
    if (!section.starts_with(kCode)) continue;
    FrameUse use{section.substr(kCode.size()), text_at(cubin, names, symbol.st_name), 0};
    const std::string lead = "$" + use.kernel + "$";
    if (use.function.starts_with(lead)) use.function.erase(0, lead.size());
    functions[{symbol.st_shndx, symbol.st_value}] = std::move(use);
  }
  return functions;
}

}  // namespace

std::vector<FrameUse> frames_in_cubin(std::span<const std::byte> cubin) {
  const Sections sections = sections_of(cubin);
  const Elf64_Shdr *frames = sections.find(".debug_frame"), *places = sections.find(".rela.debug_frame"),
                   *table = sections.find(".symtab");
  if (frames == nullptr || places == nullptr || table == nullptr || table->sh_link >= sections.all.size()) return {};
  std::vector<Elf64_Sym> symbols;
  for (std::uint64_t i = 0; i < std::min(table->sh_size / sizeof(Elf64_Sym), kMostEntries); ++i) {
    const auto symbol = at<Elf64_Sym>(cubin, table->sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol) return {};
    symbols.push_back(*symbol);
  }
  const auto functions = functions_of(cubin, sections, symbols, sections.all[table->sh_link].second.sh_offset);
  // Each relocation is where an entry names its function's begin; CIE, place and length (of 64 bits) stand around it.
  constexpr std::uint64_t before = 4 + 8 + 8, behind = 8 + 8;
  std::vector<FrameUse> all;
  for (std::uint64_t i = 0; i < std::min(places->sh_size / sizeof(Elf64_Rela), kMostEntries); ++i) {
    const auto place = at<Elf64_Rela>(cubin, places->sh_offset + i * sizeof(Elf64_Rela));
    if (!place) break;
    const auto symbol = ELF64_R_SYM(place->r_info);
    if (symbol >= symbols.size() || place->r_offset < before || place->r_offset >= frames->sh_size) continue;
    const auto known = functions.find({symbols[symbol].st_shndx, symbols[symbol].st_value + place->r_addend});
    const std::uint64_t entry = frames->sh_offset + place->r_offset - before;
    const auto mark = at<std::uint32_t>(cubin, entry);
    const auto bytes = at<std::uint64_t>(cubin, entry + 4);
    if (known == functions.end() || !mark || *mark != UINT32_MAX || !bytes) continue;
    const std::uint64_t code = entry + before + behind, end = entry + 12 + *bytes;
    if (*bytes > cubin.size() || end > cubin.size() || code > end) continue;
    const auto offset = largest_offset(Reader(cubin.subspan(code, end - code)));
    if (!offset || *offset > UINT32_MAX) continue;
    all.push_back(known->second);
    all.back().bytes = static_cast<std::uint32_t>(*offset);
  }
  return all;
}

}  // namespace gpulab::cuda_api
