#pragma once
// Report formats. Each is one file runner/report/formats/NAME.cpp, which defines `extern const Format NAME` in this
// namespace; the build finds it there, and options, --help and errors name it. A format says how it writes each kind of
// document, and leaves out what it cannot: a command takes the formats that can write what it reports.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/cuda_api/program_run.h"
#include "common/error.h"
#include "runner/case/judgement.h"
#include "runner/case/result.h"
#include "runner/report/comparison.h"
#include "runner/report/explain_view.h"

namespace gpulab {

/// How the reader shows text: colours only on a terminal without NO_COLOR.
struct Style {
  bool color = false;
  std::size_t width = 100;    ///< columns that lines may take
  bool printed_seen = false;  ///< the reader has seen on the same terminal what kernels printed, as it came
};

/// Writes a document of one kind.
template <typename Document>
using Writer = std::string (*)(const Document& document, const Style& style);

struct Format {
  std::string_view name, summary;
  Writer<Run> run = nullptr;                  ///< the results of a lab or a file
  Writer<ExplainView> explanation = nullptr;  ///< a kernel, line by line
  Writer<Judgement> check = nullptr;          ///< a student's kernel against a contract
  Writer<ProgramRun> program = nullptr;       ///< a whole program
  Writer<Comparison> comparison = nullptr;    ///< results beside those of before, kernels beside each other
  /// An error that ended all: on standard output, for whoever reads it by machine (people read standard error).
  std::string (*error)(const Error& error) = nullptr;
};
using Formats = std::vector<const Format*>;

/// Every format; the table first, then by name.
[[nodiscard]] std::span<const Format* const> formats();

/// Those that can write such a document: formats_for(&Format::explanation).
template <typename Document>
[[nodiscard]] Formats formats_for(Writer<Document> Format::*document) {
  Formats able;
  for (const auto* format : formats())
    if (format->*document != nullptr) able.push_back(format);
  return able;
}

/// One of the `able`. Throws usage_error, in which `command` has no such format, or nobody has.
[[nodiscard]] const Format& find_format(std::string_view name, const Formats& able, std::string_view command);

}  // namespace gpulab
