#include "runner/compare/odds.h"

#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("odds add up, are the same both ways, and grow with the distance of two modelled times") {
  for (const auto kind : {PairKind::foreign, PairKind::rungs}) {
    const auto& errors = ratio_errors(kind);
    CHECK(errors.pairs > 100);
    for (const int few : {0, 1, 2}) {
      double before = 0;
      for (const double ratio : {1.0, 1.02, 1.05, 1.1, 1.3, 1.5, 2.0, 4.0, 20.0}) {
        const auto odds = odds_of(errors, ratio, few, 0.05), back = odds_of(errors, 1 / ratio, few, 0.05);
        CHECK(odds.faster + odds.same + odds.slower == Catch::Detail::Approx(1));
        CHECK(back.faster == Catch::Detail::Approx(odds.slower));
        CHECK(back.low == Catch::Detail::Approx(1 / odds.high));
        CHECK(odds.slower >= before);
        CHECK(odds.low < ratio);
        CHECK(odds.high > ratio);
        before = odds.slower;
      }
      CHECK(before < 0.99995);  // there are blunders
    }
  }
}

TEST_CASE("nine of ten errors stay between low and high") {
  const auto& errors = ratio_errors(PairKind::foreign);
  const auto odds = odds_of(errors, 2, 0, 0.05);
  const auto beyond = odds_of(errors, 2, 0, odds.high - 1);  // slower than by high is one of twenty
  CHECK(beyond.slower == Catch::Detail::Approx(0.05).margin(0.001));
}

TEST_CASE("foreign kernels are told apart at twice the time, and not at a tenth more") {
  const auto& errors = ratio_errors(PairKind::foreign);
  CHECK(odds_of(errors, 2, 0, 0.05).slower > errors.sure);
  CHECK(odds_of(errors, 1.1, 0, 0.05).slower < errors.sure);
}

TEST_CASE("of kernels with fewer blocks than the GPU has SMs one is less sure, and of two of them still less") {
  const auto& errors = ratio_errors(PairKind::foreign);
  const auto none = odds_of(errors, 1.5, 0, 0.05), one = odds_of(errors, 1.5, 1, 0.05),
             both = odds_of(errors, 1.5, 2, 0.05);
  CHECK(one.slower < none.slower);
  CHECK(both.slower < one.slower);
  CHECK(both.high > one.high);
}

TEST_CASE("rungs of one lab are told apart at 1.3 times") {
  const auto& errors = ratio_errors(PairKind::rungs);
  CHECK(odds_of(errors, 1.3, 0, 0.05).slower > errors.sure);
  CHECK(odds_of(errors, 1.1, 0, 0.05).slower < errors.sure);
}
