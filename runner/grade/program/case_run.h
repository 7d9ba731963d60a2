#pragma once
// One run of a stranger's program, confined: a folder of its own, standard input, limits; what it printed.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/cuda_api/record.h"
#include "runner/program/lent_libraries.h"

namespace gpulab {

struct CaseRequest {
  std::string program;  ///< a path; what lies beside it may be read, too
  std::vector<std::string> arguments{};
  LibraryNeeds needs{};
  std::vector<std::string> readable{};  ///< places beyond those that every program may read
  std::string input{};
  std::vector<std::pair<std::string, std::string>> files{};  ///< in its folder: name, bytes
  std::string result{};                                      ///< a file there that is asked for; empty: none
  cuda_api::Options options{};
  std::chrono::seconds cpu{10};               ///< of all its processes together
  std::chrono::milliseconds wall{60'000};     ///< a backstop
  std::uint64_t memory = 0, most_output = 0;  ///< bytes
  bool isolated = true;
};

struct CaseRun {
  enum class End : std::uint8_t { itself, cpu, idle, wall, output, limit };
  End end = End::itself;
  std::string limit{};  ///< which, in words
  int exit_code = 0;    ///< where it ended by itself; 128 + N where signal N ended it
  int signal = 0;
  std::string output{}, errors{};       ///< standard output, and the beginning of standard error
  std::optional<std::string> result{};  ///< what the file holds; nothing: there is no such regular file
  bool result_too_long = false;
  std::optional<cuda_api::Record> record{};  ///< a stranger's word; nothing: its process left none
};

/// Runs it to its end. Throws Error: it cannot be started, or we are interrupted.
[[nodiscard]] CaseRun run_case(const CaseRequest& request);

/// A regular file of a folder that strangers could write to, whole; no link is followed, nothing is waited for.
/// Nothing: there is none, or (`too_long`) it has more than `most` bytes.
[[nodiscard]] std::optional<std::string> regular_file(int folder, const std::string& name, std::uint64_t most,
                                                      bool& too_long);

}  // namespace gpulab
