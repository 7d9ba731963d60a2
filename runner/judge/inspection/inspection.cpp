#include "runner/judge/inspection/inspection.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/child/interrupt.h"
#include "common/child/killed.h"
#include "common/demangle.h"
#include "common/error.h"
#include "common/hex.h"
#include "common/ptx/parser.h"
#include "runner/execution/child_process.h"
#include "runner/execution/open_device.h"
#include "runner/judge/inspection/constructs.h"
#include "runner/student_file/source_file.h"

namespace gpulab {
namespace {

using Json = nlohmann::json;

/// `gpulab --inspect-ptx`: hidden.
constexpr std::string_view process_argument = "--inspect-ptx";
/// More kernels than this are no homework; each is parsed.
constexpr std::size_t most_kernels = 64;
constexpr std::chrono::seconds most_cpu{20};
constexpr std::chrono::milliseconds longest{120'000};

bool is_of_a_library(const std::string& name) {
  static constexpr std::array namespaces{"cub::", "thrust::", "cuda::", "std::"};
  return std::ranges::any_of(namespaces, [&](const char* start) { return name.starts_with(start); });
}

Json kernel_json(const std::string& entry, const KernelSignature& signature, const std::string& ptx) {
  Json parameters = Json::array();
  for (const auto& one : signature.parameters)
    parameters.push_back({one.type, one.bytes, one.floating, one.aggregate, one.name});
  return {{"entry", entry},
          {"name", signature.name},
          {"parameters", parameters},
          {"exact_block", {signature.exact_block.x, signature.exact_block.y, signature.exact_block.z}},
          {"most_threads", signature.most_threads},
          {"constructs", constructs_of(ptx, entry)}};
}

/// In the child: kernels first that have a name that matters.
Json kernels_of(const std::string& ptx, const std::string& source, const std::vector<std::string>& names) {
  Json all = Json::array();
  const auto code = code_only(source);
  auto entries = ptx::entry_names(ptx);
  std::stable_partition(entries.begin(), entries.end(), [&](std::string_view entry) {
    const auto name = kernel_name(entry);
    return std::ranges::any_of(names, [&](const std::string& asked) { return is_named(name, asked); });
  });
  for (const auto entry : entries) {
    if (is_of_a_library(kernel_name(entry)) || all.size() == most_kernels) continue;
    try {
      auto signature = signature_of(ptx, "the PTX", entry);
      read_declaration(code, signature);
      all.push_back(kernel_json(std::string(entry), signature, ptx));
    } catch (const Error&) {
      continue;  // PTX that inline assembly has made unreadable holds no kernel
    }
  }
  return all;
}

std::string line_from(int socket) {
  std::string line;
  std::array<char, 65536> chunk;
  for (ssize_t length = 0; (length = recv(socket, chunk.data(), chunk.size(), 0)) > 0;) {
    line.append(chunk.data(), static_cast<std::size_t>(length));
    if (line.ends_with('\n')) break;
  }
  return line;
}

void inspect_here() {
  const auto request = Json::parse(line_from(ChildProcess::socket_in_child));
  const auto kernels = kernels_of(bytes_of_hex(request.at("ptx").get<std::string>()),
                                  bytes_of_hex(request.at("source").get<std::string>()), request.at("names"));
  auto text = kernels.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  for (std::string_view rest = text; !rest.empty();) {
    const auto sent = send(ChildProcess::socket_in_child, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
}

Inspection read(const std::string& line) {
  Inspection made;
  for (const auto& kernel : Json::parse(line)) {
    InspectedKernel one{kernel.at("entry"), {.name = kernel.at("name"), .parameters = {}}, kernel.at("constructs")};
    const auto& block = kernel.at("exact_block");
    one.signature.exact_block = {block.at(0), block.at(1), block.at(2)};
    one.signature.most_threads = kernel.at("most_threads");
    for (const auto& p : kernel.at("parameters"))
      one.signature.parameters.push_back({p.at(0), p.at(1), p.at(2), p.at(3), p.at(4)});
    made.kernels.push_back(std::move(one));
  }
  return made;
}

}  // namespace

std::string bare_name(const std::string& kernel) {
  const auto end = kernel.find('<');
  const auto scope = kernel.rfind("::", end);
  const auto start = scope == std::string::npos ? 0 : scope + 2;
  return kernel.substr(start, end == std::string::npos ? end : end - start);
}

bool is_named(const std::string& kernel, const std::string& asked) {
  return kernel == asked || same_kernel_name(kernel, asked) || bare_name(kernel) == asked;
}

Inspection inspect(const InspectionRequest& request) {
  ChildPlan plan{.command = {"/proc/self/exe", std::string(process_argument)}};
  plan.environment.emplace();
  plan.limits.cpu = most_cpu;
  confine_for_judging(plan, request.isolated);
  ChildProcess child(plan);
  Json names = Json::array();
  for (const auto& name : request.names) names.push_back(name);
  const Json line{{"ptx", hex_of(request.ptx)}, {"source", hex_of(request.source)}, {"names", names}};
  const auto answer = child.ask(line.dump(-1, ' ', false, Json::error_handler_t::replace), longest, interrupted);
  if (answer.outcome == ChildProcess::Outcome::interrupted) throw Error(ExitCode::interrupted, "interrupted");
  if (answer.outcome == ChildProcess::Outcome::late) return {{}, "it took too long"};
  if (answer.outcome == ChildProcess::Outcome::ended) {
    const auto end = child.end();
    if (says_killed(end)) throw Killed("the process that reads its PTX");
    return {{}, fmt::format("the process {}", end)};
  }
  try {
    return read(answer.line);
  } catch (const Json::exception&) {
    return {{}, "the process gave no answer"};
  }
}

void inspect_if_asked(int argc, const char* const* argv) {
  if (argc != 2 || argv[1] != process_argument) return;
  int code = 0;
  try {
    inspect_here();
  } catch (const std::exception&) {
    code = 1;
  }
  std::_Exit(code);  // a search for leaks (ASan) would read /proc, which is not there
}

}  // namespace gpulab
