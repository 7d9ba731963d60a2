#include "runner/grade/judging_child.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/child/interrupt.h"
#include "common/child/killed.h"
#include "common/error.h"
#include "common/hex.h"
#include "labs/registry.h"
#include "runner/execution/child_process.h"
#include "runner/grade/input/assignment.h"
#include "runner/grade/program/program_judging.h"
#include "runner/judge/kernel_search/launch_choice.h"

namespace gpulab {
namespace {

using Json = nlohmann::json;

/// `gpulab --judge-submission`: hidden.
constexpr std::string_view process_argument = "--judge-submission";
/// Of this process, which computes answers; its children have limits of their own (JudgingLimits).
constexpr std::chrono::seconds most_cpu{300};
constexpr std::uint64_t most_memory = std::uint64_t{1} << 30;
/// A program's own limit is the assignment's, and no process may raise what the one before it has.
constexpr std::uint64_t most_memory_of_programs = std::uint64_t{32} << 30;
/// A backstop: all limits of its children together.
constexpr std::chrono::minutes longest{30};
/// CPU time of a process that simulates a submission's launches. Budgets of work end a launch long before.
constexpr std::chrono::seconds most_simulated{20};

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json program_json(const ProgramQuestions& program, const SourceFiles& others) {
  Json files = Json::array();
  for (const auto& [name, text] : others) files.push_back({name, hex_of(text)});
  return {{"assignment", program.assignment},
          {"text", hex_of(program.text)},
          {"hidden", program.hidden},
          {"tools", program.tools},
          {"counters", program.counters},
          {"alone", program.alone},
          {"others", files}};
}

Json request_json(const Questions& questions, const std::string& file, const std::string& source,
                  const SourceFiles& others) {
  Json hidden;
  if (questions.trials.hidden)
    hidden = {{"secret", hex_of(questions.trials.hidden->secret)}, {"classes", questions.trials.hidden->classes}};
  Json timed = Json::array();
  for (const auto& one : questions.trials.timed) {
    Json size = Json::object();  // sizes are whole numbers
    for (const auto& [name, value] : one.size)
      if (const auto* number = std::get_if<std::int64_t>(&value)) size[name] = *number;
    timed.push_back({one.rung, size});
  }
  return {{"lab", questions.lab},
          {"contract", questions.contract},
          {"launches", questions.launches},
          {"every_launch", questions.every_launch},
          {"file", file},
          {"source", hex_of(source)},
          {"classes", questions.trials.classes},
          {"hidden", hidden},
          {"counts", questions.trials.counts},
          {"timed", timed},
          {"counters", questions.counters},
          {"model", questions.model},
          {"profile", questions.profile},
          {"isolated", questions.isolated},
          {"backstop_ms", questions.backstop.count()},
          {"program", questions.program ? program_json(*questions.program, others) : Json()}};
}

/// With the blocks that the assignment chooses.
Contract asked_contract(const Lab& lab, const Json& asked) {
  const auto& contract = *std::ranges::find(lab.contracts, asked.at("contract").get<std::string>(), &Contract::name);
  return with_launches(contract, asked.at("launches"), asked.at("every_launch"));
}

ProgramFacts judged_program(const Json& asked, const std::vector<Lab>& labs) {
  const auto& of_program = asked.at("program");
  const auto assignment =
      parse_assignment(bytes_of_hex(of_program.at("text").get<std::string>()), of_program.at("assignment"), labs);
  ProgramJudging judging{.program = assignment.program.get(), .assignment = assignment.path};
  // What a file is called in its folder is the assignment's word, and else its own, without what no compiler takes.
  const auto file = assignment.file.empty() ? std::string("program.cu") : assignment.file;
  judging.sources.emplace_back(file, bytes_of_hex(asked.at("source").get<std::string>()));
  for (const auto& one : of_program.at("others"))
    judging.sources.emplace_back(one.at(0), bytes_of_hex(one.at(1).get<std::string>()));
  judging.tools = of_program.at("tools");
  judging.counters = of_program.at("counters");
  judging.profile = asked.at("profile");
  judging.hidden = of_program.at("hidden");
  judging.isolated = asked.at("isolated");
  judging.alone = of_program.at("alone");
  return judge_program(judging);
}

Facts judged_kernel(const Json& asked, const std::vector<Lab>& labs) {
  const auto lab = std::ranges::find(labs, asked.at("lab").get<std::string>(), &Lab::name);
  const auto contract = asked_contract(*lab, asked);
  JudgeRequest request;
  request.lab = &*lab;
  request.contract = &contract;
  request.file = asked.at("file");
  request.source = bytes_of_hex(asked.at("source").get<std::string>());
  request.profile = asked.at("profile");
  request.model = asked.at("model");
  request.isolated = asked.at("isolated");
  request.limits.wall = std::chrono::milliseconds(asked.at("backstop_ms").get<std::int64_t>());
  request.limits.cpu = most_simulated;
  request.grade.emplace(GradeTrials{.classes = asked.at("classes"), .counts = asked.at("counts")});
  for (const auto& one : asked.at("timed")) {
    auto& question = request.grade->timed.emplace_back(TimedQuestion{.rung = one.at(0), .size = {}});
    for (const auto& [name, value] : one.at(1).items()) question.size[name] = value.get<std::int64_t>();
  }
  if (const auto& hidden = asked.at("hidden"); !hidden.is_null())
    request.grade->hidden.emplace(
        HiddenTrials{bytes_of_hex(hidden.at("secret").get<std::string>()), hidden.at("classes")});
  return facts_of(judge(request), asked.at("counters"));
}

std::string line_from(int socket) {
  std::string line;
  std::array<char, 65536> chunk;
  for (ssize_t length = 0; (length = recv(socket, chunk.data(), chunk.size(), 0)) > 0;) {
    line.append(chunk.data(), static_cast<std::size_t>(length));
    if (line.ends_with('\n')) break;
  }
  return line;
}

void send_line(int socket, std::string text) {
  text += '\n';
  for (std::string_view rest = text; !rest.empty();) {
    const auto sent = send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

Facts judged(const Json& asked) {
  const auto labs = all_labs();
  Facts made;
  if (asked.at("lab") != "") made = judged_kernel(asked, labs);
  if (asked.at("program").is_null()) return made;
  made.program = judged_program(asked, labs);
  if (made.trouble.empty()) made.trouble = made.program->trouble;
  if (made.messages.empty()) made.messages = made.program->messages;
  return made;
}

/// What keeps us from judging is ours: nothing that a submission does throws (judge.h).
Json answer(const std::string& line) {
  Facts trouble;
  try {
    return facts_json(judged(Json::parse(line)));
  } catch (const Killed& error) {
    trouble.trouble = error.what();
    trouble.was_killed = true;
  } catch (const Error& error) {
    if (error.code == ExitCode::missing)
      return {{"missing", {{"what", error.what()}, {"where", error.where}, {"hint", error.hint}}}};
    trouble.trouble = error.what();
  } catch (const std::exception& error) {
    trouble.trouble = error.what();
  }
  return facts_json(trouble);
}

Facts in_trouble(std::string why) {
  Facts made;
  made.trouble = std::move(why);
  return made;
}

}  // namespace

Facts judge_in_child(const Questions& questions, const std::string& file, const std::string& source,
                     const SourceFiles& others) {
  ChildPlan plan{.command = {"/proc/self/exe", std::string(process_argument)}};
  plan.limits.cpu = most_cpu;
#if !defined(__SANITIZE_ADDRESS__)  // its shadow is most of the address space
  // The processes that use a GPU inherit the limit, and its driver takes what it wants.
  if (questions.trials.timed.empty())
    plan.limits.data_bytes = questions.program ? most_memory_of_programs : most_memory;
#endif
  ChildProcess child(plan);
  const auto answer = child.ask(dumped(request_json(questions, file, source, others)), longest, interrupted);
  if (answer.outcome == ChildProcess::Outcome::interrupted) throw Error(ExitCode::interrupted, "interrupted");
  if (answer.outcome == ChildProcess::Outcome::late) return in_trouble("judging it took more than half an hour");
  if (answer.outcome == ChildProcess::Outcome::ended) {
    const auto end = child.end();
    if (!says_killed(end)) return in_trouble("the process that judges it " + end);
    auto made = in_trouble(Killed("the process that judges it").what());
    made.was_killed = true;
    return made;
  }
  try {
    const auto json = Json::parse(answer.line);
    if (json.contains("missing")) {
      const auto& missing = json.at("missing");
      throw Error(ExitCode::missing, missing.at("what").get<std::string>(), missing.at("where"), missing.at("hint"));
    }
    return facts_in(json);
  } catch (const Json::exception&) {
    return in_trouble("the process that judges it gave no answer");
  }
}

void judge_submission_if_asked(int argc, const char* const* argv) {
  if (argc != 2 || argv[1] != process_argument) return;
  send_line(ChildProcess::socket_in_child, dumped(answer(line_from(ChildProcess::socket_in_child))));
  std::fflush(nullptr);
  std::_Exit(0);  // no search for leaks (ASan): children may run yet
}

}  // namespace gpulab
