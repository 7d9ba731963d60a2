// more: what left an answer that was too long.

#include "runner/mcp/tool.h"

namespace gpulab::mcp::tool {
namespace {

Json answer(const Json& arguments, const Surroundings& surroundings) {
  // Its frame takes a little of what the answer may have.
  return surroundings.rests.page(arguments.at("token").get<std::string>(), surroundings.answer_bytes * 9 / 10);
}

}  // namespace

extern const Tool more{
    .name = "more",
    .title = "The rest of an answer that was cut",
    .description =
        "'token' is cut.more of an answer, good for ten minutes. 'parts' are what was left off: 'of' is the place in "
        "that "
        "answer (a JSON pointer), 'from' the element's index there, or the byte that a piece of text begins with. "
        "'more', "
        "where it is there, is the token for what is still left.",
    .input = R"({"type": "object", "additionalProperties": false, "required": ["token"], "properties": {
      "token": {"type": "string", "maxLength": 100}}})",
    .documents = {},
    .answer = answer,
};

}  // namespace gpulab::mcp::tool
