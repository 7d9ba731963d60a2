#include "common/cuda_api/program_file.h"

#include <elf.h>

#include <array>
#include <cstring>
#include <optional>

#include "common/cuda_api/elf_bytes.h"

namespace gpulab::cuda_api {
namespace {

/// Where an address lies in the file.
std::optional<std::uint64_t> offset_of(std::span<const std::byte> file, const Elf64_Ehdr& header,
                                       std::uint64_t address) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto part = at<Elf64_Phdr>(file, header.e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr));
    if (part && part->p_type == PT_LOAD && address - part->p_vaddr < part->p_filesz)
      return part->p_offset + (address - part->p_vaddr);
  }
  return std::nullopt;
}

void read_libraries(std::span<const std::byte> file, const Elf64_Ehdr& header, const Elf64_Phdr& dynamic,
                    ProgramFile& program) {
  std::vector<std::uint64_t> names;
  std::uint64_t table = 0;
  for (std::uint64_t done = 0; done + sizeof(Elf64_Dyn) <= dynamic.p_filesz; done += sizeof(Elf64_Dyn)) {
    const auto entry = at<Elf64_Dyn>(file, dynamic.p_offset + done);
    if (!entry || entry->d_tag == DT_NULL) break;
    if (entry->d_tag == DT_NEEDED) names.push_back(entry->d_un.d_val);
    if (entry->d_tag == DT_STRTAB) table = offset_of(file, header, entry->d_un.d_ptr).value_or(0);
  }
  for (const auto name : names) program.libraries.push_back(text_at(file, table, name));
}

void read_sections(std::span<const std::byte> file, const Elf64_Ehdr& header, ProgramFile& program) {
  const auto section = [&](unsigned i) {
    return at<Elf64_Shdr>(file, header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
  };
  const auto names = section(header.e_shstrndx);
  if (!names || header.e_shoff == 0) return;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const auto one = section(i);
    if (!one) return;
    const std::string name = text_at(file, names->sh_offset, one->sh_name);
    if (name == ".nv_fatbin" || name == "__nv_relfatbin") program.has_device_code = true;
    if (name == "__nv_relfatbin") program.has_relocatable_code = true;
  }
}

#if defined(__aarch64__)
constexpr auto this_machine = EM_AARCH64;
#else
constexpr auto this_machine = EM_X86_64;
#endif

}  // namespace

std::optional<ProgramFile> read_program(std::span<const std::byte> file) {
  const auto header = at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_machine != this_machine || (header->e_type != ET_EXEC && header->e_type != ET_DYN))
    return std::nullopt;
  ProgramFile program;
  bool loads = false;
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto part = at<Elf64_Phdr>(file, header->e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr));
    if (part && part->p_type == PT_LOAD && !loads) program.first_address = part->p_vaddr & ~std::uint64_t{4095};
    loads |= part && part->p_type == PT_LOAD;
    if (part && part->p_type == PT_DYNAMIC) read_libraries(file, *header, *part, program);
  }
  read_sections(file, *header, program);
  return program;
}

std::string closed_library(const std::vector<std::string>& libraries) {
  constexpr std::array closed{"libcublas",   "libcufft", "libcurand.so", "libcusolver",  "libcusparse",
                              "libcudnn",    "libnpp",   "libnvjpeg",    "libnccl",      "libnvgraph",
                              "libcutensor", "libcudss", "libcufile",    "libnvJitLink", "libnvjitlink"};
  for (const auto& library : libraries)
    for (const char* name : closed)
      if (library.starts_with(name)) return library;
  return {};
}

}  // namespace gpulab::cuda_api
