// list_labs: what there is to check and to explain, as `gpulab list`.

#include "common/error.h"
#include "labs/registry.h"
#include "runner/listing/course_json.h"
#include "runner/mcp/tool.h"

namespace gpulab::mcp::tool {
namespace {

/// A lab in three lines.
Json summary_of(const Lab& lab) {
  Json contracts = Json::array();
  for (const auto& contract : lab.contracts)
    contracts.push_back({{"name", contract.name}, {"signature", contract.signature}, {"does", contract.summary}});
  return {{"name", lab.name},
          {"topic", lab.topic},
          {"question", lab.question},
          {"variants", variant_names(lab)},
          {"contracts", std::move(contracts)}};
}

Json answer(const Json& arguments, const Surroundings& surroundings) {
  const auto& labs = *surroundings.labs;
  if (const auto name = arguments.find("lab"); name != arguments.end())
    return Json::parse(course_json(std::span(&find_lab(labs, name->get<std::string>()), 1), LabDetails::none));
  Json all = Json::array();
  for (const auto& lab : labs) all.push_back(summary_of(lab));
  return {{"labs", std::move(all)}};
}

}  // namespace

extern const Tool list_labs{
    .name = "list_labs",
    .title = "Labs, their kernels and contracts",
    .description =
        "All labs with variants (kernels of the lab, a ladder from slow to fast) and contracts (signatures that "
        "check_kernel judges); with 'lab' everything of one: parameters, limits, launches, metrics.",
    .input = R"({"type": "object", "additionalProperties": false, "properties": {
      "lab": {"type": "string", "maxLength": 100, "description": "everything of this lab"}}})",
    .documents = {},
    .answer = answer,
};

}  // namespace gpulab::mcp::tool
