#pragma once
// What a program printed beside what is expected.

#include <string>

#include "runner/grade/input/program_part.h"

namespace gpulab {

/// In a sentence, the first difference, with the line; empty: there is none. `rule` is not a checker's.
///
/// `exact`: line by line; unless white space counts, blanks at the ends of lines, empty lines at the end and the
/// carriage returns of other systems are nothing. `numbers`: word by word, whatever white space is between; words that
/// are numbers on both sides may differ by `absolute`, or by `relative` times what is expected. NaN is right where NaN
/// is expected and nowhere else, an infinity likewise.
[[nodiscard]] std::string difference(const std::string& expected, const std::string& got, const OutputRule& rule);

}  // namespace gpulab
