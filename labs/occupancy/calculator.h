#pragma once
// What occupancy a kernel's resources allow, what limits it, and what would change it.

#include "labs/lab.h"

namespace gpulab::labs::occupancy {

/// The variant `calculator`: of --registers, --shared and --block, on the GPU that is modelled or present.
[[nodiscard]] Commentary calculated(const Case& c);

/// The same of a kernel of this lab, with the registers that ptxas gives it on that GPU, and ptxas' table.
/// Completes a Variant whose kernel is `kernel`.
[[nodiscard]] std::function<Commentary(const Case&, const ReadBuffer&)> commentary_of(std::string kernel);

/// --shared. Throws usage_error where the GPU gives no block as much.
[[nodiscard]] std::uint32_t shared_bytes(const Case& c);

}  // namespace gpulab::labs::occupancy
