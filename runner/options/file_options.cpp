#include "runner/options/file_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "common/error.h"
#include "common/text.h"
#include "runner/options/nvcc_options.h"
#include "runner/options/sizes.h"
#include "runner/report/report_target.h"
#include "runner/student_file/source_file.h"

namespace gpulab {

OptionList file_options() {
  using heading::what_runs;
  return joined(
      {{
           {"kernel", "NAME", "'scale', an instance 'scale<float>', or a mangled name [the only one]", what_runs},
           {"arg", "SPEC", "one argument, in order: 'x:f32[1024]=iota', n:i32=1024 [made up, and shown]", what_runs},
           {"set", "SPEC", "a __constant__ or __device__ variable: 'factors:f32[4]={1,2,3,4}'", what_runs},
           {"shared", "BYTES", "dynamic shared memory of a block [0]", what_runs},
           {"cooperative", "", "all blocks at once, which may wait for each other (grid.sync)", what_runs},
           {"compiler", "auto|nvcc|nvrtc", "auto: nvcc, else NVRTC", what_runs},
           {"compile-limit", "SECONDS", "CPU time of each program of the compiler [12]", what_runs},
           {"no-isolation", "", "let the compiler read all that you can", what_runs},
           {"expect", "NAME=INIT", "what a buffer must hold afterwards: 'y=@right.bin', y=3.5", what_runs},
           {"tolerance", "T", "of floating-point buffers under --expect, absolute [0]", what_runs},
       },
       nvcc_options()});
}

namespace {

/// "run scale.cu --block 32": as it was typed, but for --arg.
std::vector<std::string> typed(std::string_view command, const std::string& file, const Given& given) {
  std::vector<std::string> words{std::string(command), file};
  for (const auto& [option, values] : given) {
    if (option == "arg") continue;
    for (const auto& value : values) {
      words.push_back((option == "I" || option == "D" ? "-" : "--") + option);
      if (value != "true") words.push_back(value);  // else a flag
    }
  }
  return words;
}

}  // namespace

FileRequest parse_file_request(std::string_view command, const std::string& file, const Given& given) {
  FileRequest request;
  request.file = file;
  request.words = typed(command, file, given);
  if (!is_kernel_file(file)) throw usage_error(fmt::format("{}: '{}' is neither a .cu nor a .ptx file", command, file));
  request.source = read_source(file, command);
  if (const auto* kernel = single_value(given, "kernel")) request.kernel = *kernel;
  if (const auto* compiler = single_value(given, "compiler")) {
    const std::vector<std::string> choices{"auto", "nvcc", "nvrtc"};
    if (std::find(choices.begin(), choices.end(), *compiler) == choices.end())
      throw usage_error(fmt::format("--compiler: unknown compiler '{}'", *compiler),
                        did_you_mean(*compiler, choices, "choices: " + join(choices)));
    request.compiler = *compiler;
  }
  if (const auto* text = single_value(given, "compile-limit"))
    request.isolation.cpu = std::chrono::seconds(whole_number("compile-limit", *text, 1, 100'000));
  request.isolation.on = single_value(given, "no-isolation") == nullptr;
  request.compile = parse_nvcc_options(given);
  request.cooperative = single_value(given, "cooperative") != nullptr;
  if (const auto* shared = single_value(given, "shared")) {
    const auto bytes = parse_size(*shared, "--shared");
    constexpr std::int64_t most = std::int64_t{1} << 30;  // beyond every GPU; the device knows its own limit
    if (bytes > most) throw usage_error(fmt::format("--shared: {} is beyond the hardware", bytes_text(double(bytes))));
    request.dynamic_shared_bytes = static_cast<std::uint32_t>(bytes);
  }
  if (const auto* text = single_value(given, "tolerance")) {
    const auto tolerance = parse_real(*text);
    if (!tolerance || !(*tolerance >= 0))
      throw usage_error(fmt::format("--tolerance: '{}' is not a number of 0 or more", *text));
    request.tolerance = *tolerance;
  }
  request.arguments = values_of(given, "arg");
  request.variables = values_of(given, "set");
  request.expectations = values_of(given, "expect");
  check_specs(request);
  return request;
}

OptionList dump_options() {
  return {{"dump", "NAME=FILE", "write a buffer's bytes, raw, little endian", heading::report},
          {"show", "NAME[100:120]", "more of a buffer than its first 8 elements", heading::report}};
}

namespace {

/// Sees that `name` is a buffer; what is neither an argument nor set is looked for when the file is compiled.
void want(const std::string& name, const std::string& option, FileRequest& request) {
  std::vector<FileArgument> arguments;
  for (const auto& text : request.arguments) arguments.push_back(parse_argument(text));
  const auto is_named = [&](const FileArgument& spec) { return spec.name == name; };
  if (std::any_of(arguments.begin(), arguments.end(), is_named)) {
    (void)find_buffer(name, arguments, option);
    return;
  }
  for (const auto& text : request.variables)
    if (is_named(parse_argument(text))) return;
  const auto is_known = [&](const auto& read) { return read.second == name; };
  if (std::none_of(request.reads.begin(), request.reads.end(), is_known)) request.reads.emplace_back(option, name);
}

}  // namespace

std::map<std::string, std::string> parse_dumps(const Given& given, FileRequest& request, const LaunchOptions& launch) {
  std::map<std::string, std::string> dumps;
  for (const auto& text : values_of(given, "dump")) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw usage_error(fmt::format("--dump: '{}' is not of the form NAME=PATH", text));
    const auto name = text.substr(0, equals);
    want(name, "--dump", request);
    const auto path = text.substr(equals + 1);
    if (!dumps.emplace(name, path).second) throw usage_error(fmt::format("--dump: '{}' is dumped twice", name));
    const ReportTarget writable(path, "--dump");
  }
  if (launch.blocks.size() > 1 && !dumps.empty())
    throw usage_error("--dump: several blocks would write the same file", "give one --block");
  return dumps;
}

FileAccess file_access(const FileRequest& request, const std::map<std::string, std::string>& dumps) {
  FileAccess access;
  access.isolated = request.isolation.on;
  for (const auto* texts : {&request.arguments, &request.variables, &request.expectations}) {
    for (const auto& text : *texts)
      if (const auto at = text.find("=@"); at != std::string::npos) access.readable.push_back(text.substr(at + 2));
  }
  for (const auto& [buffer, file] : dumps) {
    const auto folder = std::filesystem::path(file).parent_path();
    access.writable.push_back(folder.empty() ? "." : folder.string());
  }
  return access;
}

std::vector<Slice> parse_shows(const Given& given, FileRequest& request) {
  constexpr std::int64_t most = 1024;
  std::vector<Slice> slices;
  for (const auto& text : values_of(given, "show")) {
    const auto open = text.find('['), colon = text.find(':', std::min(open, text.size()));
    const auto refuse = [&](const std::string& why) {
      return usage_error(fmt::format("--show: '{}' {}", text, why), "as in --show 'x[100:120]': elements 100 to 119");
    };
    if (open == std::string::npos || open == 0 || !text.ends_with(']') || text.size() < open + 3)
      throw refuse("is not of the form NAME[FROM:TO]");
    const auto last = text.size() - 1;
    const auto first = parse_size(text.substr(open + 1, std::min(colon, last) - open - 1), "--show");
    const auto end =
        colon == std::string::npos ? first + 1 : parse_size(text.substr(colon + 1, last - colon - 1), "--show");
    if (end <= first) throw refuse("ends before it begins");
    if (end - first > most) throw refuse(fmt::format("is more than {} elements; --dump has all", most));
    want(text.substr(0, open), "--show", request);
    slices.push_back({text.substr(0, open), static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(end)});
  }
  return slices;
}

Lab lab_of_file(const FileRequest& request, const DeviceInfo& device) {
  return file_lab(load_kernel_file(request, device.compute_major * 10 + device.compute_minor));
}

bool is_kernel_file(std::string_view target) { return target.ends_with(".cu") || target.ends_with(".ptx"); }

}  // namespace gpulab
