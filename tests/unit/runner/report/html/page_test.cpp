#include "runner/report/html/page.h"

#include <regex>
#include <set>

#include "runner/report/html/escape.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("text of strangers cannot become markup") {
  CHECK(html::escaped("<img src=x onerror=alert(1)>") == "&lt;img src=x onerror=alert(1)&gt;");
  CHECK(html::escaped("\" onclick='f()' &amp;") == "&quot; onclick=&#39;f()&#39; &amp;amp;");
  CHECK(html::escaped(std::string_view("a\0b\x1b[2J\xff", 8)) == "a\\x00b\\x1b[2J\\xff");
  CHECK(html::escaped("µs → 32 ×\n\tnext") == "µs → 32 ×\n\tnext");
}

TEST_CASE("what stands in backquotes is code, and a lone one is itself") {
  CHECK(html::with_code("`a<b>` or `c") == "<code>a&lt;b&gt;</code> or `c");
}

TEST_CASE("data of a page cannot end its element") {
  const auto block = html::data_block("events", R"({"text": "</script><!-- <script>"})");
  CHECK(block ==
        "<script type=\"application/json\" id=\"events\">{\"text\": \"\\u003c/script>\\u003c!-- "
        "\\u003cscript>\"}</script>\n");
}

TEST_CASE("a slug is a name for ids and files") {
  CHECK(html::slug("shared_strided<float, 256>") == "shared-strided-float-256");
  CHECK(html::slug("../../etc/passwd") == "etc-passwd");
  CHECK(html::slug("<>") == "x");
  CHECK(html::slug("") == "x");
}

TEST_CASE("a page is one document that loads nothing and runs no script but ours") {
  const auto text = html::document({.title = "a <b> & c", .description = "\"quoted\"", .body = "<h1>Title</h1>\n"});
  CHECK(text.starts_with("<!doctype html>\n<html lang=\"en\">"));
  CHECK(has(text, "<title>a &lt;b&gt; &amp; c</title>"));
  CHECK(has(text, "content=\"&quot;quoted&quot;\""));
  CHECK(has(text, "default-src 'none'; style-src 'sha256-"));
  CHECK(has(text, "script-src 'sha256-"));
  CHECK(!has(text, "unsafe-"));
  CHECK(has(text, "<main id=\"content\">\n<h1>Title</h1>\n</main>"));
  CHECK(has(text, "name=\"viewport\""));
  for (const auto* remote : {"http://", "https://", "url(", "@import", "<link rel=\"stylesheet\"", " src="})
    CHECK(!has(text, remote));
  CHECK(!std::regex_search(text, std::regex("<[a-z][^>]* (style|on[a-z]+)=")));
}

TEST_CASE("links above a page name its home first") {
  const auto text =
      html::document({.title = "t", .body = "<h1>t</h1>", .top = {{"Course", "index.html"}, {"R&D", "r.html"}}});
  CHECK(has(text, "<a href=\"index.html\">Course</a><nav aria-label=\"Pages\"><a href=\"r.html\">R&amp;D</a></nav>"));
}
