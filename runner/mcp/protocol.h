#pragma once
// The Model Context Protocol's envelope, JSON-RPC 2.0, in the two revisions that are spoken here. They differ in where
// a request says which one it is: 2026-07-28 in its own `_meta`, 2025-11-25 in a handshake before it.

#include <optional>
#include <string>
#include <string_view>

#include "runner/mcp/json_line.h"

namespace gpulab::mcp {

inline constexpr std::string_view modern_version = "2026-07-28", handshake_version = "2025-11-25";

/// JSON-RPC's numbers, and the protocol's own.
namespace code {
inline constexpr int parse = -32700, request = -32600, method = -32601, params = -32602, unsupported_version = -32022;
}

enum class Era { modern, handshake };

struct Message {
  Json id{};  ///< null: a notification
  std::string method;
  Json params = Json::object();
  [[nodiscard]] bool is_request() const { return !id.is_null(); }
};

/// What is wrong with a message, as the protocol says it.
struct Refusal {
  int code = 0;
  std::string message;
  Json data{};  ///< null: none
};

/// A message of the form of JSON-RPC; nothing where it is an answer, which a client has no reason to send, or is
/// malformed: then `refusal` says why, and `id` whose it is, as far as that can be read.
[[nodiscard]] std::optional<Message> message_of(const Json& json, std::optional<Refusal>& refusal, Json& id);

/// Which revision a request is of; nothing where it may not be answered, and why. `shaken`: initialize has come.
[[nodiscard]] std::optional<Era> era_of(const Message& message, bool shaken, std::optional<Refusal>& refusal);

/// Lines, with their ends.
[[nodiscard]] std::string result_line(const Json& id, Json result, Era era);
[[nodiscard]] std::string error_line(const Json& id, const Refusal& refusal);
[[nodiscard]] std::string notification_line(std::string_view method, Json params);

/// Name and version of this server.
[[nodiscard]] Json server_info();

}  // namespace gpulab::mcp
