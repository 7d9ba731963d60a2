#pragma once
// All that can be typed, as a shell's completion needs it: commands, what their arguments and options can be.

#include <string>
#include <vector>

#include "labs/lab.h"
#include "runner/command.h"

namespace gpulab {

struct KnownWord {
  std::string text;
  std::string help{};
  bool operator==(const KnownWord&) const = default;
};

/// An option, the same in all of its contexts.
struct KnownOption {
  std::string name;  ///< with dashes: "--variant", "-I"
  std::string help;
  std::string value;  ///< as --help calls it; empty: a flag
  std::string_view heading;
  std::vector<KnownWord> words{};  ///< what its value can be; empty: nothing is known of it
  bool is_file = false;            ///< a file or a folder
  bool is_list = false;            ///< words with commas between them
  bool optional_value = false;     ///< of a switch
  std::vector<std::string> contexts{};
};

/// A command, "reduce", "explain"; or a command and the lab that it is told, "explain reduce".
struct Context {
  std::string name;
  std::vector<KnownWord> words;  ///< what its arguments can be
  bool takes_files = false;
};

struct Vocabulary {
  std::vector<KnownWord> labs, commands;  ///< in the order of --help
  std::vector<Context> contexts;
  std::vector<KnownOption> options;
};

[[nodiscard]] Vocabulary vocabulary(const std::vector<Lab>& labs);

}  // namespace gpulab
