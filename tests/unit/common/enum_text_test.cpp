#include "common/enum_text.h"

#include <set>

#include "common/finding.h"
#include "common/launch_error.h"
#include "runner/case/result.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

template <SpelledOut E>
void each_word_is_its_value(E last) {
  std::set<std::string_view> words;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
    const auto value = static_cast<E>(i);
    CAPTURE(to_text(value));
    CHECK(words.insert(to_text(value)).second);
    CHECK(from_text<E>(to_text(value)) == value);
  }
  CHECK(words.size() == words_of(last).size());
  CHECK_FALSE(from_text<E>("no such word"));
  CHECK_FALSE(from_text<E>(""));
}

}  // namespace

TEST_CASE("every value of an enum that is spelled out has a word, which stands for it alone") {
  each_word_is_its_value(CaseStatus::error);
  each_word_is_its_value(VerificationStatus::failed);
  each_word_is_its_value(TimeSource::cpu_wall);
  each_word_is_its_value(CacheState::warm);
  each_word_is_its_value(LaunchFailure::out_of_memory);
  each_word_is_its_value(Severity::note);
}

TEST_CASE("the words are those of the documents") {
  CHECK(to_text(CaseStatus::ok) == "ok");
  CHECK(to_text(CaseStatus::interrupted) == "interrupted");
  CHECK(to_text(VerificationStatus::not_run) == "not_run");
  CHECK(to_text(TimeSource::cpu_wall) == "cpu_wall");
  CHECK(to_text(CacheState::cold) == "cold");
  CHECK(to_text(LaunchFailure::out_of_memory) == "out_of_memory");
  CHECK(to_text(Severity::warning) == "warning");
}
