#pragma once
// PTX functions -> Program. Everything that can be decided before a launch is decided here: which row each
// instruction is, where registers, constants, parameters and frames lie, where diverged lanes meet again.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "common/ptx/module.h"
#include "common/simt/decode/program.h"

namespace gpulab::simt {

/// What decode must know of the module's memory.
struct DecodeContext {
  /// Address of a module-scope .global or .const variable.
  std::function<std::optional<std::uint64_t>(std::string_view)> address_of;
  /// Memory for a copy of the kernel parameters (bytes), asked for only by kernels that take a parameter's address.
  std::function<std::uint64_t(std::uint64_t)> allocate_parameters;
  std::uint64_t most_shared_bytes = 227 << 10;  ///< of a block, static and dynamic: what the modelled GPU has
  bool counters = true;
  std::uint16_t watches = 0;       ///< bits of Watch (machine/observer.h): what the launches' observers ask for
  bool split_at_barriers = false;  ///< a basic block ends at each barrier: its counts belong to one phase
  /// And at each plain access to memory that threads share: a schedule may run other warps before the next one.
  bool split_at_accesses = false;
};

/// Throws Error (usage): an instruction that is not implemented, with PTX line and form; malformed operands.
[[nodiscard]] std::unique_ptr<Program> decode(const std::shared_ptr<const ptx::Module>& module, std::string_view entry,
                                              const DecodeContext& context);

}  // namespace gpulab::simt
