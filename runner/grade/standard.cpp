#include "runner/grade/standard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "common/gpu_profile.h"
#include "runner/execution/open_device.h"
#include "runner/judge/key_class.h"
#include "runner/judge/rung_counts.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

void add(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const auto& one : more)
    if (!std::ranges::count(all, one)) all.push_back(one);
}

bool compares_with(const Assignment& assignment, std::string_view rung) {
  for (const auto& item : assignment.items)
    for (const auto& one : item.requirements)
      if (!is_of_programs(item.kind) && one.rung == rung) return true;
  return false;
}

std::optional<Scalar> type_named(const Contract& contract, const std::string& name) {
  for (const auto& types : {contract.types, contract.more_types})
    for (const auto type : types)
      if (cpp_name_of(type) == name) return type;
  return std::nullopt;
}

/// Why a reference is of no use; empty: it is.
std::string flaw_of(const Facts& facts) {
  for (const auto* problem : {&facts.uncompiled, &facts.no_kernel, &facts.wrong_at_reference})
    if (!problem->empty()) return *problem;
  for (const auto& one : facts.classes)
    if (!one.right) return fmt::format("class '{}': {}", one.name, one.reason);
  for (const auto& one : facts.hidden)
    if (!one.right) return fmt::format("class '{}' of the key", one.name);
  return {};
}

}  // namespace

namespace {

/// What is shown of a program beside the counters that items name.
constexpr std::array shown_counters{"warp_instructions", "global_load_sectors", "global_store_sectors"};

ProgramQuestions program_questions(const Assignment& assignment) {
  ProgramQuestions made{.assignment = assignment.path, .text = assignment.text};
  for (const auto& item : assignment.items) {
    if (item.kind != ItemKind::reported) continue;
    add(made.tools, item.tools);
    for (const auto& one : item.requirements) add(made.counters, {one.counter});
  }
  add(made.counters, {shown_counters.begin(), shown_counters.end()});
  return made;
}

/// Of a program none of whose kernels is judged by itself.
Questions questions_without_kernel(const std::string& secret) {
  Questions made;
  made.trials.hidden.emplace(HiddenTrials{secret, {}});
  return made;
}

Questions kernel_questions(const Assignment& assignment, const std::string& secret) {
  Questions made{.lab = assignment.lab->name,
                 .contract = assignment.contract->name,
                 .launches = assignment.launches,
                 .every_launch = assignment.contract->every_launch,
                 .trials = {}};
  std::vector<std::string> hidden;
  made.trials.classes = {all_classes(*assignment.contract).front().name};  // nothing is right that is not right there
  for (const auto& item : assignment.items) {
    if (is_of_programs(item.kind)) continue;
    add(made.trials.classes, item.visible);
    add(hidden, item.hidden);
    for (const auto& one : item.requirements) {
      add(made.counters, {one.counter});
      if (!is_modelled_time(one.counter)) continue;
      add(made.counters, {"model.low_ms", "model.high_ms"});
      made.model = true;
    }
    made.trials.counts |= !item.requirements.empty() || item.kind == ItemKind::speed;
  }
  // What everybody may see is judged on the key's inputs, too: answers to those cannot be written down beforehand.
  auto all = made.trials.classes;
  add(all, hidden);
  made.trials.hidden.emplace(HiddenTrials{secret, all});
  return made;
}

}  // namespace

Questions questions_of(const Assignment& assignment, const std::string& secret) {
  auto made = assignment.contract != nullptr ? kernel_questions(assignment, secret) : questions_without_kernel(secret);
  if (!assignment.program) return made;
  made.program = program_questions(assignment);
  made.program->digest = digest_of(*assignment.program, assignment.path);
  return made;
}

Assignment public_part(Assignment assignment) {
  std::erase_if(assignment.items, &AssignmentItem::is_hidden);
  return assignment;
}

Questions public_questions(const Assignment& assignment) {
  auto made = assignment.contract != nullptr ? kernel_questions(assignment, {}) : questions_without_kernel({});
  made.trials.hidden.reset();
  if (!assignment.program) return made;
  made.program = program_questions(assignment);
  made.program->hidden = false;
  return made;
}

Facts judge_file(const Questions& questions, const std::string& path) {
  return judge_in_child(questions, std::filesystem::path(path).filename().string(), read_source(path, "assignment"));
}

Measured measured_in(const CountFact& count, const std::string& counter) {
  const auto value_of = [&](const std::string& name) {
    const auto found = count.values.find(name);
    return found != count.values.end() ? std::optional(found->second) : std::nullopt;
  };
  return is_modelled_time(counter) ? measured_time(counter, value_of, count.model_problem)
                                   : Measured{.value = value_of(counter)};
}

Standard::Standard(const Assignment& assignment, const Questions& questions)
    : assignment_(assignment), questions_(questions) {
  if (!compares_with(assignment, reference_rung)) return;
  std::error_code failed;
  if (is_public() && !std::filesystem::exists(assignment.reference, failed)) return;
  auto untimed = questions;
  untimed.trials.timed.clear();  // rungs are what submissions are timed beside
  untimed.program.reset();       // nothing is compared with how the reference's program runs
  reference_ = judge_file(untimed, main_file(assignment, assignment.reference));
  if (reference_->was_killed || reference_->is_late())
    reference_ = judge_file(untimed, main_file(assignment, assignment.reference));
  if (!reference_->trouble.empty() || reference_->is_late())
    throw Error(
        ExitCode::launch_failed,
        fmt::format("the reference could not be judged: {}",
                    reference_->trouble.empty() ? "it met the backstop of the wall clock" : reference_->trouble),
        assignment.reference, "does this machine have enough memory, and nothing else to do?");
  if (const auto flaw = flaw_of(*reference_); !flaw.empty()) throw WrongReference(assignment, flaw);
}

Measured Standard::value(const std::string& rung, const std::string& counter, const std::string& type, bool hidden) {
  if (rung == reference_rung) return of_reference(counter, type, hidden);
  const std::lock_guard lock(mutex_);
  const auto& result = counted(rung, type, hidden);
  return measured_with_reason(result, counter);
}

/// Of the same type; a reference of another one still says how work is spread.
Measured Standard::of_reference(const std::string& counter, const std::string& type, bool hidden) const {
  if (!reference_) return {{}, "the reference solution is not on this machine"};
  const CountFact* found = nullptr;
  for (const auto& one : reference_->counts)
    if (one.hidden == hidden && (found == nullptr || one.type == type)) found = &one;
  return found != nullptr ? measured_in(*found, counter) : Measured{};
}

const Result& Standard::counted(const std::string& rung, const std::string& type, bool hidden) {
  const auto key = std::tuple(rung, type, hidden);
  if (const auto known = rungs_.find(key); known != rungs_.end()) return known->second;
  if (!simulator_) {
    MachineOptions machine;
    if (!questions_.profile.empty()) machine.profile = questions_.profile;
    machine.counters = true;
    machine.model = questions_.model;
    simulator_ = open_simulator(machine);
  }
  const auto& info = simulator_->info();
  const auto& contract = *assignment_.contract;
  RungPoint at{.point = contract.reference, .type = type_named(contract, type), .place = {}};
  if (hidden) {  // never where all is public: there is no key
    const auto& secret = questions_.trials.hidden->secret;
    at.point = key_point(contract, secret);
    at.seed = seed_of(secret, questions_.lab);
  }
  at.place = {info.sm_count, info.profile.empty() ? nullptr : &gpu_profile(info.profile)};
  return rungs_.emplace(key, count_rung(*simulator_, *assignment_.lab, contract, rung, at)).first->second;
}

}  // namespace gpulab
