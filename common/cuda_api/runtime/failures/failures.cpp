#include "common/cuda_api/runtime/failures/failures.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "common/cuda_api/runtime/failures/driver_words.h"
#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::size_t kMostPlaces = 100;
constexpr std::uint64_t kMostWalks = 1000;  ///< up the stack; a loop that always fails is not slowed down for ever

/// Of a thread: the failure that cudaGetLastError would tell it of, and the number of the chain that it belongs to.
struct Unlooked {
  std::optional<std::size_t> last;
  std::uint64_t chain = 0;
};
Unlooked& unlooked() {
  thread_local Unlooked mine;
  return mine;
}

}  // namespace

CallFailure* Failures::failure_at(Record& record, const char* function, const void* caller) {
  const std::pair<std::string, const void*> address{function, caller};
  if (walks_ >= kMostWalks) {
    const auto found = by_address_.find(address);
    return found == by_address_.end() ? nullptr : &record.failures[found->second];
  }
  ++walks_;
  const std::string place = Session::place_in_program(caller);
  const auto [known, fresh] = known_.emplace(fmt::format("{} {}", function, place), record.failures.size());
  by_address_[address] = known->second;
  if (!fresh) return &record.failures[known->second];
  if (record.failures.size() >= kMostPlaces) {
    by_address_.erase(address);
    known_.erase(known);
    return nullptr;
  }
  CallFailure& made = record.failures.emplace_back();
  made.function = function;
  made.caller = place;
  made.count = 0;
  return &made;
}

void Failures::end(Record& record, const char* function, cudaError_t error, const void* caller) {
  if (--depth_ > 0 || error == cudaSuccess || error == cudaErrorNotReady) return;
  Unlooked& mine = unlooked();
  mine.last.reset();  // the last error is another now
  const bool may_follow = reason_.why.empty() || reason_.why.find("null pointer") != std::string::npos;
  if (told_ || (ours_ && may_follow)) return;
  CallFailure* failure = failure_at(record, function, caller);
  if (failure == nullptr) return;
  if (mine.chain == 0) mine.chain = ++chains_;
  if (failure->count++ == 0 || failure->looked) {
    failure->chain = mine.chain;
    failure->error = error_name(function, error);
    failure->error_text = cudaGetErrorString(error);
    failure->why = in_words_of(function, reason_.why);
    failure->remedy = in_words_of(function, reason_.remedy);
    failure->certain = reason_.certain;
    failure->follows = reason_.follows || reason_.why.empty();
  }
  failure->looked = false;
  mine.last = static_cast<std::size_t>(failure - record.failures.data());
}

void Failures::may_fail(Record& record, const char* function, cudaError_t error, Reason reason, const void* caller) {
  CallFailure* failure = failure_at(record, function, caller);
  if (failure == nullptr || failure->count++ > 0) return;
  failure->chain = ++chains_;
  failure->error = error_name(function, error);
  failure->error_text = cudaGetErrorString(error);
  failure->why = in_words_of(function, std::move(reason.why));
  failure->remedy = in_words_of(function, std::move(reason.remedy));
}

void Failures::attribute_was_needed(Record& record) {
  for (auto& failure : record.failures) failure.launch_failed |= failure.function == "cudaFuncSetAttribute";
}

void Failures::looked(Record& record) {
  Unlooked& mine = unlooked();
  if (mine.last && *mine.last < record.failures.size()) record.failures[*mine.last].looked = true;
  mine = {};
}

}  // namespace gpulab::cuda_api
