#pragma once
// What an assignment of the kind "program" asks of a whole program: cases (arguments, standard input, files), what its
// output has to be, what it may take of the machine.
//
//   assignment.json --read_program()--> ProgramPart: cases that everybody may see
//   hidden cases' own file ------------> the same, which stays with the instructor
//   files that cases name --load()-----> their contents

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace gpulab {

class JsonReader;

/// How an output is compared with what is expected.
struct OutputRule {
  enum class By : std::uint8_t { exact, numbers, checker };
  By by = By::exact;
  bool space_counts = false;          ///< exact: white space at the ends of lines, empty lines at the end
  double absolute = 0, relative = 0;  ///< numbers: within the larger of both
  std::string checker{};              ///< path of the instructor's program
};

struct ProgramCase {
  std::string name;
  bool is_hidden = false;
  std::vector<std::string> arguments{};
  std::string input{};                                       ///< path of its standard input; empty: there is none
  std::vector<std::pair<std::string, std::string>> files{};  ///< beside the program: name, path
  std::string expected{};                                    ///< path; empty: the checker knows without
  std::string result{};  ///< a file that the program writes, and that is judged; empty: standard output
  int exit_code = 0;
  OutputRule rule{};
};

struct ProgramPart {
  std::vector<std::string> files{};  ///< of a submission, beside the one that kernels are taken from
  std::vector<std::string> nvcc{};   ///< words for the compiler
  bool trusts_host = false;          ///< what the program's process reports may give points
  std::int64_t seconds = 10;         ///< CPU time of a case
  std::int64_t memory_mib = 1024, output_kib = 256;
  std::vector<ProgramCase> cases{};  ///< visible ones first
  std::string hidden_path{};         ///< of the file with hidden cases; empty: there are none
  bool lacks_hidden = false;         ///< that file is not on this machine: students do not have it

  [[nodiscard]] const ProgramCase* find(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names(bool hidden) const;
};

/// What the files of a case hold.
struct LoadedCase {
  std::string input, expected;
  std::vector<std::pair<std::string, std::string>> files;
};

/// Of the assignment's own object. Throws usage_error.
[[nodiscard]] ProgramPart read_program(const JsonReader& reader, const std::string& path);

/// Throws usage_error: a file is not there, is no regular file, or is too long.
[[nodiscard]] LoadedCase load(const ProgramCase& one, const std::string& assignment);

/// Of all that decides: contents of the files of cases, hidden ones included, and checkers. Throws as load(), and where
/// hidden cases are missing.
[[nodiscard]] std::string digest_of(const ProgramPart& program, const std::string& assignment);

}  // namespace gpulab
