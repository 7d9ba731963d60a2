#include "common/cuda_api/runtime/modules.h"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "common/cuda_api/fat_binary.h"
#include "common/cuda_api/link_ptx.h"
#include "common/error.h"

namespace gpulab::cuda_api {
namespace {

/// What nvcc puts around a fat binary.
struct Wrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* file_or_parts;  ///< version 2: the objects' fat binaries, up to a null
};
constexpr std::uint32_t kWrapperMagic = 0x466243b1;
constexpr std::size_t kMostParts = 4096;

/// What a file that the loader has mapped holds from `start` on: no size of a fat binary reaches beyond it.
std::span<const std::byte> mapped_from(const void* start) {
  struct Search {
    std::uint64_t start;
    std::size_t bytes = 0;
  } search{reinterpret_cast<std::uint64_t>(start)};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          const std::uint64_t offset = wanted.start - (object->dlpi_addr + part.p_vaddr);
          if (part.p_type != PT_LOAD || offset >= part.p_memsz) continue;
          wanted.bytes = part.p_memsz - offset;
          return 1;
        }
        return 0;
      },
      &search);
  return {static_cast<const std::byte*>(start), search.bytes};
}

/// Objects of a program, each with PTX; those without one that is old enough are the toolkit's own library of functions
/// for kernels that launch kernels, which the simulator has itself.
void link_parts(FatModule& module, int architecture) {
  std::vector<std::string> texts;
  for (const void* part : module.parts) {
    const auto images = images_of(mapped_from(part));
    const bool library = std::ranges::all_of(images, [&](const DeviceImage& image) { return image.name.empty(); });
    if (library && images.size() > 1) continue;
    const DeviceImage& image = ptx_for(architecture, images);
    if (module.name.empty()) module.name = image.name;
    texts.push_back(image.content);
  }
  module.ptx = link_ptx(texts);
}

}  // namespace

std::size_t Modules::add(const void* wrapper) {
  FatModule& module = modules_.emplace_back();
  Wrapper read{};
  const auto bytes = mapped_from(wrapper);
  if (bytes.size() < sizeof read) return modules_.size() - 1;
  std::memcpy(&read, bytes.data(), sizeof read);
  if (read.magic != kWrapperMagic) return modules_.size() - 1;
  module.data = read.data;
  if (read.version < 2 || read.file_or_parts == nullptr) return modules_.size() - 1;
  const auto parts = mapped_from(read.file_or_parts);
  for (std::size_t i = 0; i < kMostParts && (i + 1) * sizeof(void*) <= parts.size(); ++i) {
    const void* part = nullptr;
    std::memcpy(&part, parts.data() + i * sizeof part, sizeof part);
    if (part == nullptr) break;
    module.parts.push_back(part);
  }
  return modules_.size() - 1;
}

void Modules::add_function(std::size_t module, const void* host, const char* name) {
  FunctionEntry& entry = functions_.emplace_back();
  entry.host = host;
  entry.name = name;
  entry.module = module;
  by_host_[host] = &entry;
}

std::size_t Modules::add_text(std::string name, std::string ptx) {
  FatModule& module = modules_.emplace_back();
  module.name = std::move(name);
  module.ptx = std::move(ptx);
  return modules_.size() - 1;
}

FunctionEntry& Modules::function_of(std::size_t module, const std::string& name) {
  FunctionEntry*& known = by_name_[{module, name}];
  if (known != nullptr) return *known;
  known = &functions_.emplace_back();
  known->host = known;
  known->name = name;
  known->module = module;
  by_host_[known] = known;
  return *known;
}

void Modules::add_variable(VariableEntry variable) {
  const VariableEntry& added = variables_.emplace_back(std::move(variable));
  variable_by_host_[added.host] = &added;
}

void Modules::remove(std::size_t module) {
  std::erase_if(by_host_, [&](const auto& one) { return one.second->module == module; });
  std::erase_if(by_name_, [&](const auto& one) { return one.first.first == module; });
  std::erase_if(variable_by_host_, [&](const auto& one) { return one.second->module == module; });
}

FunctionEntry* Modules::function(const void* host) {
  const auto found = by_host_.find(host);
  return found == by_host_.end() ? nullptr : found->second;
}

const VariableEntry* Modules::variable(const void* host) const {
  const auto found = variable_by_host_.find(host);
  return found == variable_by_host_.end() ? nullptr : found->second;
}

const VariableEntry* Modules::variable_named(const void* text) const {
  // Strings lie in the program's own file; elsewhere nothing is read, for the address may lead nowhere.
  const auto bytes = mapped_from(text);
  const std::string_view held(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const auto& variable : variables_)
    if (held.starts_with(variable.name) && held.size() > variable.name.size() && held[variable.name.size()] == '\0')
      return &variable;
  return nullptr;
}

const FatModule& Modules::take_ptx(std::size_t number, int architecture) {
  FatModule& module = modules_.at(number);
  if (!module.ptx.empty()) return module;
  if (!module.parts.empty()) {
    link_parts(module, architecture);
    return module;
  }
  const auto images = images_of(mapped_from(module.data));
  const DeviceImage& image = ptx_for(architecture, images);
  module.name = fmt::format("{}#{}", image.name.empty() ? "program" : image.name, number);
  module.ptx = image.content;
  for (const auto& other : images)
    if (other.kind == DeviceImage::Kind::elf && other.architecture == architecture) {
      const auto cubin = std::as_bytes(std::span(other.content));
      module.uses = uses_in_cubin(cubin);
      module.frame_uses = frames_in_cubin(cubin);
    }
  for (const auto& use : module.frame_uses) module.frames.push_back({use.kernel, use.function, use.bytes});
  for (const auto& use : module.uses)
    module.rows.push_back({use.name, architecture, use.registers, 0, use.stack_bytes, 0, 0, 0, 0});
  return module;
}

void Modules::forget_loaded() {
  for (auto& module : modules_) module.loaded = module.placed = false;
  for (auto& function : functions_) function.loaded.clear();
}

}  // namespace gpulab::cuda_api
