#include "common/device/simulator/kernel_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/demangle.h"
#include "common/error.h"
#include "common/ptx/flow/lower_calls.h"
#include "common/ptx/parser.h"

namespace gpulab {
namespace {

/// What ptxas said of the kernel when it was built for `sm`, nullptr where it said nothing.
const PtxasRow* ptxas_row(const ModuleImage& image, std::string_view entry, int sm) {
  for (const auto& row : image.resources)
    if (row.sm == sm && row.entry == entry) return &row;
  return nullptr;
}

/// For StackLimit: nothing where ptxas' frame of the kernel itself is not known.
std::vector<std::uint32_t> frames_of(const simt::Program& program, const ModuleImage& image, std::string_view entry) {
  std::map<std::string_view, std::uint32_t> known;
  for (const auto& row : image.frames)
    if (row.kernel == entry) known[row.function] = row.bytes;
  if (!known.contains(entry)) return {};
  std::vector<std::uint32_t> frames;
  for (const auto& info : program.functions) {
    const auto found = known.find(info.function->name);
    frames.push_back(found == known.end() ? 0 : found->second);
  }
  return frames;
}

}  // namespace

std::vector<std::byte> LoadedKernel::parameter_block(std::span<const KernelArgument> arguments) const {
  std::vector<std::byte> bytes(program->parameter_bytes);
  for (std::size_t k = 0; k < arguments.size(); ++k)
    std::memcpy(bytes.data() + program->parameter_offsets.at(k), arguments[k].bytes.data(), arguments[k].bytes.size());
  return bytes;
}

void KernelLibrary::use_gpu(int gpu) {
  gpu_ = gpu;
  if (gpus_.size() <= static_cast<std::size_t>(gpu)) gpus_.resize(static_cast<std::size_t>(gpu) + 1);
}

void KernelLibrary::load(const ModuleImage& image) {
  images_.push_back(image);
  managed_.emplace_back();
}

std::vector<KernelLibrary::Module>& KernelLibrary::modules() {
  OfGpu& mine = gpus_[static_cast<std::size_t>(gpu_)];
  while (mine.modules.size() < images_.size()) {
    const std::size_t number = mine.modules.size();
    auto& module = mine.modules.emplace_back();
    module.number = number;
    module.image = images_[number];
    module.entries = ptx::entry_names(module.image.ptx);
    module.names = {module.entries.begin(), module.entries.end()};
    mine.by_name.clear();  // a name that meant one kernel may mean two
  }
  return mine.modules;
}

const LoadedKernel& KernelLibrary::find(std::string_view name) {
  (void)modules();
  auto& by_name = gpus_[static_cast<std::size_t>(gpu_)].by_name;
  if (const auto known = by_name.find(name); known != by_name.end()) return kernels_[known->second];
  const LoadedKernel& found = find_among_all(name);
  by_name.emplace(name, found.kernel.handle);
  return found;
}

const LoadedKernel& KernelLibrary::find_among_all(std::string_view name) {
  std::vector<std::string_view> all;
  for (const auto& module : modules()) all.insert(all.end(), module.entries.begin(), module.entries.end());
  const std::string_view entry = find_entry(name, all);
  for (const auto& known : kernels_)
    if (known.kernel.entry == entry && known.gpu == gpu_) return known;
  for (auto& module : modules())
    if (module.names.contains(entry)) return decode(module, entry);
  throw std::logic_error("entry of no module");
}

KernelLibrary::Module& KernelLibrary::module_of(std::string_view name) {
  const auto found = std::ranges::find_if(modules(), [&](const auto& m) { return m.image.name == name; });
  if (found == modules().end()) throw std::logic_error("no module of that name");
  return *found;
}

const LoadedKernel& KernelLibrary::find(std::string_view module, std::string_view entry) {
  Module& wanted = module_of(module);
  for (const auto& known : kernels_)
    if (known.kernel.entry == entry && known.image.name == module && known.gpu == gpu_) return known;
  const std::string_view found = find_entry(entry, wanted.entries);
  if (found != entry) throw usage_error(fmt::format("the module has no kernel '{}'", entry), {}, std::string(module));
  return decode(wanted, found);
}

std::optional<ModuleVariable> KernelLibrary::variable(std::string_view module, std::string_view name) {
  Module& wanted = module_of(module);
  // Bodies are nobody's concern yet.
  place(wanted, ptx::parse(
                    wanted.image.ptx, std::string(wanted.image.name), [](std::string_view) { return false; },
                    ptx::TextOwner::caller));
  return wanted.variables.find(name);
}

std::optional<ModuleVariable> KernelLibrary::variable_at(std::uint64_t address) const {
  const simt::Allocation* holds = memory_.find(address);
  if (holds == nullptr || holds->of_heap || holds->host == nullptr) return std::nullopt;
  for (const auto& gpu : gpus_)  // one address for all
    for (const auto& module : gpu.modules)
      if (const auto found = module.variables.at(holds->address)) return found;
  return std::nullopt;
}

std::optional<ModuleVariable> KernelLibrary::variable(std::string_view name) const {
  for (const auto& module : gpus_[static_cast<std::size_t>(gpu_)].modules)
    if (const auto found = module.variables.find(name)) return found;
  return std::nullopt;
}

const LoadedKernel& KernelLibrary::of(const simt::Program& program) const {
  return *std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& k) { return k.program.get() == &program; });
}

const LoadedKernel& KernelLibrary::decode(Module& loaded, std::string_view entry) {
  // The driver would compile every kernel of the text; one is parsed, and the functions that it may call.
  auto module = std::make_shared<ptx::Module>(ptx::parse(
      loaded.image.ptx, std::string(loaded.image.name),
      [&](std::string_view name) { return name == entry || !loaded.names.contains(name); },
      ptx::TextOwner::caller));  // copying a lab's megabyte or two takes a tenth of a small run
  ptx::lower_calls(*module);
  place(loaded, *module);
  simt::DecodeContext context = decoding_;
  context.address_of = [&](std::string_view name) { return loaded.variables.address_of(name); };
  context.allocate_parameters = [&](std::uint64_t bytes) { return memory_.allocate("kernel parameters", bytes); };
  auto program = simt::decode(module, entry, context);
  Kernel kernel;
  kernel.entry = entry;
  kernel.cpp_name = kernel_name(entry);
  for (const auto& parameter : program->functions[0].function->parameters)
    kernel.parameter_sizes.push_back(parameter.size);
  kernel.parameter_offsets.assign(program->parameter_offsets.begin(), program->parameter_offsets.end());
  kernel.attributes = attributes_of(*program, loaded.image, entry);
  kernel.may_poll = program->communicates;
  kernel.handle = kernels_.size();
  auto frames = frames_of(*program, loaded.image, entry);
  return kernels_.emplace_back(
      LoadedKernel{std::move(program), std::move(kernel), loaded.image, gpu_, loaded.number, std::move(frames)});
}

std::shared_ptr<simt::Program> KernelLibrary::uncounted(std::size_t handle) {
  LoadedKernel& loaded = kernels_.at(handle);
  if (loaded.uncounted) return loaded.uncounted;
  const Module& module = gpus_.at(static_cast<std::size_t>(loaded.gpu)).modules.at(loaded.module);
  simt::DecodeContext context = decoding_;
  context.counters = context.split_at_barriers = false;
  context.watches = 0;
  context.address_of = [&](std::string_view name) { return module.variables.address_of(name); };
  context.allocate_parameters = [&](std::uint64_t) { return loaded.program->parameter_address; };
  loaded.uncounted = simt::decode(loaded.program->module, loaded.kernel.entry, context);
  return loaded.uncounted;
}

KernelAttributes KernelLibrary::attributes_of(const simt::Program& program, const ModuleImage& image,
                                              std::string_view entry) const {
  KernelAttributes attributes;
  attributes.static_shared_bytes = program.static_shared_bytes;
  if (const PtxasRow* row = ptxas_row(image, entry, profile_.compute_major * 10 + profile_.compute_minor)) {
    attributes.registers = row->registers;
    attributes.local_bytes = static_cast<std::size_t>(row->stack_bytes);
  }
  const auto& most = program.functions[0].function->max_threads;
  if (most[0])
    attributes.max_threads_per_block = static_cast<int>(most[0] * std::max(most[1], 1u) * std::max(most[2], 1u));
  const auto& cluster = program.functions[0].function->required_cluster;
  if (cluster[0]) attributes.cluster = {cluster[0], cluster[1], cluster[2]};
  return attributes;
}

}  // namespace gpulab
