// `gpulab mcp`: tools for agents, over the Model Context Protocol on standard input and output.

#include "common/error.h"
#include "runner/command.h"
#include "runner/mcp/server.h"
#include "runner/options/option.h"

namespace gpulab::command {
namespace {

Usage usage_of_mcp(const Lab*) {
  return {{{"root", "FOLDER", "requests may name files below it; several are allowed [where it is started]"},
           {"answer-bytes", "N", "of an answer, about; the rest is asked for by the tool 'more' [24000]"},
           {"jobs", "N", "calls that run at once; 16 more may wait [2]"},
           {"call-limit", "SECONDS", "of a call, compilation included [120]"}},
          "A Model Context Protocol server for agents, revisions 2026-07-28 and\n"
          "2025-11-25: one JSON object a line, on standard input and output; messages for\n"
          "people go to standard error. A client starts it by itself:\n"
          "  {\"mcpServers\": {\"gpulab\": {\"command\": \"gpulab\", \"args\": [\"mcp\"]}}}\n"
          "More: configs/mcp.md; what to tell an agent: configs/agents/SKILL.md.\n"};
}

std::int64_t number(const CommandLine& line, std::string_view name, std::int64_t usual, std::int64_t least,
                    std::int64_t most) {
  const auto* text = single_value(line.given, name);
  return text == nullptr ? usual : whole_number(name, *text, least, most);
}

ExitCode run_mcp(const CommandLine& line) {
  mcp::ServerOptions options;
  options.roots = values_of(line.given, "root");
  options.answer_bytes = static_cast<std::size_t>(number(line, "answer-bytes", 24'000, 4'000, 10'000'000));
  options.jobs = static_cast<std::size_t>(number(line, "jobs", 2, 1, 64));
  options.call_limit = std::chrono::seconds(number(line, "call-limit", 120, 1, 86'400));
  return mcp::serve(options, line.labs);
}

}  // namespace

extern const Command mcp{
    .name = "mcp",
    .help = "a Model Context Protocol server: tools for agents",
    .usage = usage_of_mcp,
    .run = run_mcp,
    .example = "gpulab mcp",
};

}  // namespace gpulab::command
