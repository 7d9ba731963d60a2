#pragma once
// The tools that are on for one simulated device, and what they share. The device hands `observers` to its launches and
// takes findings when it is asked for them.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/finding.h"
#include "common/simt/machine/observer.h"
#include "common/simt/observers/accusations.h"
#include "common/simt/observers/locator.h"
#include "common/simt/observers/touched/touch_recorder.h"
#include "common/simt/observers/values/undefined_values.h"

namespace gpulab::simt {

class Toolset {
 public:
  /// Throws Error (usage) where there is no tool of a name.
  explicit Toolset(const std::vector<std::string>& names);

  /// In the order in which they are to be told; none where no tool is on.
  [[nodiscard]] const std::vector<Observer*>& observers() const { return observers_; }
  /// Of all grids since the last call.
  [[nodiscard]] std::vector<Finding> take_findings() { return accusations_.take(); }
  /// Of the tool streamcheck; without it nothing is touched.
  [[nodiscard]] TouchRecorder& touched() { return touched_; }

 private:
  Locator locator_;
  Accusations accusations_;
  UndefinedValues values_{accusations_};
  TouchRecorder touched_;
  std::vector<std::unique_ptr<Observer>> tools_;
  std::vector<Observer*> observers_;
};

}  // namespace gpulab::simt
