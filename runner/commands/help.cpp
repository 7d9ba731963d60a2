// `gpulab help COMMAND …`, and all that ends in --help; `gpulab help TERM`; `gpulab help --man`, the manual page.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/error.h"
#include "common/text.h"
#include "runner/command.h"
#include "runner/command_line.h"
#include "runner/listing/glossary.h"
#include "runner/manual/manual_page.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

constexpr std::size_t term_columns = 80;

Usage usage_of_help(const Lab*) {
  std::vector<std::string> words;
  for (const auto& term : glossary())
    if (term.name.find(' ') == std::string_view::npos) words.emplace_back(term.name);
  return {.options = {{"man", "", "all of it as a manual page: gpulab help --man | man -l -"},
                      {"glossary", "", "all terms, as a page (configs/glossary.md)"}},
          .notes =
              "A TERM is a word of CUDA or of performance, or a metric by any profiler's name:\n"
              "  gpulab help bank conflict          gpulab help gld_efficiency\n",
          .words = std::move(words)};
}

std::string term_text(const TermMeaning& term) {
  std::string text = fmt::format("{} ({})\n", term.name, term.kind);
  for (const auto& line : wrapped(term.meaning, term_columns - 2)) text += fmt::format("  {}\n", line);
  if (!term.see.empty()) text += fmt::format("See: {}\n", join(term.see));
  return text;
}

ExitCode run_help(const CommandLine& line) {
  constexpr std::array<std::string_view, 2> pages{"man", "glossary"};
  const auto asked = std::ranges::count_if(pages, [&](auto name) { return line.given.contains(name); });
  if (asked > 1) throw usage_error("help: --man and --glossary are one page each");
  for (const auto name : pages)
    if (line.given.contains(name) && !line.arguments.empty())
      throw usage_error(fmt::format("help: --{} is the page of all {}", name, name == "man" ? "commands" : "terms"),
                        fmt::format("leave out '{}', or --{}", line.arguments.front(), name));
  if (line.given.contains("man")) {
    print_report(manual_page(*line.labs));
  } else if (line.given.contains("glossary")) {
    print_report(glossary_page());
  } else if (!line.arguments.empty() && command_named(line.arguments.front(), *line.labs) == nullptr &&
             has_meaning(join(line.arguments, " "), *line.labs)) {
    print_report(term_text(meaning_of_term(join(line.arguments, " "), *line.labs)));
  } else {
    print_report(help_text(line.arguments, *line.labs));
  }
  return ExitCode::ok;
}

}  // namespace

extern const Command help{
    .name = "help",
    .positionals = {{"LAB|COMMAND|TERM", "", true}},
    .help = "what can be asked for; with LAB or COMMAND its options, as --help; a TERM explained",
    .usage = usage_of_help,
    .run = run_help,
};

}  // namespace gpulab::command
