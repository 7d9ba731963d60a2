#pragma once
// Calls that wait and calls that run. What they are answered with goes to `write`, a line at a time.

#include <poll.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runner/mcp/call_process.h"
#include "runner/mcp/protocol.h"
#include "runner/mcp/server.h"
#include "runner/mcp/tool.h"

namespace gpulab::mcp {

class Calls {
 public:
  using Write = std::function<void(std::string_view line)>;
  Calls(const ServerOptions& options, const Surroundings& surroundings, Write write)
      : options_(options), surroundings_(surroundings), write_(std::move(write)) {}

  /// Answers the call of a tool, at once or later.
  void take(const Message& message, Era era);
  /// Ends the call of that request, which gets no answer. False: there is none.
  bool cancel(const Json& id);
  [[nodiscard]] bool has(const Json& id) const;

  void add_descriptors(std::vector<pollfd>& waiting) const;
  /// How long the loop may wait for something to happen.
  [[nodiscard]] int patience_ms() const;
  /// Starts what waits, answers what has ended or takes too long, says how far the others are.
  void look();

 private:
  struct Call {
    Json id, arguments, progress_token{};
    Era era = Era::modern;
    const Tool* tool = nullptr;
    Invocation invocation{};
    std::unique_ptr<CallProcess> process{};
    double told = -1;  ///< progress
    CallProcess::Clock::time_point next_word{};
  };

  void answer(const Call& call, Json result) const { write_(result_line(call.id, std::move(result), call.era)); }
  /// At most once a second.
  void tell_progress(Call& call, bool at_once) const;
  /// True: the call is over.
  bool start(Call& call);
  bool look_at(Call& call);

  ServerOptions options_;
  Surroundings surroundings_;
  Write write_;
  std::deque<Call> waiting_, running_;
};

}  // namespace gpulab::mcp
