#include "runner/mcp/kept_rests.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "common/error.h"
#include "common/text.h"

namespace gpulab::mcp {
namespace {

/// A text's beginning that stays; what is behind it leaves in pieces of this size.
constexpr std::size_t text_piece = 4096;

std::size_t size_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace).size(); }

/// Lists that say what was judged and where a finding lies: they are short, and nothing is understood without them.
bool stays_whole(const std::string& name) { return name == "items" || name == "at" || name == "where"; }
bool tells_faults(const std::string& name) {
  return name == "findings" || name == "faults" || name == "marks" || name == "advice";
}

bool is_right(const Json& element) {
  const auto status = element.is_object() ? element.find("status") : element.end();
  return element.is_object() && status != element.end() && (*status == "ok" || *status == "passed");
}

/// Shortens lists; what it says of elements counts them as the whole answer had them.
class ListCutter {
 public:
  explicit ListCutter(std::vector<Part>& parts) : parts_(parts) {}

  /// Halves the largest list of two elements or more, or takes `excess` bytes out of it. `faults`: of findings and
  /// their kin, else of all others. Gives the bytes that left; 0: there is no such list.
  std::size_t shorten(Json& answer, bool faults, std::size_t excess) {
    List largest;
    find_largest(answer, {}, {}, faults, largest);
    return largest.json == nullptr ? 0 : thin_out(largest, excess);
  }

 private:
  struct List {
    Json* json = nullptr;
    std::string path;
    std::size_t bytes = 0;
  };

  /// The index that an element of the list at `path` had at first.
  std::size_t first_index(const std::string& path, std::size_t now) const {
    const auto known = indices_.find(path);
    return known == indices_.end() ? now : known->second[now];
  }

  void find_largest(Json& json, const std::string& path, const std::string& name, bool faults, List& largest) {
    if (json.is_array()) {
      const bool has_elements = json.size() >= 2 && (json[0].is_object() || json[0].is_string());
      if (has_elements && !stays_whole(name) && tells_faults(name) == faults) {
        if (const auto bytes = size_of(json); bytes > largest.bytes) largest = {&json, path, bytes};
      }
      if (!json.empty() && json[0].is_object())
        for (std::size_t i = 0; i < json.size(); ++i)
          find_largest(json[i], fmt::format("{}/{}", path, first_index(path, i)), {}, faults, largest);
    } else if (json.is_object()) {
      for (auto& [key, value] : json.items()) find_largest(value, path + "/" + key, key, faults, largest);
    }
  }

  std::size_t thin_out(const List& list, std::size_t excess) {
    auto& elements = *list.json;
    // In the order in which they leave: what is right from the end, then the others from the end. One stays.
    std::vector<std::size_t> order;
    for (const bool right : {true, false})
      for (std::size_t i = elements.size(); i-- > 0;)
        if (is_right(elements[i]) == right) order.push_back(i);
    order.pop_back();
    std::vector<bool> leaves(elements.size(), false);
    std::size_t gone = 0;
    for (const auto i : order) {
      if (gone >= excess || gone > list.bytes / 2) break;
      gone += size_of(elements[i]) + 1;
      leaves[i] = true;
    }
    Json kept = Json::array();
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const auto index = first_index(list.path, i);
      if (leaves[i]) {
        parts_.push_back({list.path, index, std::move(elements[i])});
      } else {
        kept.push_back(std::move(elements[i]));
        indices.push_back(index);
      }
    }
    elements = std::move(kept);
    indices_[list.path] = std::move(indices);
    return gone;
  }

  std::vector<Part>& parts_;
  std::map<std::string, std::vector<std::size_t>> indices_;  ///< of lists that were shortened, by their paths
};

/// The end of a piece that cuts no character of UTF-8.
std::size_t end_of_piece(const std::string& text, std::size_t from) {
  std::size_t end = std::min(text.size(), from + text_piece);
  while (end < text.size() && end > from + 1 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return end;
}

void cut_texts(Json& json, const std::string& path, std::vector<Part>& parts) {
  if (json.is_string()) {
    const auto text = json.get<std::string>();
    if (text.size() <= text_piece) return;
    auto end = end_of_piece(text, 0);
    json = text.substr(0, end);
    while (end < text.size()) {
      const auto from = std::exchange(end, end_of_piece(text, end));
      parts.push_back({path, from, text.substr(from, end - from)});
    }
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) cut_texts(json[i], fmt::format("{}/{}", path, i), parts);
  } else if (json.is_object()) {
    for (auto& [key, value] : json.items()) cut_texts(value, path + "/" + key, parts);
  }
}

std::string new_name() {
  std::array<std::uint64_t, 2> random{};
  if (getrandom(random.data(), sizeof random, 0) != sizeof random)
    throw Error(ExitCode::missing, "the system gives no random numbers");
  return fmt::format("{:016x}{:016x}", random[0], random[1]);
}

}  // namespace

std::vector<Part> cut(Json& answer, std::size_t bytes) {
  std::vector<Part> parts;
  auto size = size_of(answer);
  if (size <= bytes) return parts;
  cut_texts(answer, {}, parts);
  size = size_of(answer);
  ListCutter lists(parts);
  for (const bool faults : {false, true}) {
    while (size > bytes) {
      const auto gone = lists.shorten(answer, faults, size - bytes);
      if (gone == 0) break;
      size -= std::min(size, gone);
    }
  }
  // What leaves twice from one list left from its end first: in order, it is read from its beginning.
  std::ranges::stable_sort(parts,
                           [](const Part& a, const Part& b) { return a.of != b.of ? a.of < b.of : a.from < b.from; });
  return parts;
}

void KeptRests::forget_old(Clock::time_point now) {
  while (!kept_.empty() && (kept_.front().until <= now || bytes_ > most_kept_bytes)) {
    bytes_ -= kept_.front().bytes;
    kept_.pop_front();
  }
}

std::string KeptRests::keep(std::vector<Part> parts, Clock::time_point now) {
  Kept rest{.name = new_name(), .parts = std::move(parts), .until = now + kept_for};
  for (const auto& part : rest.parts) rest.bytes += part.of.size() + size_of(part.value);
  bytes_ += rest.bytes;
  kept_.push_back(std::move(rest));
  const auto name = kept_.back().name + ":0";
  forget_old(now);
  return name;
}

Json KeptRests::page(const std::string& name, std::size_t bytes, Clock::time_point now) {
  forget_old(now);
  const auto colon = name.find(':');
  const auto from = colon == std::string::npos ? std::nullopt : parse_integer(name.substr(colon + 1));
  const auto kept = std::ranges::find(kept_, name.substr(0, colon), &Kept::name);
  if (!from || kept == kept_.end() || static_cast<std::size_t>(*from) >= kept->parts.size())
    throw usage_error(fmt::format("more: nothing is kept under '{}'", visible(name.substr(0, 80))),
                      "what left an answer is kept for ten minutes: make the call again");
  Json page{{"parts", Json::array()}};
  std::size_t size = 0, next = static_cast<std::size_t>(*from);
  for (; next < kept->parts.size(); ++next) {
    const auto& part = kept->parts[next];
    Json json{{"of", part.of}, {"from", part.from}, {"value", part.value}};
    const auto more = size_of(json);
    if (size != 0 && size + more > bytes) break;
    size += more;
    page["parts"].push_back(std::move(json));
  }
  page["left"] = kept->parts.size() - next;
  if (next < kept->parts.size()) page["more"] = fmt::format("{}:{}", kept->name, next);
  return page;
}

Json cut_note(const std::string& name, const std::vector<Part>& parts) {
  std::map<std::string, std::size_t> counts;
  for (const auto& part : parts) ++counts[part.of];
  Json left = Json::array();
  constexpr std::size_t most_named = 20;
  for (const auto& [of, count] : counts)
    if (left.size() < most_named) left.push_back({{"of", of}, {"count", count}});
  return {{"more", name},
          {"left_off", std::move(left)},
          {"parts", parts.size()},
          {"kept_s", std::chrono::seconds(kept_for).count()}};
}

}  // namespace gpulab::mcp
