#pragma once
// What became of a whole program (`gpulab exec`): the record of its process, which it could have changed, and how it
// ended.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/cuda_api/record.h"
#include "common/enum_text.h"

namespace gpulab {

enum class ProgramStatus : std::uint8_t { ok, finding, fault, hung, unsupported, does_not_compile };
constexpr std::array<std::string_view, 6> words_of(ProgramStatus) {
  return {"ok", "finding", "fault", "hung", "unsupported", "does_not_compile"};
}

struct ProgramRun {
  std::string program;                 ///< as the user named it
  std::vector<std::string> arguments;  ///< its own
  std::string profile;
  ProgramStatus status = ProgramStatus::ok;
  int exit_code = 0;         ///< the program's own; 128 + N where signal N ended it
  int signal = 0;            ///< that ended it; 0: none
  int code = 0;              ///< what gpulab ends with
  bool interrupted = false;  ///< ended by us, because we were
  bool isolated = true;
  bool sanitized = false;  ///< by any tool
  bool explained = false;  ///< lines were asked for
  cuda_api::Record record;
  std::shared_ptr<cuda_api::StepsRecord> steps;  ///< of the launch whose steps were asked for; null: it never ran
  std::vector<std::string> metrics;              ///< asked for, by our names; empty: the report shows what it sees fit
  bool summary = false, trace = false;           ///< nvprof's
  std::map<std::string, std::string>
      sources;          ///< by the file that KernelRecord::lines names: its text, where it is shown
  std::string kernels;  ///< a regular expression: which of them are reported; empty: all
};

}  // namespace gpulab
