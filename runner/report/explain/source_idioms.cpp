#include "runner/report/explain/source_idioms.h"

#include <regex>

namespace gpulab {
namespace {

bool found(std::string_view line, const std::regex& pattern) {
  return std::regex_search(line.begin(), line.end(), pattern);
}

}  // namespace

bool branches_itself(std::string_view line) {
  const auto has = [&](std::string_view word) { return line.find(word) != std::string_view::npos; };
  return has("if") || has("for") || has("while") || has("?") || has("&&") || has("||") || has("switch") || has("bra");
}

bool lets_one_in(std::string_view line) {
  // A thread's number, of the block or of the warp, that is 0. `tid % 2 == 0` lets half of them in.
  static const std::regex number_is_zero(
      R"((threadIdx\.[xyz]|\w*(lane|tid|thread|rank|leader)\w*(\(\))?)(\s*(%\s*(32|warpSize|WARP_SIZE)|&\s*(31|0x1[fF])))?\s*\)?\s*==\s*0\b)");
  static const std::regex no_number(R"(!\s*\(?\s*(threadIdx\.[xyz]|\w*(lane|tid|rank)\w*)\b)");
  return found(line, number_is_zero) || found(line, no_number);
}

bool loops(std::string_view line) {
  static const std::regex loop(R"(\b(for|while)\s*\()");
  return found(line, loop);
}

bool leaves(std::string_view line) {
  static const std::regex leave(R"(\b(return|exit|__trap)\b)");
  return found(line, leave);
}

bool waits_for_grid(std::string_view line) {
  static const std::regex sync(R"(grid\w*(\(\))?\s*\.\s*sync\s*\()");
  return found(line, sync);
}

std::string one_place_changed(std::string_view line) {
  static const std::string place = R"((\*\s*[A-Za-z_]\w*|[A-Za-z_]\w*\s*\[\s*0\s*\]))";
  static const std::regex changed(R"((^|[^\w\]\s])\s*)" + place + R"(\s*(\+=|-=|\*=|/=|\|=|&=|\^=))");
  static const std::regex counted(R"((\(\s*(\*\s*[A-Za-z_]\w*)\s*\)|([A-Za-z_]\w*\s*\[\s*0\s*\]))\s*(\+\+|--))");
  static const std::regex written_out(R"((^|[^\w\]\s])\s*)" + place + R"(\s*=\s*\2\s*[-+*/|&^])");
  std::match_results<std::string_view::const_iterator> match;
  for (const auto* pattern : {&changed, &written_out})
    if (std::regex_search(line.begin(), line.end(), match, *pattern)) return match[2].str();
  if (std::regex_search(line.begin(), line.end(), match, counted))
    return match[2].matched ? match[2].str() : match[3].str();
  return {};
}

}  // namespace gpulab
