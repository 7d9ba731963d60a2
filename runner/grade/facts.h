#pragma once
// What the process that judges a submission tells: facts, in words and numbers. What they are worth is said elsewhere
// (rubric.h).

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runner/case/judgement.h"
#include "runner/grade/program/program_facts.h"

namespace gpulab {

/// A class of inputs that everybody may see. Of hidden ones there is a HiddenClass.
struct ClassFact {
  std::string name;
  bool right = false, late = false;
  std::string reason{};  ///< of the first size that is wrong
};

struct FindingFact {
  std::string tool, message;
};

/// A kernel's counters at a size.
struct CountFact {
  std::string type;      ///< T of the kernel; empty: it has none
  bool hidden = false;   ///< at a size of the key
  bool is_right = true;  ///< there
  std::map<std::string, double> values{};
  std::string model_problem{};
};

struct Facts {
  std::string uncompiled{};  ///< why it does not compile; empty: it does
  std::string no_kernel{};   ///< why no kernel of it is judged
  std::string trouble{};     ///< ours: what kept it from being judged
  bool was_killed = false;   ///< the trouble is memory, perhaps: alone it may have enough
  std::string messages{};    ///< the compiler's
  std::vector<std::string> kernels{};
  std::string blocks{};          ///< as Judgement::blocks
  bool asks_for_blocks = false;  ///< as there
  std::string note{};            ///< what is odd about them: another contract's name
  std::vector<ClassFact> classes{};
  std::vector<HiddenClass> hidden{};
  std::string wrong_at_reference{};     ///< size; empty: right there, or not counted
  std::vector<FindingFact> findings{};  ///< of severity error
  std::vector<CountFact> counts{};
  std::vector<TimedRatio> timed{};
  std::vector<std::string> constructs{};
  std::string output{};  ///< what it printed
  std::uint64_t output_cut = 0;
  std::optional<ProgramFacts> program{};  ///< of an assignment of the kind "program"

  [[nodiscard]] bool is_late() const;  ///< something met the backstop of the wall clock
};

/// `counters`: what is kept of what was counted.
[[nodiscard]] Facts facts_of(const Judgement& judgement, const std::vector<std::string>& counters);

[[nodiscard]] nlohmann::json facts_json(const Facts& facts);
/// Throws nlohmann::json::exception.
[[nodiscard]] Facts facts_in(const nlohmann::json& json);

}  // namespace gpulab
