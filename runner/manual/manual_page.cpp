#include "runner/manual/manual_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "runner/command_line.h"
#include "runner/version.h"

namespace gpulab {
namespace {

/// Text that roff shows as it is: a dash is no hyphen, and no line begins with a control character.
std::string plain(std::string_view text) {
  std::string shown;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) shown += "\\&";
    line_begins = c == '\n';
    if (c == '\\')
      shown += "\\e";
    else if (c == '-')
      shown += "\\-";
    else if (c == '\'')
      shown += "\\(aq";
    else if (c == '`')
      shown += "\\(ga";
    else if (c == '^')
      shown += "\\(ha";
    else if (c == '~')
      shown += "\\(ti";
    else
      shown += c;
  }
  return shown;
}

/// A macro's argument: one word, whatever is in it.
std::string argument(std::string_view text) {
  std::string shown;
  for (const char c : plain(text)) shown += c == '"' ? "\\(dq" : std::string(1, c);
  return "\"" + shown + "\"";
}

std::string item(std::string_view tag, std::string_view value, std::string_view help) {
  const auto shown = value.empty() ? "" : fmt::format(" \\fI{}\\fR", plain(value));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", plain(tag), shown, plain(help));
}

/// Words below --help, whose lines and columns mean something.
std::string verbatim(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  while (!text.empty() && text.front() == '\n') text.remove_prefix(1);
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", plain(text));
}

bool among(const std::vector<std::string>& contexts, std::string_view name) {
  return std::ranges::find(contexts, name) != contexts.end();
}

/// The options that `chosen` holds for, under their headings.
template <typename Chosen>
std::string options_text(const Vocabulary& all, const Chosen& chosen, bool with_headings) {
  std::string text;
  std::vector<std::string_view> headings;
  for (const auto& option : all.options)
    if (chosen(option) && std::ranges::find(headings, option.heading) == headings.end())
      headings.push_back(option.heading);
  for (const auto heading : headings) {
    if (with_headings) text += fmt::format(".SS {}\n", argument(heading));
    for (const auto& option : all.options)
      if (chosen(option) && option.heading == heading) text += item(option.name, option.value, option.help);
  }
  return text;
}

/// In all labs, but for the words that it takes there: --variant.
bool of_all_labs(const KnownOption& option, const Vocabulary& all) {
  std::size_t labs = 0;
  for (const auto& other : all.options)
    if (other.name == option.name && other.help == option.help)
      labs += static_cast<std::size_t>(
          std::ranges::count_if(all.labs, [&](const KnownWord& lab) { return among(other.contexts, lab.text); }));
  return labs == all.labs.size();
}

std::string labs_text(const std::vector<Lab>& labs, const Vocabulary& all) {
  std::string text = ".SH LABS\n.B gpulab\n.I LAB\nruns a lab's variants, in the order of the lecture.\n";
  for (const auto& lab : labs) {
    text += fmt::format(".SS {}\n{}\n", argument(lab.name), plain(lab.question));
    text += options_text(
        all, [&](const KnownOption& o) { return among(o.contexts, lab.name) && !of_all_labs(o, all); }, false);
    std::string ladder;
    for (const auto& variant : lab.variants)
      ladder += fmt::format("{}\\fB{}\\fR", ladder.empty() ? "" : ",\n", plain(variant.name));
    text += fmt::format(".PP\nVariants:\n{}.\n", ladder);
  }
  text += ".SH OPTIONS OF ALL LABS\n";
  return text + options_text(
                    all,
                    [&](const KnownOption& o) {
                      const auto twin = std::ranges::find_if(all.options, [&](const KnownOption& other) {
                        return other.name == o.name && other.help == o.help;
                      });
                      return of_all_labs(o, all) && &*twin == &o;
                    },
                    true);
}

std::string commands_text(const Vocabulary& all) {
  std::string text = ".SH COMMANDS\n";
  for (const auto* command : commands()) {
    const std::string name(command->name);
    text += fmt::format(".SS {}\n\\fBgpulab {}\\fR", argument(name), plain(name));
    for (const auto& place : command->positionals)
      text += fmt::format(" {}\\fI{}\\fR{}{}", place.question.empty() ? "[" : "", plain(place.name),
                          place.repeats ? "..." : "", place.question.empty() ? "]" : "");
    if (!command->rest.empty()) text += fmt::format(" [\\-\\- \\fI{}\\fR]", plain(command->rest));
    text += fmt::format("\n.PP\n{}\n", plain(command->help));
    text += options_text(
        all, [&](const KnownOption& o) { return among(o.contexts, name); }, false);
    text += verbatim(usage_of(*command, nullptr).notes);
  }
  return text;
}

constexpr std::string_view ending = R"(.SH EXIT STATUS
.TP
.B 0
all is right
.TP
.B 1
a wrong answer, a finding, a requirement that is not met
.TP
.B 2
the request is wrong
.TP
.B 3
this machine lacks something
.TP
.B 4
a launch failed
.SH ENVIRONMENT
.TP
.B GPULAB_NVCC
the CUDA compiler for files of your own
.TP
.B GPULAB_COMPILED
auto (the default): kernels that run for long become machine code, where LLVM is installed; always: all, before they run; off
.TP
.B NO_COLOR
tables have no colours
.TP
.B COLUMNS
how wide tables are
.SH FILES
.TP
.I \(ti/.cache/gpulab
kernels of your own, compiled
.SH EXAMPLES
.nf
gpulab reduce \-\-variant warp \-\-block 256
gpulab explain reduce \-\-variant shared_strided
gpulab run scale.cu \-\-arg \(aqx:f32[1024]=iota\(aq \-\-sanitize all
.fi
.SH SEE ALSO
.BR nvcc (1)
)";

}  // namespace

std::string manual_page(const std::vector<Lab>& labs) {
  const auto all = vocabulary(labs);
  auto text = fmt::format(".TH GPULAB 1 \"\" {} \"User Commands\"\n", argument(fmt::format("gpulab {}", version())));
  text += ".SH NAME\ngpulab \\- teaching labs for GPU programming, on a GPU or on a simulator\n";
  text += ".SH SYNOPSIS\n.B gpulab\n.I LAB\n[options]\n.br\n.B gpulab\n.I COMMAND\n[options] [arguments]\n";
  text +=
      ".SH DESCRIPTION\nCUDA kernels from the lectures, run on an NVIDIA GPU or on a simulator that needs none, "
      "verified\n"
      "against the CPU, and explained by exact counters. The labs\\(aq kernels are in the program; for files of your\n"
      "own a CUDA compiler is needed.\n";
  return text + labs_text(labs, all) + commands_text(all) + std::string(ending);
}

}  // namespace gpulab
