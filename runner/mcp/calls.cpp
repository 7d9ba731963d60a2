#include "runner/mcp/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/text.h"
#include "runner/mcp/answer.h"

namespace gpulab::mcp {
namespace {

constexpr std::chrono::seconds between_words{1};

double seconds(CallProcess::Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void Calls::take(const Message& message, Era era) {
  const auto& params = message.params;
  const auto name = params.find("name");
  if (name == params.end() || !name->is_string())
    return write_(error_line(message.id, {code::params, "tools/call: \"name\" is missing, or no string"}));
  Call call{.id = message.id, .arguments = params.value("arguments", Json::object()), .era = era};
  call.tool = find_tool(name->get<std::string>());
  if (call.tool == nullptr) {
    const auto given = visible(name->get<std::string>().substr(0, 80));
    return write_(error_line(message.id, {code::params, fmt::format("there is no tool '{}'", given)}));
  }
  if (!call.arguments.is_object())
    return write_(error_line(message.id, {code::params, "tools/call: \"arguments\" is no object"}));
  if (const auto meta = params.find("_meta"); meta != params.end() && meta->contains("progressToken")) {
    const auto& token = meta->at("progressToken");
    if (token.is_string() || token.is_number_integer()) call.progress_token = token;
  }
  try {
    check_arguments(*call.tool, call.arguments);
    if (call.tool->answer != nullptr)
      return answer(call, answer_of(call.tool->answer(call.arguments, surroundings_), surroundings_));
    if (waiting_.size() >= most_waiting)
      throw usage_error(fmt::format("{} calls wait already", most_waiting), "wait for an answer before the next call");
    call.invocation = call.tool->invocation(call.arguments, surroundings_);
  } catch (const Error& error) {
    return answer(call, error_answer(error));
  } catch (const std::exception& error) {  // a slip of a tool's ends no other call
    return answer(call, error_answer(usage_error(fmt::format("{}: {}", call.tool->name, error.what()),
                                                 "this is a fault of gpulab's")));
  }
  waiting_.push_back(std::move(call));
}

bool Calls::has(const Json& id) const {
  const auto is_it = [&](const Call& call) { return call.id == id; };
  return std::ranges::any_of(waiting_, is_it) || std::ranges::any_of(running_, is_it);
}

bool Calls::cancel(const Json& id) {
  const auto is_it = [&](const Call& call) { return call.id == id; };
  return std::erase_if(waiting_, is_it) + std::erase_if(running_, is_it) > 0;
}

void Calls::add_descriptors(std::vector<pollfd>& waiting) const {
  for (const auto& call : running_) call.process->add_descriptors(waiting);
}

int Calls::patience_ms() const {
  if (running_.empty()) return 1000;
  const bool ends = std::ranges::any_of(running_, [](const Call& call) { return call.process->streams_are_closed(); });
  return ends ? 2 : 50;  // whoever holds a stream of a process that has ended wakes nobody
}

void Calls::tell_progress(Call& call, bool at_once) const {
  const auto now = CallProcess::Clock::now();
  if (call.progress_token.is_null() || (!at_once && now < call.next_word)) return;
  call.next_word = now + between_words;
  const double age = call.process ? seconds(call.process->age()) : 0;
  if (age <= call.told) return;
  call.told = age;
  write_(notification_line("notifications/progress", {{"progressToken", call.progress_token},
                                                      {"progress", age},
                                                      {"message", fmt::format("{}: {:.0f} s", call.tool->name, age)}}));
}

bool Calls::start(Call& call) {
  try {
    call.process = std::make_unique<CallProcess>(call.invocation);
  } catch (const Error& error) {
    answer(call, error_answer(error));
    return true;
  }
  tell_progress(call, true);
  return false;
}

bool Calls::look_at(Call& call) {
  if (call.process->has_ended()) {
    answer(call, answer_of(*call.tool, call.arguments, call.process->end(), call.invocation.source, surroundings_));
    return true;
  }
  if (call.process->age() > options_.call_limit) {
    answer(call, error_answer(usage_error(
                     fmt::format("the call took more than {} s, and was ended", options_.call_limit.count()),
                     "a smaller size or grid takes less")));
    return true;
  }
  tell_progress(call, false);
  return false;
}

void Calls::look() {
  std::erase_if(running_, [this](Call& call) { return look_at(call); });
  while (running_.size() < options_.jobs && !waiting_.empty()) {
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    if (start(running_.back())) running_.pop_back();
  }
}

}  // namespace gpulab::mcp
