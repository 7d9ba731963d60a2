#include "runner/judge/inspection/constructs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

namespace gpulab {
namespace {

constexpr std::array<Construct, 12> all{{
    {"atomics", "atom and red: atomicAdd and its like"},
    {"barriers", "bar and barrier: __syncthreads and its like"},
    {"shared_memory", "an access to shared memory"},
    {"shuffles", "shfl: __shfl_sync and its like"},
    {"votes", "vote, match and redux: __ballot_sync, __reduce_add_sync"},
    {"vector_loads", "ld of two or four elements: float4"},
    {"tensor_cores", "mma, wmma and wgmma"},
    {"async_copies", "cp.async: memcpy_async"},
    {"local_memory", "an access to local memory: arrays that registers do not hold"},
    {"double_precision", "an instruction on f64"},
    {"printf", "a call of printf"},
    {"child_launches", "a launch of another kernel"},
}};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.'; }

/// The words of a text, without its comments and what stands between quotes.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const auto rest = text.substr(at);
    if (rest.starts_with("//")) {
      at = std::min(text.size(), text.find('\n', at));
    } else if (rest.starts_with("/*")) {
      const auto end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else if (text[at] == '"') {
      const auto end = text.find('"', at + 1);
      at = end == std::string_view::npos ? text.size() : end + 1;
    } else if (is_word(text[at])) {
      const auto start = at;
      while (at < text.size() && is_word(text[at])) ++at;
      words.push_back(text.substr(start, at - start));
    } else {
      if (text[at] == '{' || text[at] == '}' || text[at] == '(') words.push_back(text.substr(at, 1));
      ++at;
    }
  }
  return words;
}

using Body = std::vector<std::string_view>;

/// The words of each function's body by its name.
std::map<std::string_view, Body> bodies_in(const std::vector<std::string_view>& words) {
  std::map<std::string_view, Body> bodies;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != ".entry" && words[i] != ".func") continue;
    // The name stands before a parenthesis; a function's result has one of its own before that.
    std::string_view name;
    while (++i < words.size() && words[i] != "{" && words[i] != ".entry" && words[i] != ".func")
      if (words[i] == "(" && name.empty() && words[i - 1][0] != '.' && words[i - 1] != "(") name = words[i - 1];
    if (i < words.size() && words[i] != "{") {
      --i;
      continue;
    }
    Body body;
    for (int depth = 0; i < words.size(); ++i) {
      if (words[i] == "{") ++depth;
      if (words[i] == "}" && --depth == 0) break;
      body.push_back(words[i]);
    }
    bodies.emplace(name, std::move(body));
  }
  return bodies;
}

bool begins(std::string_view word, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts, [&](std::string_view start) { return word.starts_with(start); });
}

bool has(std::string_view word, std::string_view part) { return word.find(part) != std::string_view::npos; }

/// The construct that a word of PTX shows; empty: none.
std::string_view shown_by(std::string_view word) {
  if (begins(word, {"atom.", "red."})) return "atomics";
  if (begins(word, {"bar.", "barrier."})) return "barriers";
  if (begins(word, {"shfl."})) return "shuffles";
  if (begins(word, {"vote.", "match.", "redux."})) return "votes";
  if (begins(word, {"mma.", "wmma.", "wgmma."})) return "tensor_cores";
  if (begins(word, {"cp.async"})) return "async_copies";
  if (begins(word, {"ld."}) && (has(word, ".v2") || has(word, ".v4") || has(word, ".v8"))) return "vector_loads";
  if (begins(word, {"ld.local", "st.local"})) return "local_memory";
  if (word == "vprintf") return "printf";
  if (begins(word, {"cudaCDP", "__cudaCDP", "cudaLaunch"})) return "child_launches";
  return {};
}

void look_at(const std::map<std::string_view, Body>& bodies, std::string_view function,
             std::set<std::string_view>& seen, std::set<std::string_view>& shown) {
  std::vector<std::string_view> waiting{function};
  while (!waiting.empty()) {
    const auto at = bodies.find(waiting.back());
    waiting.pop_back();
    if (at == bodies.end() || !seen.insert(at->first).second) continue;
    for (const auto word : at->second) {
      if (const auto name = shown_by(word); !name.empty()) shown.insert(name);
      if (has(word, ".shared") && word != ".shared") shown.insert("shared_memory");
      if (has(word, ".f64")) shown.insert("double_precision");
      if (bodies.contains(word)) waiting.push_back(word);
    }
  }
}

}  // namespace

std::span<const Construct> constructs() { return all; }

std::vector<std::string> constructs_of(std::string_view ptx, std::string_view entry) {
  const auto words = words_of(ptx);
  const auto bodies = bodies_in(words);
  std::set<std::string_view> seen, shown;
  look_at(bodies, entry, seen, shown);
  std::vector<std::string> names;
  for (const auto& construct : all)
    if (shown.contains(construct.name)) names.emplace_back(construct.name);
  return names;
}

}  // namespace gpulab
