#pragma once
// A log of SARIF 2.1.0 (OASIS Standard), with what code scanning of pull requests asks for.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/finding.h"
#include "runner/report/sarif/source_places.h"

namespace gpulab {

struct AlertPlace {
  std::string file;
  int line = 0;
  std::string message{};  ///< what happened there; empty for the place that the alert stands at
};

struct Alert {
  std::string rule;  ///< "racecheck", "fault"
  Severity severity = Severity::error;
  std::string message;
  std::vector<AlertPlace> at{};  ///< the first one in the checkout is where it stands
  std::uint64_t count = 1;
};

class SarifLog {
 public:
  explicit SarifLog(const std::vector<std::filesystem::path>& folders) : places_(folders) {}

  /// What has no line in the checkout becomes a notification of the run: an alert stands at a line.
  void add(Alert alert);
  SourcePlaces& places() { return places_; }
  /// `complete`: nothing kept the run from looking at all.
  [[nodiscard]] std::string text(bool complete) const;

 private:
  struct Result {
    Alert alert;
    std::vector<std::string> uris;  ///< of `alert.at`
    std::string fingerprint;
  };

  SourcePlaces places_;
  std::vector<Result> results_;
  std::vector<Alert> elsewhere_;
  std::map<std::string, int> alike_;  ///< of one rule, file and text of a line: how many
};

}  // namespace gpulab
