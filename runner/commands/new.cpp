// `gpulab new LAB [DIR]`: the file that a student begins with, for a contract of the lab.

#include <fmt/format.h>

#include <filesystem>

#include "common/error.h"
#include "common/text.h"
#include "labs/registry.h"
#include "runner/command.h"
#include "runner/judge/contract_option.h"
#include "runner/listing/contract_text.h"
#include "runner/report/new_file.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

Usage usage_of_new(const Lab* lab) {
  return {contract_option(lab),
          "The file is DIR/CONTRACT.cu; DIR is made where it is not there. 'gpulab check LAB FILE.cu' judges it.\n"};
}

ExitCode run_new(const CommandLine& line) {
  if (line.lab == nullptr) throw unknown_lab(line.arguments.front(), lab_names(*line.labs));
  const auto* named = contract_asked_for(*line.lab, line.given);
  const Contract& contract = named != nullptr ? *named : line.lab->contracts.front();
  const std::filesystem::path folder = line.arguments.size() > 1 ? line.arguments[1] : ".";
  make_folder(folder, "new");
  const auto file = (folder / (contract.name + ".cu")).lexically_normal();
  write_new(file, starter_text(*line.lab, contract), "new");
  const bool one = line.lab->contracts.size() == 1;
  print_report(fmt::format("{}: write the kernel, then\n  gpulab check {} {}{}\n", file.string(), line.lab->name,
                           file.string(), one ? "" : " --contract " + contract.name));
  return ExitCode::ok;
}

}  // namespace

extern const Command new_{
    .name = "new",
    .positionals = {{"LAB", "which lab?"}, {"DIR", ""}},
    .help = "a starter file for a lab's contract",
    .usage = usage_of_new,
    .run = run_new,
    .example = "gpulab new reduce homework",
};

}  // namespace gpulab::command
