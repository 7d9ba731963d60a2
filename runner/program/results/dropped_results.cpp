#include "runner/program/results/dropped_results.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <span>
#include <string_view>

#include "common/cuda_api/elf_bytes.h"
#include "common/text.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;
using cuda_api::at;

constexpr std::string_view section_name = ".gpulab.dropped", first_line = "gpulab";
constexpr std::size_t most_places = 100'000, most_bytes = std::size_t{16} << 20;

#if defined(__aarch64__)
constexpr auto this_machine = EM_AARCH64;
#else
constexpr auto this_machine = EM_X86_64;  // and not the GPU's: cubins are ELF files, too
#endif

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// The headers of all sections; empty where the file is no ELF file of this machine's that has some.
std::vector<Elf64_Shdr> sections_of(std::span<const std::byte> file, const Elf64_Ehdr& header) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_machine != this_machine || header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_shstrndx >= header.e_shnum)
    return {};
  std::vector<Elf64_Shdr> all;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto one = at<Elf64_Shdr>(file, header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
    if (!one) return {};
    all.push_back(*one);
  }
  return all;
}

bool is_inside(const Elf64_Shdr& section, std::size_t bytes) {
  return section.sh_offset <= bytes && section.sh_size <= bytes - section.sh_offset;
}

std::string text_of(const std::vector<DroppedResult>& dropped) {
  std::string text = std::string(first_line) + '\n';
  for (const auto& one : dropped) text += fmt::format("{} {}:{}\n", one.function, one.file, one.line);
  return text;
}

template <typename T>
std::string_view raw(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

}  // namespace

// What is added stands behind all that the file has: the text, the sections' names with one more, the sections' headers
// with one more. Where those were before, nothing points any longer.
bool keep_dropped(const fs::path& file, const std::vector<DroppedResult>& dropped) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return false;
  const std::string bytes = read_file(file.string(), "nvcc");
  auto header = at<Elf64_Ehdr>(bytes_of(bytes), 0);
  if (!header) return false;
  auto sections = sections_of(bytes_of(bytes), *header);
  constexpr std::size_t first_reserved = SHN_LORESERVE;
  if (sections.empty() || sections.size() + 1 >= first_reserved) return false;
  Elf64_Shdr& names = sections[header->e_shstrndx];
  if (!is_inside(names, bytes.size())) return false;
  const std::string text = text_of(dropped);
  std::string added = text + bytes.substr(names.sh_offset, names.sh_size);
  Elf64_Shdr mine{};
  mine.sh_name = static_cast<Elf64_Word>(names.sh_size);
  mine.sh_type = SHT_PROGBITS;
  mine.sh_offset = bytes.size();
  mine.sh_size = text.size();
  mine.sh_addralign = 1;
  added += std::string(section_name) + '\0';
  names.sh_offset = bytes.size() + text.size();
  names.sh_size = added.size() - text.size();
  while ((bytes.size() + added.size()) % alignof(Elf64_Shdr) != 0) added += '\0';
  header->e_shoff = bytes.size() + added.size();
  sections.push_back(mine);
  header->e_shnum = static_cast<Elf64_Half>(sections.size());
  for (const auto& section : sections) added += raw(section);
  std::fstream target(file, std::ios::in | std::ios::out | std::ios::binary);
  target.seekp(static_cast<std::streamoff>(bytes.size()));
  target << added << std::flush;
  if (!target) return false;
  target.seekp(0);  // last: until then the file is what it was, with something behind it
  target << raw(*header) << std::flush;
  return static_cast<bool>(target);
}

std::optional<DroppedResults> DroppedResults::of_program(const std::string& bytes) {
  const auto file = bytes_of(bytes);
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (!header) return std::nullopt;
  std::optional<DroppedResults> all;
  const auto sections = sections_of(file, *header);
  for (const auto& section : sections) {
    if (cuda_api::text_at(file, sections[header->e_shstrndx].sh_offset, section.sh_name) != section_name) continue;
    if (!is_inside(section, bytes.size()) || section.sh_size > most_bytes) continue;
    if (!all) all.emplace();
    for (const auto& line : split(bytes.substr(section.sh_offset, section.sh_size), '\n'))
      if (line != first_line && all->places_.size() < most_places) all->places_.insert(line);
  }
  return all;
}

}  // namespace gpulab
