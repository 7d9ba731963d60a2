#include "runner/mcp/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/text.h"
#include "runner/version.h"

namespace gpulab::mcp {
namespace {

constexpr const char* version_key = "io.modelcontextprotocol/protocolVersion";
constexpr const char* capabilities_key = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* log_level_key = "io.modelcontextprotocol/logLevel";
constexpr std::array<std::string_view, 8> log_levels{"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

/// JSON's text; what is no UTF-8 in it becomes U+FFFD.
std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

const Json* member(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() ? nullptr : &*found;
}

std::optional<Refusal> wrong_meta(const Json& meta) {
  const auto* version = member(meta, version_key);
  if (!version->is_string()) return Refusal{code::params, fmt::format("_meta: {} is no string", version_key)};
  const auto text = version->get<std::string>();
  if (text != modern_version)
    return Refusal{code::unsupported_version,
                   "unsupported protocol version",
                   {{"supported", {modern_version, handshake_version}}, {"requested", visible(text)}}};
  const auto* capabilities = member(meta, capabilities_key);
  if (capabilities == nullptr || !capabilities->is_object())
    return Refusal{code::params, fmt::format("_meta: {} is missing, or no object", capabilities_key)};
  const auto* level = member(meta, log_level_key);
  if (level != nullptr &&
      (!level->is_string() || std::ranges::find(log_levels, level->get<std::string>()) == log_levels.end()))
    return Refusal{code::params, fmt::format("_meta: {} is no level of syslog", log_level_key)};
  return std::nullopt;
}

}  // namespace

std::optional<Message> message_of(const Json& json, std::optional<Refusal>& refusal, Json& id) {
  const auto refuse = [&](std::string why) {
    refusal = Refusal{code::request, std::move(why)};
    return std::nullopt;
  };
  if (json.is_array()) return refuse("batches are not part of the protocol: one object a line");
  if (!json.is_object()) return refuse("a message is an object");
  const auto* given = member(json, "id");
  if (given != nullptr && (given->is_string() || given->is_number_integer())) id = *given;
  const auto* method = member(json, "method");
  if (method == nullptr && (member(json, "result") != nullptr || member(json, "error") != nullptr)) return std::nullopt;
  const auto* version = member(json, "jsonrpc");
  if (version == nullptr || *version != "2.0") return refuse("\"jsonrpc\" is not \"2.0\"");
  if (given != nullptr && id.is_null()) return refuse("\"id\" is neither a string nor an integer");
  if (method == nullptr || !method->is_string()) return refuse("\"method\" is missing, or no string");
  Message message{.id = id, .method = method->get<std::string>()};
  if (const auto* params = member(json, "params")) {
    if (!params->is_object()) {
      refusal = Refusal{code::params, "\"params\" is no object"};
      return std::nullopt;
    }
    message.params = *params;
  }
  return message;
}

std::optional<Era> era_of(const Message& message, bool shaken, std::optional<Refusal>& refusal) {
  const auto* meta = member(message.params, "_meta");
  if (meta != nullptr && !meta->is_object()) {
    refusal = Refusal{code::params, "\"_meta\" is no object"};
    return std::nullopt;
  }
  if (meta != nullptr && member(*meta, version_key) != nullptr) {
    refusal = wrong_meta(*meta);
    return refusal ? std::nullopt : std::optional(Era::modern);
  }
  if (shaken || message.method == "initialize" || message.method == "ping") return Era::handshake;
  refusal = Refusal{code::params, fmt::format("params._meta has no {} ({}), and no initialize has come ({})",
                                              version_key, modern_version, handshake_version)};
  return std::nullopt;
}

std::string result_line(const Json& id, Json result, Era era) {
  if (era == Era::modern) {
    result["resultType"] = "complete";
    result["_meta"]["io.modelcontextprotocol/serverInfo"] = server_info();
  }
  return dumped({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}) + "\n";
}

std::string error_line(const Json& id, const Refusal& refusal) {
  Json error{{"code", refusal.code}, {"message", refusal.message}};
  if (!refusal.data.is_null()) error["data"] = refusal.data;
  Json json{{"jsonrpc", "2.0"}};
  if (!id.is_null()) json["id"] = id;  // what could not be read has none
  json["error"] = std::move(error);
  return dumped(json) + "\n";
}

std::string notification_line(std::string_view method, Json params) {
  return dumped({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}) + "\n";
}

Json server_info() { return {{"name", "gpulab"}, {"title", "gpulab"}, {"version", version()}}; }

}  // namespace gpulab::mcp
