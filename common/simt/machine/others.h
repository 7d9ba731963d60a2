#pragma once
// What a launch whose blocks wait asks those beside it: the host, and other launches, which may change what it polls
// for.

#include <functional>

namespace gpulab::simt {

/// What blocks that run in turns do: some work; all of them poll; they have polled for a while (sync/stillness.h) and
/// left no byte of memory changed, so that nobody of the launch will end that.
enum class Polling { no, yes, in_vain };

/// What others have done meanwhile. not_yet: nothing, they wait until the launch has ended, or polls in vain. taken:
/// they had a turn, and will have more. nobody_left: the launch runs beside them, but all of them wait for its end.
enum class OthersTurn { not_yet, taken, nobody_left };

/// Asked again and again between turns of blocks that may poll, by the thread that runs them.
using AskOthers = std::function<OthersTurn(Polling)>;

}  // namespace gpulab::simt
