#include "runner/options/file_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "common/error.h"
#include "common/text.h"
#include "runner/options/sizes.h"
#include "runner/report/report_target.h"
#include "runner/student_file/source_file.h"

namespace gpulab {

OptionList file_options() {
  using heading::what_runs;
  return {
      {"kernel", "NAME", "'scale', an instance 'scale<float>', or a mangled name [the only one]", what_runs},
      {"arg", "SPEC", "one argument, in order: 'x:f32[1024]=iota', n:i32=1024", what_runs},
      {"shared", "BYTES", "dynamic shared memory of a block [0]", what_runs},
      {"compiler", "auto|nvcc|nvrtc", "auto: nvcc, else NVRTC", what_runs},
      {"compile-limit", "SECONDS", "CPU time of each program of the compiler [12]", what_runs},
      {"no-isolation", "", "let the compiler read all that you can", what_runs},
      {"expect", "NAME=INIT", "what a buffer must hold afterwards: 'y=@right.bin', y=3.5", what_runs},
      {"tolerance", "T", "of floating-point buffers under --expect, absolute [0]", what_runs},
  };
}

FileRequest parse_file_request(std::string_view command, const std::string& file, const Given& given) {
  FileRequest request;
  request.file = file;
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
  request.expectations = values_of(given, "expect");
  check_specs(request);
  return request;
}

OptionList dump_options() {
  return {{"dump", "NAME=FILE", "write a buffer's bytes, raw, little endian", heading::report}};
}

std::map<std::string, std::string> parse_dumps(const Given& given, const FileRequest& request,
                                               const LaunchOptions& launch) {
  std::vector<FileArgument> specs;
  for (const auto& text : request.arguments) specs.push_back(parse_argument(text));
  std::map<std::string, std::string> dumps;
  for (const auto& text : values_of(given, "dump")) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw usage_error(fmt::format("--dump: '{}' is not of the form NAME=PATH", text));
    const auto name = find_buffer(text.substr(0, equals), specs, "--dump").name;
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
  for (const auto* texts : {&request.arguments, &request.expectations}) {
    for (const auto& text : *texts)
      if (const auto at = text.find("=@"); at != std::string::npos) access.readable.push_back(text.substr(at + 2));
  }
  for (const auto& [buffer, file] : dumps) {
    const auto folder = std::filesystem::path(file).parent_path();
    access.writable.push_back(folder.empty() ? "." : folder.string());
  }
  return access;
}

LaunchOptions parse_file_launch_options(const Given& given) {
  auto launch = parse_launch_options(given);
  for (const auto& block : launch.blocks) {
    if (block.y == 1 && block.z == 1) continue;
    if (!launch.grid)
      throw usage_error(fmt::format("--grid: a block of {} needs a grid by name", dim_text(block)),
                        "'auto' covers the longest buffer with one-dimensional blocks");
  }
  return launch;
}

Lab lab_of_file(const FileRequest& request, const DeviceInfo& device) {
  return file_lab(load_kernel_file(request, device.compute_major * 10 + device.compute_minor));
}

bool is_kernel_file(std::string_view target) { return target.ends_with(".cu") || target.ends_with(".ptx"); }

}  // namespace gpulab
