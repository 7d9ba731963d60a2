#include "runner/student_file/kernel_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "common/demangle.h"
#include "common/error.h"
#include "common/host_memory.h"
#include "common/launch_error.h"
#include "common/ptx/parser.h"
#include "common/text.h"
#include "runner/case/verify.h"
#include "runner/report/error_report.h"
#include "runner/student_file/arguments/filled_arguments.h"
#include "runner/student_file/arguments/kernel_signature.h"
#include "runner/student_file/arguments/shell_quoted.h"
#include "runner/student_file/arguments/struct_layout.h"
#include "runner/student_file/arguments/template_kernels.h"
#include "runner/student_file/arguments/variables.h"
#include "runner/student_file/compilers/ptxas.h"
#include "runner/student_file/host_code.h"
#include "runner/student_file/source_file.h"
#include "runner/student_file/toolchain.h"

namespace gpulab {
namespace {

std::vector<FileArgument> parsed(const std::vector<std::string>& texts) {
  std::vector<FileArgument> specs;
  for (const auto& text : texts) specs.push_back(parse_argument(text));
  return specs;
}

/// "n:i32=5" -> "n:i32[1]=5": a variable that is one number is a buffer of one.
std::string as_buffer(const std::string& text) {
  const auto equals = text.find('=');
  return text.substr(0, equals) + "[1]" + text.substr(equals);
}

FileArgument parse_variable(const std::string& text) {
  auto spec = parse_argument(text, "--set");
  if (spec.by_value)
    throw usage_error(fmt::format("--set {}: it is set as numbers, or bytes: u8[{}]", spec.name, *spec.count));
  if (spec.value == "none")
    throw usage_error(fmt::format("--set {}: 'none' is no value", spec.name), "leave the option away");
  if (!spec.count) spec.count = 1;
  return spec;
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
  const double needed = 2 * bytes_of_all(arguments);
  const auto available = memory_short_of(needed);
  if (!available) return;
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

/// What a variable that is only read afterwards has as its INIT.
constexpr const char* untouched = "untouched";

Problem problem_of(const KernelFile& file, std::uint64_t seed) {
  auto specs = parsed(file.arguments);
  check_memory(specs);
  Problem problem;
  const auto add = [&](const FileArgument& spec, std::size_t index, BufferRole role, std::string symbol) {
    auto initial = spec.value == untouched ? std::vector<std::byte>{} : initial_bytes(spec, seed, index);
    problem.buffers.push_back({spec.name, spec.type, *spec.count, role, std::move(initial), false, std::move(symbol)});
  };
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto& spec = specs[i];
    if (!spec.count || spec.by_value) continue;
    // "none" is an output that was never written: poisoned, and known to be so.
    add(spec, i, spec.value == "none" ? BufferRole::output : BufferRole::input, {});
  }
  for (const auto& [symbol, text] : file.variables) {
    specs.push_back(parse_argument(text));
    add(specs.back(), specs.size(), BufferRole::output, symbol);
  }
  for (const auto& text : file.expectations) {
    problem.expected.push_back(expected_of(parse_expectation(text, specs), seed, file.tolerance));
  }
  return problem;
}

std::vector<Argument> bound(const std::vector<FileArgument>& arguments) {
  std::vector<Argument> made;
  for (const auto& spec : arguments) {
    if (spec.texture) {
      TextureArgument texture = *spec.texture;
      texture.buffer = spec.name;
      made.push_back(std::move(texture));
    } else {
      made.push_back(spec.count && !spec.by_value ? Argument(BufferArgument{spec.name}) : scalar_argument(spec));
    }
  }
  return made;
}

/// Threads in a grid that covers `count` elements: of a block of several dimensions as many in each, so that the grid
/// is a square or a cube that holds them all.
std::uint64_t side_of(std::uint64_t count, const Dim3& block) {
  const int dimensions = block.z > 1 ? 3 : block.y > 1 ? 2 : 1;
  const auto holds = [&](std::uint64_t side) {
    return std::pow(static_cast<double>(side), dimensions) >= static_cast<double>(count);
  };
  auto side = static_cast<std::uint64_t>(std::pow(static_cast<double>(count), 1.0 / dimensions));
  while (side > 1 && holds(side - 1)) --side;
  while (!holds(side)) ++side;
  return dimensions == 1 ? count : side;
}

/// One thread for each element of the longest buffer.
Dim3 covering(const std::vector<FileArgument>& arguments, const Dim3& block) {
  std::uint64_t longest = 1;
  for (const auto& spec : arguments)
    if (spec.count && !spec.by_value)
      longest = std::max<std::uint64_t>(longest, *spec.count / (spec.texture ? spec.texture->channels : 1));
  const auto side = side_of(longest, block);
  // Saturated: what does not fit is refused as beyond the hardware.
  const auto blocks = [&](std::uint64_t threads) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>((side + threads - 1) / threads, UINT32_MAX));
  };
  return {blocks(block.x), block.y > 1 ? blocks(block.y) : 1, block.z > 1 ? blocks(block.z) : 1};
}

bool is_ptx(const std::string& file) { return file.ends_with(".ptx"); }

/// Cooperative groups find the barrier of a grid by registers that only a cooperative launch sets.
bool waits_for_grid(const std::string& ptx, const std::string& entry) {
  const auto start = ptx.find(".entry " + entry + '(');
  const auto end = ptx.find(".entry ", start == std::string::npos ? start : start + 1);
  return start != std::string::npos && ptx.substr(start, end - start).find("%envreg") != std::string::npos;
}

void say_notes(const FileRequest& request, const KernelSignature& kernel, const std::vector<FileArgument>& arguments) {
  if (const auto host = host_code(request.source); !is_ptx(request.file) && !host.empty())
    print_note(fmt::format("{}: its host code ({}) is ignored", request.file, join(host)));
  for (const auto& doubt : doubtful_buffers(kernel, arguments)) print_note(fmt::format("--arg {}", doubt));
}

/// Threads of the largest grid that will be asked for; where no buffer says how many, enough for this many elements.
constexpr std::uint64_t default_elements = 1024;

std::uint64_t thread_count(const FileRequest& request, std::vector<FileArgument> arguments) {
  const bool sized =
      std::any_of(arguments.begin(), arguments.end(), [](const auto& spec) { return spec.count.has_value(); });
  std::uint64_t most = 0;
  auto& longest = arguments.emplace_back();
  if (!sized) longest.count = default_elements;
  for (const auto& block : request.blocks.empty() ? std::vector{Dim3{256, 1, 1}} : request.blocks) {
    // A grid of several dimensions covers more than it must: buffers for all of its threads may need one more block.
    for (std::uint64_t threads = 0;;) {
      const auto grid = request.grid.value_or(covering(arguments, block));
      if (threads == grid.volume() * block.volume()) break;
      longest.count = threads = grid.volume() * block.volume();
    }
    most = std::max<std::uint64_t>(most, *longest.count);
  }
  return most;
}

/// The arguments that the user gave, structs as bytes, and those that are made up behind them, which are shown.
std::vector<std::string> all_arguments(const FileRequest& request, const KernelSignature& kernel,
                                       const std::string& code) {
  auto texts = request.arguments;
  const auto given = parsed(texts);
  if (given.size() < kernel.parameters.size()) {
    const auto more = filled_arguments(kernel, given, thread_count(request, given));
    texts.insert(texts.end(), more.begin(), more.end());
    std::vector<std::string> words{"gpulab"};
    for (const auto& word : request.words) words.push_back(shell_quoted(word));
    for (const auto& text : texts) words.push_back("--arg " + shell_quoted(text));
    print_command(
        fmt::format("{} made up:", more.size() == 1 ? "an argument is" : fmt::format("{} arguments are", more.size())),
        words);
  }
  const auto all = parsed(texts);
  check_arguments(kernel, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].by_value) continue;
    const auto layout = layout_of(kernel.parameters[i].type, code);
    texts[i] = with_bytes(all[i], struct_bytes(all[i], layout ? &*layout : nullptr));
  }
  return texts;
}

/// `others`: names that the option could have meant as well.
const FileVariable& find_variable(std::string_view name, const std::vector<FileVariable>& variables,
                                  std::string_view option, std::vector<std::string> others = {}) {
  for (const auto& variable : variables) {
    if (variable.name == name || variable.symbol == name) return variable;
    others.push_back(variable.name);
  }
  throw usage_error(fmt::format("{}: no {}__device__ or __constant__ variable is named '{}'", option,
                                option == "--set" ? "" : "buffer and no ", name),
                    did_you_mean(name, others, others.empty() ? "the file has none" : "there is " + join(others)));
}

/// --set, and what --dump and --show want of variables; notes those that the kernel reads and nothing sets.
std::vector<std::pair<std::string, std::string>> all_variables(const FileRequest& request, const KernelFile& file) {
  const auto variables = variables_of(file.ptx, file.file, file.entry);
  std::vector<std::pair<std::string, std::string>> all;
  std::set<std::string> set;
  for (const auto& text : request.variables) {
    const auto spec = parse_argument(text);
    const auto& variable = find_variable(spec.name, variables, "--set");
    const auto bytes = spec.count.value_or(1) * size_of(spec.type);
    if (bytes > variable.bytes)
      throw usage_error(fmt::format("--set {}: it has {}, not {}", spec.name, plural(variable.bytes, "byte"), bytes));
    all.emplace_back(variable.symbol, spec.count ? text : as_buffer(text));
    set.insert(variable.symbol);
  }
  std::vector<std::string> buffers;
  for (const auto& spec : parsed(file.arguments))
    if (spec.count && !spec.by_value) buffers.push_back(spec.name);
  for (const auto& [option, name] : request.reads) {
    if (std::find(buffers.begin(), buffers.end(), name) != buffers.end()) continue;
    const auto& variable = find_variable(name, variables, option, buffers);
    all.emplace_back(variable.symbol, fmt::format("{}:{}[{}]={}", name, name_of(variable.type),
                                                  variable.bytes / size_of(variable.type), untouched));
  }
  for (const auto& note : unset_reads(variables, set, kernel_name(file.entry))) print_note(note);
  return all;
}

}  // namespace

void check_specs(const FileRequest& request) {
  auto arguments = parsed(request.arguments);
  for (const auto& text : request.variables) arguments.push_back(parse_variable(text));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    check_value(arguments[i]);
    for (std::size_t j = 0; j < i; ++j) {
      if (arguments[j].name == arguments[i].name)
        throw usage_error(fmt::format("{}: two {} are named '{}'", arguments[i].option,
                                      arguments[i].option == "--set" ? "variables" : "arguments", arguments[i].name));
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
    file.ptx = compile({request.file, request.source, instance ? request.kernel : "", compute_capability,
                        request.isolation, request.compile},
                       compiler)
                   .ptx;
    file.source = request.source;
  }
  const auto code = code_only(file.source);
  const auto templates = template_kernels(code);
  file.entry = choose_kernel(request.kernel, ptx::entry_names(file.ptx), file.file,
                             templates.empty() ? "" : instance_of(templates.front()));
  file.dynamic_shared_bytes = request.dynamic_shared_bytes;
  file.cooperative = request.cooperative;
  file.expectations = request.expectations;
  file.tolerance = request.tolerance;
  auto signature = signature_of(file.ptx, file.file, file.entry);
  read_declaration(code, signature);
  file.arguments = all_arguments(request, signature, code);
  file.variables = all_variables(request, file);
  say_notes(request, signature, parsed(file.arguments));
  if (!file.cooperative && waits_for_grid(file.ptx, file.entry))
    print_note(fmt::format("{} waits for its whole grid: --cooperative launches it so", signature.name));
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
  variant.cooperative = file.cooperative;
  variant.automatic_grid = [arguments](const Case& point) { return covering(*arguments, point.block); };
  variant.dynamic_shared_bytes = [bytes = file.dynamic_shared_bytes](const Case&) { return bytes; };
  variant.writes_input = true;
  std::set<std::string> set;
  for (const auto& [symbol, text] : file.variables)
    if (parse_argument(text).value != untouched) set.insert(symbol);
  variant.scratch = [starts = start_values(file.ptx, file.file, set)](const Case&) { return starts; };
  lab.headline = variant.name;
  lab.variants.push_back(std::move(variant));
  return lab;
}

Lab trial_lab(const Lab& of_file, std::shared_ptr<const Trial> trial) {
  Lab lab = of_file;
  lab.trial = std::move(trial);
  lab.problem = [given = lab.trial](const Case&) { return Problem{given->buffers, {}}; };
  lab.variants.front().steps = [given = lab.trial](const Case&) { return given->steps; };
  lab.variants.front().automatic_grid = [](const Case&) { return Dim3{1, 1, 1}; };
  return lab;
}

}  // namespace gpulab
