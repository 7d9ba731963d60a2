#include "runner/judge/rung_counts.h"

#include <algorithm>

#include "labs/contract_parts.h"

namespace gpulab {

std::vector<InputClass> all_classes(const Contract& contract) {
  return contract.classes.empty() ? row_classes() : contract.classes;
}

Result count_rung(Executor& executor, const Lab& lab, const Contract& contract, const std::string& rung,
                  const RungPoint& at, const RunOptions& options) {
  const auto& variant = *std::ranges::find(lab.variants, rung, &Variant::name);
  auto point = contract_case(lab, contract, at.point, at.type, at.seed, at.place);
  point.block = default_block(lab, variant);
  if (variant.block) point.block = variant.block(point);
  auto result = executor.run(lab, variant, point, options);
  result.params.assign(at.point.begin(), at.point.end());
  result.params.emplace_back("seed", static_cast<std::int64_t>(at.seed));
  return result;
}

}  // namespace gpulab
