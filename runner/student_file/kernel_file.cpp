#include "runner/student_file/kernel_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "common/demangle.h"
#include "common/error.h"
#include "common/host_memory.h"
#include "common/launch_error.h"
#include "common/ptx/parser.h"
#include "common/text.h"
#include "runner/case/verify.h"
#include "runner/student_file/compilers/ptxas.h"
#include "runner/student_file/kernel_signature.h"
#include "runner/student_file/source_file.h"
#include "runner/student_file/toolchain.h"

namespace gpulab {
namespace {

std::vector<FileArgument> parsed(const std::vector<std::string>& texts) {
  std::vector<FileArgument> specs;
  for (const auto& text : texts) specs.push_back(parse_argument(text));
  return specs;
}

/// NAME=INIT of --expect, as a buffer of the type and length of the one that it names.
FileArgument parse_expectation(const std::string& text, const std::vector<FileArgument>& arguments) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw usage_error(fmt::format("--expect: '{}' is not of the form NAME=VALUE", text),
                      "as in --expect y=@right.bin, --expect y=iota, --expect y=3.5");
  auto spec = find_buffer(text.substr(0, equals), arguments, "--expect");
  spec.value = text.substr(equals + 1);
  spec.option = "--expect";
  if (spec.value == "none") throw usage_error("--expect: 'none' is no answer", "leave the option away");
  return spec;
}

double bytes_of_all(const std::vector<FileArgument>& arguments) {
  double bytes = 0;
  for (const auto& spec : arguments) {
    if (spec.count) bytes += static_cast<double>(*spec.count) * static_cast<double>(size_of(spec.type));
  }
  return bytes;
}

/// The host holds what buffers start with, and the simulator's copies of them.
void check_memory(const std::vector<FileArgument>& arguments) {
  const auto available = available_host_memory();
  const double needed = 2 * bytes_of_all(arguments);
  if (!available || needed <= static_cast<double>(*available)) return;
  throw LaunchError(LaunchFailure::out_of_memory,
                    fmt::format("the buffers need {} of host memory, {} are available", bytes_text(needed),
                                bytes_text(static_cast<double>(*available))),
                    {}, "choose smaller buffers");
}

Expected expected_of(const FileArgument& spec, std::uint64_t seed, double tolerance) {
  Expected expected;
  expected.buffer = spec.name;
  auto bytes = initial_bytes(spec, seed, 0);
  if (!is_floating(spec.type) || tolerance == 0) {
    expected.exact = std::move(bytes);
    return expected;
  }
  for (std::size_t i = 0; i < *spec.count; ++i) {
    expected.real.push_back(std::get<double>(element_value(spec.type, bytes, i)));
  }
  expected.tolerance = tolerance;
  return expected;
}

Problem problem_of(const KernelFile& file, std::uint64_t seed) {
  const auto arguments = parsed(file.arguments);
  check_memory(arguments);
  Problem problem;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& spec = arguments[i];
    if (!spec.count) continue;
    // "none" is an output that was never written: poisoned, and known to be so.
    const auto role = spec.value == "none" ? BufferRole::output : BufferRole::input;
    problem.buffers.push_back({spec.name, spec.type, *spec.count, role, initial_bytes(spec, seed, i)});
  }
  for (const auto& text : file.expectations) {
    problem.expected.push_back(expected_of(parse_expectation(text, arguments), seed, file.tolerance));
  }
  return problem;
}

std::vector<Argument> bound(const std::vector<FileArgument>& arguments) {
  std::vector<Argument> made;
  for (const auto& spec : arguments) {
    made.push_back(spec.count ? Argument(BufferArgument{spec.name}) : scalar_argument(spec));
  }
  return made;
}

/// One thread for each element of the longest buffer.
Dim3 covering(const std::vector<FileArgument>& arguments, const Dim3& block) {
  std::uint64_t longest = 1;
  for (const auto& spec : arguments) longest = std::max<std::uint64_t>(longest, spec.count.value_or(1));
  const auto threads = block.volume();
  // Saturated: what does not fit is refused as beyond the hardware.
  return {static_cast<std::uint32_t>(std::min<std::uint64_t>((longest + threads - 1) / threads, UINT32_MAX)), 1, 1};
}

bool is_ptx(const std::string& file) { return file.ends_with(".ptx"); }

void say_notes(const FileRequest& request, const KernelSignature& kernel, const std::vector<FileArgument>& arguments) {
  if (const auto host = host_code(request.source); !is_ptx(request.file) && !host.empty())
    fmt::print(stderr, "note: {}: its host code ({}) is ignored\n", request.file, join(host));
  for (const auto& doubt : doubtful_buffers(kernel, arguments)) fmt::print(stderr, "note: --arg {}\n", doubt);
}

}  // namespace

void check_specs(const FileRequest& request) {
  const auto arguments = parsed(request.arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    check_value(arguments[i]);
    for (std::size_t j = 0; j < i; ++j) {
      if (arguments[j].name == arguments[i].name)
        throw usage_error(fmt::format("--arg: two arguments are named '{}'", arguments[i].name));
    }
  }
  for (const auto& text : request.expectations) check_value(parse_expectation(text, arguments));
}

KernelFile load_kernel_file(const FileRequest& request, int compute_capability) {
  KernelFile file;
  file.file = request.file;
  file.compute_capability = compute_capability;
  const auto nvcc = find_nvcc();
  if (is_ptx(request.file)) {
    file.ptx = request.source;
  } else {
    const auto compiler = choose_compiler(request.compiler, without_stand_in(nvcc), [&] { return find_nvrtc(nvcc); });
    const bool instance = request.kernel.find('<') != std::string::npos;
    file.ptx =
        compile({request.file, request.source, instance ? request.kernel : "", compute_capability, request.isolation},
                compiler)
            .ptx;
    file.source = request.source;
  }
  const bool templates = code_only(file.source).find("template") != std::string::npos;
  file.entry = choose_kernel(request.kernel, ptx::entry_names(file.ptx), file.file, templates);
  file.dynamic_shared_bytes = request.dynamic_shared_bytes;
  file.arguments = request.arguments;
  file.expectations = request.expectations;
  file.tolerance = request.tolerance;
  const auto signature = signature_of(file.ptx, file.file, file.entry);
  const auto arguments = parsed(request.arguments);
  check_arguments(signature, arguments);
  say_notes(request, signature, arguments);
  if (const auto ptxas = find_ptxas(nvcc)) {
    file.resources = resources(file.ptx, file.entry, compute_capability, *ptxas, request.isolation);
  }
  return file;
}

Lab file_lab(KernelFile from) {
  const auto loaded = std::make_shared<const LoadedKernelFile>(std::move(from));
  const auto& file = loaded->file;
  const auto arguments = std::make_shared<const std::vector<FileArgument>>(parsed(file.arguments));
  Lab lab;
  lab.name = "run";
  lab.file = loaded;
  lab.problem = [loaded](const Case& point) { return problem_of(loaded->file, point.seed); };
  lab.arguments = [arguments](const Case&) { return bound(*arguments); };
  lab.work = [](const Case&) { return Work{}; };  // nobody but the kernel knows which of its bytes are useful
  Variant variant;
  variant.name = kernel_name(file.entry);
  variant.kernel = file.entry;
  variant.file = file.file;
  variant.blocks.dimensions = 3;
  variant.strides = true;  // whatever grid is asked for
  variant.automatic_grid = [arguments](const Case& point) { return covering(*arguments, point.block); };
  variant.dynamic_shared_bytes = [bytes = file.dynamic_shared_bytes](const Case&) { return bytes; };
  variant.writes_input = true;
  lab.headline = variant.name;
  lab.variants.push_back(std::move(variant));
  return lab;
}

}  // namespace gpulab
