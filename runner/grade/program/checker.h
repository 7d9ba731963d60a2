#pragma once
// An instructor's program that says of an output whether it is right. It is confined as strangers' programs are, for it
// reads what they wrote.
//
// It is started in a folder of its own as `CHECKER output expected input`: three files there, what the student's
// program printed (or wrote), what the case expects (empty where it names nothing), the case's standard input; the
// case's files lie beside. Exit code 0: right; 1: wrong, and the first line that it prints says why, in a sentence for
// students. Whatever else it does means that it is broken, and is nobody's fault but ours.

#include <string>

#include "runner/grade/input/program_part.h"

namespace gpulab {

struct CheckerAnswer {
  std::string wrong{};    ///< its sentence; empty: right
  std::string trouble{};  ///< why it has not said anything
};

/// How a checker is started.
struct Checker {
  std::string program{};  ///< what is run: a program, or Python's interpreter
  std::string script{};   ///< of Python's; empty: none
  std::vector<std::string> readable{};
  std::string trouble{};  ///< why it cannot be
};

/// Builds the one at `path` in `folder`, which stays. We are in that folder while it is built.
[[nodiscard]] Checker prepare_checker(const std::string& path, const std::string& folder, bool isolated);

[[nodiscard]] CheckerAnswer ask(const Checker& checker, const LoadedCase& one, const std::string& output,
                                bool isolated);

}  // namespace gpulab
