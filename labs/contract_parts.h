#pragma once
// What contracts of several labs share: classes of sizes, inputs.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "labs/lab.h"

namespace gpulab {

/// Sizes "n" of data in a row: nothing, one, around warps and blocks, odd, powers of two, beyond 16 bits, extreme
/// values.
[[nodiscard]] std::vector<InputClass> row_classes();
/// The same of a matrix whose parameters are called so. `longest`: of the side that is much longer than the other.
[[nodiscard]] std::vector<InputClass> matrix_classes(const std::string& rows, const std::string& cols,
                                                     std::int64_t longest = 5000);
/// With values that only moved data can hold.
[[nodiscard]] std::vector<InputClass> with_special(std::vector<InputClass> classes);
/// Each point of each class also has this parameter, by turns of the values.
[[nodiscard]] std::vector<InputClass> with_param(std::vector<InputClass> classes, const std::string& name,
                                                 const std::vector<ParamValue>& values);

/// Floats of both signs below 1 (extreme: below 2^60) with as many digits as leave all sums of `summands` of them
/// exact, in any order and in any grouping; special: NaN with a payload, infinities, -0 among them.
[[nodiscard]] std::vector<std::byte> floats(std::size_t count, std::uint64_t seed, std::size_t summands, Values values,
                                            std::uint64_t stream = 0);
/// i32, u32 or i64: ordinary between -999 and 999 (unsigned: all), extreme with both ends of the range among them.
[[nodiscard]] std::vector<std::byte> integers(Scalar type, std::size_t count, std::uint64_t seed, Values values,
                                              std::uint64_t stream = 0);

/// Element i of the output is made by the thread of element i.
[[nodiscard]] Dim3 in_a_row(const Case& c, std::uint64_t index);

/// Classes that tell a number that was written for blockDim from blockDim.
inline constexpr std::array<std::string_view, 3> few_classes{"usual", "odd", "blocks"};
/// Of launches the largest that has fewer threads than the first, and more than one warp; null: there is none.
[[nodiscard]] const ContractLaunch* next_smaller(const std::vector<ContractLaunch>& launches);
/// 32 threads or fewer.
[[nodiscard]] bool is_one_warp(const ContractLaunch& launch);

/// A contract of one thread per element of a row.
[[nodiscard]] Contract row_contract(std::string name, std::string signature, std::string summary);

}  // namespace gpulab
