#include "runner/execution/stepped_case.h"

#include <utility>

namespace gpulab {

void prepare_for_steps(MachineOptions& machine, TraceWindow window) {
  machine.counters = true;
  machine.model_where_known = true;  // when instructions issue
  machine.threads = 1;
  machine.trace = std::move(window);
}

TraceView view_of_steps(const Lab& lab, const Variant& variant, const Executor& simulator, const Result& result) {
  TraceView view;
  view.device = simulator.info();
  view.lab = lab.file ? "" : lab.name;
  view.file = lab.file ? lab.file->file.file : "";
  view.question = lab.question;
  view.result = &result;
  view.steps = result.steps.get();
  add_texts(lab, variant, view);
  return view;
}

}  // namespace gpulab
