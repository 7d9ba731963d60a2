#include "runner/report/html/page.h"

#include <fmt/format.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "common/embedded.h"
#include "runner/report/html/escape.h"
#include "runner/version.h"

namespace gpulab::html {
namespace {

std::string_view embedded(std::string_view path) {
  for (const auto& file : embedded_pages())
    if (file.path == path) return file.text;
  throw std::logic_error(fmt::format("no page file {} is embedded", path));
}

/// As a source in a policy: 'sha256-…'.
std::string hash_of(std::string_view text) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  std::array<char, BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE)> base64{};
  base64_encode_raw(base64.data(), digest.size(), digest.data());
  return fmt::format("'sha256-{}'", std::string_view(base64.data(), base64.size()));
}

/// Elements of one kind, and the hashes of what they hold.
struct Elements {
  std::string html, hashes;
  void add(std::string_view tag, std::string_view text) {
    html += fmt::format("<{0}>{1}</{0}>\n", tag, text);
    hashes += (hashes.empty() ? "" : " ") + hash_of(text);
  }
};

std::string top(const Page& page) {
  const auto link = [](const auto& to) {
    return fmt::format("<a href=\"{}\">{}</a>", escaped(to.second), escaped(to.first));
  };
  std::string out = page.top.empty() ? "<span>gpulab</span>" : link(page.top.front());
  if (page.top.size() < 2) return out;
  out += "<nav aria-label=\"Pages\">";
  for (std::size_t i = 1; i < page.top.size(); ++i) out += link(page.top[i]);
  return out + "</nav>";
}

}  // namespace

std::string document(const Page& page) {
  Elements styles, early, late;
  styles.add("style", embedded("runner/report/html/page.css"));
  for (const auto& path : page.styles) styles.add("style", embedded(path));
  early.add("script", embedded("runner/report/html/page.js"));  // the theme, before anything is drawn
  for (const auto& path : page.scripts) late.add("script", embedded(path));
  const std::string scripts = late.hashes.empty() ? early.hashes : early.hashes + " " + late.hashes;
  std::string out = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; script-src {}; "
      "img-src data:; base-uri 'none'; form-action 'none'\">\n",
      styles.hashes, scripts);
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  out += "<meta name=\"referrer\" content=\"no-referrer\">\n<link rel=\"icon\" href=\"data:,\">\n";
  out += fmt::format("<title>{}</title>\n", escaped(page.title));
  if (!page.description.empty())
    out += fmt::format("<meta name=\"description\" content=\"{}\">\n", escaped(page.description));
  out += fmt::format("<meta name=\"generator\" content=\"gpulab {}\">\n", version());
  out += styles.html + early.html + "</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to content</a>\n";
  out += "<header class=\"bar-top\">" + top(page) + "</header>\n<main id=\"content\">\n" + page.body + "</main>\n";
  out += fmt::format("<footer class=\"foot\">Written by gpulab {}.</footer>\n", version());
  return out + late.html + "</body>\n</html>\n";
}

}  // namespace gpulab::html
