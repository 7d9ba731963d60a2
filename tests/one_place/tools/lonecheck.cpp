// A tool in one file: it notes accesses to memory that one lane of a warp makes alone.
#include <bit>

#include "common/simt/observers/accusations.h"
#include "common/simt/observers/tool.h"

namespace gpulab::simt {

namespace {

class Lonecheck final : public Observer {
 public:
  explicit Lonecheck(const ToolParts& parts) : Observer(kWatchAccesses), accusations_(parts.accusations) {}
  void access(Warp& w, const MicroOp* op) override {
    if (std::popcount(w.mask) != 1) return;
    accusations_.add({.tool = "lonecheck",
                      .message = "one lane accesses memory alone",
                      .address = {},
                      .first = suspect(w, std::countr_zero(w.mask), op->site),
                      .severity = Severity::note});
  }

 private:
  Accusations& accusations_;
};

}  // namespace

namespace tools {
extern const ToolKind lonecheck{"lonecheck", 50, [](const ToolParts& parts) -> std::unique_ptr<Observer> {
                                  return std::make_unique<Lonecheck>(parts);
                                }};
}  // namespace tools

}  // namespace gpulab::simt
