// explain_term: a word of the field, a metric by any profiler's name, a lab, as `gpulab help TERM`.

#include "common/error.h"
#include "runner/listing/glossary.h"
#include "runner/mcp/tool.h"

namespace gpulab::mcp::tool {
namespace {

Json answer(const Json& arguments, const Surroundings& surroundings) {
  const auto found = meaning_of_term(arguments.at("term").get<std::string>(), *surroundings.labs);
  Json json{{"term", found.name}, {"kind", found.kind}, {"meaning", found.meaning}};
  if (!found.see.empty()) json["see"] = found.see;
  return json;
}

}  // namespace

extern const Tool explain_term{
    .name = "explain_term",
    .title = "What a term or a metric means",
    .description =
        "A term (bank conflict, occupancy, wavefront …), a counter or metric by our name, Nsight Compute's or "
        "nvprof's, or a "
        "lab: its meaning in a sentence or two.",
    .input = R"({"type": "object", "additionalProperties": false, "required": ["term"], "properties": {
      "term": {"type": "string", "maxLength": 200}}})",
    .documents = {},
    .answer = answer,
};

}  // namespace gpulab::mcp::tool
