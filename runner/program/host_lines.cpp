#include "runner/program/host_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "common/child/captured_run.h"
#include "common/child/interrupt.h"
#include "common/child/private_folder.h"
#include "common/cuda_api/program_file.h"
#include "common/text.h"
#include "runner/student_file/compilers/isolation.h"
#include "runner/student_file/source_file.h"
#include "runner/student_file/toolchain.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// What a command line may be asked at once; a program with more places keeps their numbers.
constexpr std::size_t most_places = 8000;
/// Of a place: what called it, and what called that.
constexpr std::size_t most_frames = 32;

/// All texts of a record that may name places.
template <typename Visit>
void each_text(cuda_api::Record& record, const Visit& visit) {
  for (auto& kernel : record.kernels) {
    visit(kernel.caller);
    for (auto& finding : kernel.findings) visit(finding.message);
  }
  for (auto& activity : record.activities) visit(activity.caller);
  for (auto& site : record.sites) visit(site.caller);
  for (auto& clock : record.clocks) visit(clock.from), visit(clock.to), visit(clock.launch);
  for (auto& fault : record.faults) visit(fault.caller), visit(fault.hint);
  for (auto& finding : record.findings) visit(finding.message);
  for (auto& failure : record.failures) visit(failure.caller), visit(failure.why), visit(failure.remedy);
  for (auto& leak : record.leaks) visit(leak.caller);
  for (auto& [name, caller] : record.allocations) visit(caller);
  visit(record.crash);
  if (record.unsupported) visit(record.unsupported->caller);
}

/// The places in a text, "name+0x12f4<name+0x1300<name+0x2f00", or behind a library's, "libc.so.6+0x9a0<name+0x1300":
/// each with where it begins and ends.
struct Place {
  std::size_t begin, end;
  std::vector<std::uint64_t> addresses;  ///< from within
};
std::vector<Place> places_in(const std::string& text, const std::string& name) {
  std::vector<Place> all;
  const auto number_behind = [&](std::size_t at, std::size_t& end) -> std::uint64_t {
    constexpr std::size_t most_digits = 12;
    std::uint64_t value = 0;
    for (end = at; end < text.size() && end - at < most_digits; ++end) {
      const auto digit = std::string_view("0123456789abcdef").find(text[end]);
      if (digit == std::string_view::npos) break;
      value = value * 16 + digit;
    }
    return value;
  };
  const std::string lead = name + "+0x";
  for (auto at = text.find(lead); at != std::string::npos; at = text.find(lead, at)) {
    Place place{at, 0, {}};
    if (at > 0 && text[at - 1] == '<') place.begin = text.find_last_of(" (", at) + 1;
    place.addresses.push_back(number_behind(at + lead.size(), place.end));
    while (text.compare(place.end, 1, "<") == 0 && place.addresses.size() < most_frames) {
      if (text.compare(place.end + 1, lead.size(), lead) == 0)
        place.addresses.push_back(number_behind(place.end + 1 + lead.size(), place.end));
      else  // of a library
        place.end = std::min(text.size(), text.find_first_of("< ),;", place.end + 1));
    }
    at = place.end;
    all.push_back(place);
  }
  return all;
}

/// File and line of addr2line's line; empty where it knows none.
std::string line_of(const std::string& told) {
  const auto path = told.substr(0, told.find(" (discriminator"));
  const auto name = path.substr(path.rfind('/') + 1);
  return name.starts_with('?') || name.ends_with(":?") || name.ends_with(":0") ? std::string() : visible(name);
}

/// nvcc's own file of the host's code. No line is of it: DWARF 5's files are counted from 0, and addr2line of Debian 12
/// takes the first for the second where a function does not say which; whose line it is then, nobody knows.
bool is_unknown(const std::string& told) { return told.find(".cudafe1.cpp") != std::string::npos; }

/// Of the toolkit, and what nvcc writes beside a program's own lines.
bool is_foreign(const std::string& told) {
  return told.find("/include/") != std::string::npos || told.find(".stub.c") != std::string::npos ||
         told.find("crt/host_runtime") != std::string::npos || is_unknown(told);
}

/// The first line of the program's own that these places have, from within; else the innermost of another's.
std::string own_line(const std::vector<std::uint64_t>& addresses, const std::map<std::uint64_t, std::string>& told) {
  std::string others;
  for (const auto address : addresses) {
    const auto known = told.find(address);
    if (known == told.end() || is_unknown(known->second)) continue;
    auto line = line_of(known->second);
    if (!line.empty() && !is_foreign(known->second)) return line;
    if (others.empty()) others = std::move(line);
  }
  return others;
}

}  // namespace

void name_host_lines(cuda_api::Record& record, const std::string& program, bool isolated) {
  const std::string name = fs::path(program).filename();
  std::map<std::uint64_t, std::string> told;
  each_text(record, [&](const std::string& text) {
    for (const auto& place : places_in(text, name))
      for (const auto address : place.addresses)
        if (told.size() < most_places) told[address];
  });
  const auto tool = find_in_path("addr2line");
  if (told.empty() || !tool) return;
  const std::string bytes = read_file(program, "exec");
  const auto file = cuda_api::read_program(std::as_bytes(std::span(bytes)));
  if (!file) return;
  std::vector<std::string> command{*tool, "-a", "-i", "-e", fs::absolute(program).string()};
  // The call stands before where it returns to.
  for (const auto& [address, line] : told) command.push_back(fmt::format("{:#x}", file->first_address + address - 1));
  const PrivateFolder folder;
  Isolation isolation;
  isolation.on = isolated;
  auto plan = compiler_plan(isolation, command, *tool, folder.path(), {fs::absolute(program).parent_path().string()});
  plan.last_words = interrupted();
  plan.limits.wall = std::chrono::seconds(plan.last_words ? 1 : 10);
  // For each address itself, then its line and those of what it was inlined into: the first that is not foreign.
  auto next = told.begin();
  std::string* line = nullptr;
  std::set<std::uint64_t> of_thrust;
  for (const auto& said : split(run_captured(plan).output, '\n')) {
    if (said.starts_with("0x")) {
      if (next == told.end()) break;
      line = &(next++)->second;
      continue;
    }
    if (line != nullptr && said.find("/thrust/") != std::string::npos) of_thrust.insert(std::prev(next)->first);
    if (line != nullptr && !said.empty() && (line->empty() || is_foreign(*line))) {
      *line = said;
    }
  }
  for (const auto& place : places_in(record.crash, name))
    if (std::ranges::any_of(place.addresses, [&](std::uint64_t address) { return of_thrust.contains(address); })) {
      record.crash +=
          "; thrust takes a raw pointer for the host's: give thrust::device as the first argument, or "
          "thrust::device_pointer_cast(p)";
      break;
    }
  each_text(record, [&](std::string& text) {
    const auto places = places_in(text, name);
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
      auto line = own_line(place->addresses, told);
      if (line.empty()) line = fmt::format("{}+{:#x}", name, place->addresses.front());
      text.replace(place->begin, place->end - place->begin, line);
    }
  });
}

}  // namespace gpulab
