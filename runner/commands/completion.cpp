// `gpulab completion bash|zsh|fish`: a script for that shell.

#include "runner/manual/completion.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/text.h"
#include "runner/command.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

Usage usage_of_completion(const Lab*) {
  return {.notes =
              "For this shell alone: source <(gpulab completion bash), or: gpulab completion fish | source\n"
              "For good: into /etc/bash_completion.d/gpulab, a file _gpulab in a folder of zsh's $fpath, or\n"
              "~/.config/fish/completions/gpulab.fish. The packages have done so.\n",
          .words = {"bash", "zsh", "fish"}};
}

ExitCode run_completion(const CommandLine& line) {
  const auto& shell = line.arguments.front();
  if (shell != "bash" && shell != "zsh" && shell != "fish")
    throw usage_error(fmt::format("completion: unknown shell '{}'", visible(shell)),
                      did_you_mean(shell, {"bash", "zsh", "fish"}, "shells: bash, zsh, fish"));
  const auto all = vocabulary(*line.labs);
  print_report(shell == "bash" ? bash_completion(all) : shell == "zsh" ? zsh_completion(all) : fish_completion(all));
  return ExitCode::ok;
}

}  // namespace

extern const Command completion{
    .name = "completion",
    .positionals = {{"SHELL", "which shell?"}},
    .help = "a script that completes command lines: bash, zsh or fish",
    .usage = usage_of_completion,
    .run = run_completion,
    .example = "gpulab completion bash",
};

}  // namespace gpulab::command
