#pragma once
// What came of a program's cases. Of hidden ones there is right or wrong, and nothing else.

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

namespace gpulab {

struct CaseFact {
  std::string name;
  bool hidden = false, right = false;
  bool launched = false;  ///< a kernel, as its process reports
  bool ended = false;     ///< by itself, and by no signal
  bool late = false;      ///< met the backstop of the wall clock
  std::string reason{};   ///< of a visible one that is wrong
};

/// What the program's process told of a visible case: it can tell what it likes.
struct ReportedCase {
  std::string name;
  std::vector<std::pair<std::string, std::uint64_t>> kernels{};  ///< and how often each was launched
  std::vector<std::pair<std::string, std::string>> findings{};   ///< tool, message; of severity error
  std::map<std::string, double> counters{};                      ///< of all launches
  double time_ms = 0;                                            ///< modelled, of all launches; 0: not known
  std::string errors{};                                          ///< what it wrote to standard error
};

struct ProgramFacts {
  std::string uncompiled{};  ///< why it does not compile, or cannot run here
  std::string messages{};    ///< the compiler's
  std::string trouble{};     ///< ours: a checker that does not work
  std::vector<CaseFact> cases{};
  std::vector<ReportedCase> reported{};

  [[nodiscard]] bool launches() const;          ///< a kernel, in any of its cases
  [[nodiscard]] bool launches_nothing() const;  ///< and all cases came to their end
  [[nodiscard]] bool is_late() const;
};

[[nodiscard]] nlohmann::json program_facts_json(const ProgramFacts& facts);
/// Throws nlohmann::json::exception.
[[nodiscard]] ProgramFacts program_facts_in(const nlohmann::json& json);

}  // namespace gpulab
