#pragma once
// The file of `gpulab run FILE …` and `gpulab explain FILE …`, which of its kernels, and that one's arguments.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/device/device.h"
#include "runner/case/run_case.h"
#include "runner/options/launch_options.h"
#include "runner/options/option.h"
#include "runner/student_file/kernel_file.h"

namespace gpulab {

[[nodiscard]] OptionList file_options();
/// Reads FILE. Throws usage_error. `command` is what its words call the command.
[[nodiscard]] FileRequest parse_file_request(std::string_view command, const std::string& file, const Given& given);

[[nodiscard]] OptionList dump_options();
/// NAME=PATH of --dump: buffer -> file, each seen to be writable before anything runs. What is no argument is wanted of
/// the file's variables (FileRequest::reads).
[[nodiscard]] std::map<std::string, std::string> parse_dumps(const Given& given, FileRequest& request,
                                                             const LaunchOptions& launch);

/// What a stranger's kernel makes its process read and write, beyond the program itself.
struct FileAccess {
  bool isolated = true;                 ///< --no-isolation: false
  std::vector<std::string> readable{};  ///< files that its arguments are filled from
  std::vector<std::string> writable{};  ///< folders that buffers are dumped to
};

[[nodiscard]] FileAccess file_access(const FileRequest& request, const std::map<std::string, std::string>& dumps);

/// NAME[FROM:TO] of --show.
[[nodiscard]] std::vector<Slice> parse_shows(const Given& given, FileRequest& request);

/// The file as a lab, compiled for the device. Throws Error.
[[nodiscard]] Lab lab_of_file(const FileRequest& request, const DeviceInfo& device);

/// Does `target` name a file rather than a lab?
[[nodiscard]] bool is_kernel_file(std::string_view target);

}  // namespace gpulab
