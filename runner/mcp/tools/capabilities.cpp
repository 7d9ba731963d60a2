// capabilities: what this program and this machine can do.

#include "common/child/confinement.h"
#include "common/embedded.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/simt/observers/tool.h"
#include "labs/registry.h"
#include "runner/mcp/server.h"
#include "runner/mcp/tool.h"
#include "runner/student_file/nvrtc.h"
#include "runner/student_file/toolchain.h"
#include "runner/version.h"

namespace gpulab::mcp::tool {
namespace {

/// The compiler that a call would take; null: there is none, and PTX alone can run.
Json compiler() {
  try {
    const auto nvcc = find_nvcc();
    if (without_stand_in(nvcc)) return "nvcc";
    return find_nvrtc(nvcc) ? Json("NVRTC: device code alone") : Json();
  } catch (const Error& error) {
    return error.what();
  }
}

Json answer(const Json&, const Surroundings& surroundings) {
  Json profiles = Json::array(), sanitizers = Json::array(), roots = Json::array();
  for (auto& id : gpu_profile_ids()) profiles.push_back(std::move(id));
  for (const auto* kind : simt::tool_kinds()) sanitizers.push_back(kind->name);
  for (const auto& root : surroundings.workplace.roots()) roots.push_back(root.string());
  const auto isolation = isolation_support();
  return {{"version", version()},
          {"toolkit", toolkit_version()},
          {"compiler", compiler()},
          {"isolation", {{"landlock", isolation.landlock}, {"seccomp", isolation.seccomp}}},
          {"files_below", std::move(roots)},
          {"device", "a simulator: no GPU is used; counters are exact, times are modelled"},
          {"profiles", std::move(profiles)},
          {"sanitizers", std::move(sanitizers)},
          {"labs", lab_names(*surroundings.labs)},
          {"answer_bytes", surroundings.answer_bytes},
          {"waiting_calls", most_waiting}};
}

}  // namespace

extern const Tool capabilities{
    .name = "capabilities",
    .title = "What this server can do here",
    .description =
        "Version, compiler, isolation, GPUs that can be modelled, sanitizer tools, folders that 'path' may name, "
        "limits.",
    .input = R"({"type": "object", "additionalProperties": false, "properties": {}})",
    .documents = {},
    .answer = answer,
};

}  // namespace gpulab::mcp::tool
