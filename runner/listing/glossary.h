#pragma once
// Words of the field in a sentence or two: for `gpulab help TERM`, agents, and the page configs/glossary.md.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "labs/lab.h"

namespace gpulab {

struct Term {
  std::string_view name;     ///< "bank conflict"
  std::string_view also;     ///< other names, with commas
  std::string_view meaning;  ///< sentences
  std::string_view see;      ///< what shows it: commands, counters, with commas; empty: nothing does by itself
};

/// By name.
[[nodiscard]] std::span<const Term> glossary();

struct TermMeaning {
  std::string name, kind;  ///< kind: "term", "counter", "metric", "lab"
  std::string meaning;
  std::vector<std::string> see;
};

/// Of a term, of a counter or metric by our name, ncu's or nvprof's, of a lab. Capitals, dashes and a plural do not
/// matter. Throws usage_error, which names what is near.
[[nodiscard]] TermMeaning meaning_of_term(std::string_view word, std::span<const Lab> labs);
/// Is there one?
[[nodiscard]] bool has_meaning(std::string_view word, std::span<const Lab> labs);

/// The glossary as a page in Markdown.
[[nodiscard]] std::string glossary_page();

}  // namespace gpulab
