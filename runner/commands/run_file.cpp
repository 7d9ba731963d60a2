#include "runner/commands/run_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "common/text.h"
#include "runner/commands/run_lab.h"
#include "runner/execution/open_device.h"
#include "runner/options/sizes.h"
#include "runner/report/report_target.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

std::vector<std::string> values_of(const Given& given, std::string_view name) {
  const auto it = given.find(name);
  return it == given.end() ? std::vector<std::string>{} : it->second;
}

/// NAME=PATH of --dump, each file seen to be writable before anything runs.
std::map<std::string, std::string> parse_dumps(const Given& given, const std::vector<std::string>& arguments) {
  std::vector<ArgumentSpec> specs;
  for (const auto& text : arguments) specs.push_back(parse_argument(text));
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
  return dumps;
}

/// The options that labs have too.
LabOptions lab_options(const Given& given) {
  Lab lab;
  lab.name = "run";
  lab.headline = "kernel";
  lab.variants.emplace_back().name = "kernel";
  auto options = parse_lab_options(lab, given);
  options.lab = nullptr;
  options.variants.clear();
  return options;
}

void check_grid_and_dumps(const LabOptions& options) {
  for (const auto& block : options.blocks) {
    if (block.y == 1 && block.z == 1) continue;
    if (!options.grid)
      throw usage_error(fmt::format("--grid: a block of {} needs a grid by name", dim_text(block)),
                        "'auto' covers the longest buffer with one-dimensional blocks");
  }
  if (options.blocks.size() > 1 && !options.dumps.empty())
    throw usage_error("--dump: several blocks would write the same file", "give one --block");
}

}  // namespace

FileRequest parse_file_request(std::string_view command, const std::string& file, const Given& given) {
  FileRequest request;
  request.file = file;
  if (!file.ends_with(".cu") && !file.ends_with(".ptx"))
    throw usage_error(fmt::format("{}: '{}' is neither a .cu nor a .ptx file", command, file));
  request.source = read_file(file, command);
  if (const auto* kernel = single_value(given, "kernel")) request.kernel = *kernel;
  if (const auto* compiler = single_value(given, "compiler")) {
    const std::vector<std::string> choices{"auto", "nvcc", "nvrtc"};
    if (std::find(choices.begin(), choices.end(), *compiler) == choices.end())
      throw usage_error(fmt::format("--compiler: unknown compiler '{}'", *compiler),
                        did_you_mean(*compiler, choices, "choices: " + join(choices)));
    request.compiler = *compiler;
  }
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

LabOptions parse_file_options(const FileRequest& request, const Given& given) {
  auto options = lab_options(given);
  options.dumps = parse_dumps(given, request.arguments);
  check_grid_and_dumps(options);
  return options;
}

ExitCode run_file(const std::string& file, const Given& given) {
  const auto request = parse_file_request("run", file, given);
  auto options = parse_file_options(request, given);
  const std::shared_ptr<Executor> executor = open_device(options);
  const auto& device = executor->info();
  // Static: after an interrupt the simulation may still read it while main ends the process.
  static const Lab lab = file_lab(load_kernel_file(request, device.compute_major * 10 + device.compute_minor));
  options.lab = &lab;
  options.variants = {&lab.variants.front()};
  return run_lab(options, executor);
}

}  // namespace gpulab
