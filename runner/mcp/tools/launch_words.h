#pragma once
// Options of a launch that run_kernel and explain share.

#include "runner/mcp/tool.h"

namespace gpulab::mcp::tool {

inline void add_launch(std::vector<std::string>& words, const Json& arguments, const Workplace& workplace) {
  for (const char* name : {"kernel", "grid", "block", "shared"}) add_option(words, name, arguments, name);
  if (const auto given = arguments.find("arguments"); given != arguments.end())
    for (const auto& one : *given) words.push_back("--arg=" + workplace.argument(one.get<std::string>()));
}

}  // namespace gpulab::mcp::tool
