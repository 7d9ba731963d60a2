#include "runner/course/markdown.h"

#include "common/embedded.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

std::string html_of(std::string_view text) {
  return markdown_html(text, [](std::string_view address) { return std::string(address); });
}

}  // namespace

TEST_CASE("paragraphs, headings and emphasis of Markdown become HTML") {
  CHECK(html_of("One *two*\n  three **four `five*`**.\n\nSix") ==
        "<p>One <em>two</em>\nthree <strong>four <code>five*</code></strong>.</p>\n<p>Six</p>\n");
  CHECK(html_of("## The `if`: *costs*") == "<h2 id=\"the-if-costs\">The <code>if</code>: <em>costs</em></h2>\n");
  CHECK(html_of("2 * 3 * 4, a*b, \\*, `a`s") == "<p>2 * 3 * 4, a*b, *, <code>a</code>s</p>\n");
}

TEST_CASE("lists go on over lines, nest, and hold code") {
  CHECK(html_of("- one\n  more\n- two\nlazy\n") == "<ul>\n<li>one\nmore</li>\n<li>two\nlazy</li>\n</ul>\n");
  CHECK(html_of("1. one\n2. two\n   - inner\n") ==
        "<ol>\n<li>one</li>\n<li><p>two</p>\n<ul>\n<li>inner</li>\n</ul>\n</li>\n</ol>\n");
}

TEST_CASE("a line of a paragraph may begin with a number, but 1. begins a list") {
  CHECK(html_of("z exceeds\n2. Pixels\n") == "<p>z exceeds\n2. Pixels</p>\n");
  CHECK(html_of("- of\n  371. Short\n") == "<ul>\n<li>of\n371. Short</li>\n</ul>\n");
  CHECK(html_of("Two:\n1. one\n2. two\n") == "<p>Two:</p>\n<ol>\n<li>one</li>\n<li>two</li>\n</ol>\n");
}

TEST_CASE("code is shown as it stands, and a table has headings") {
  CHECK(html_of("```\na < b  *c*\n```\n").find("<pre><code>a &lt; b  *c*\n</code></pre>") != std::string::npos);
  const auto table = html_of("| a | `b|c` |\n|---|--:|\n| 1 \\| 2 | 3 |\n");
  CHECK(table.find("<th scope=\"col\">a</th><th scope=\"col\" class=\"num\"><code>b|c</code></th>") !=
        std::string::npos);
  CHECK(table.find("<td>1 | 2</td><td class=\"num\">3</td>") != std::string::npos);
}

TEST_CASE("links lead where the page says, and markup in the text is text") {
  const auto none = [](std::string_view) { return std::string(); };
  CHECK(html_of("[a *b*](x.html#y)") == "<p><a href=\"x.html#y\">a <em>b</em></a></p>\n");
  CHECK(markdown_html("[a](x)", none) == "<p>a</p>\n");
  CHECK(html_of("<b>&amp;</b> [no](") == "<p>&lt;b&gt;&amp;amp;&lt;/b&gt; [no](</p>\n");
}

TEST_CASE("no lecture page uses Markdown that is not understood") {
  for (const auto& file : embedded_pages()) {
    if (!file.path.ends_with(".md")) continue;
    INFO(file.path);
    const auto page = markdown_page(file.text);
    CHECK(!page.title.empty());
    auto html = html_of(page.rest);
    for (const auto& [open, close] : {std::pair<std::string, std::string>{"<pre>", "</pre>"}, {"<code>", "</code>"}})
      for (auto at = html.find(open); at != html.npos; at = html.find(open))
        html.erase(at, html.find(close, at) - at + close.size());
    for (const auto* left : {"**", "](", "```", "\n|", "\n- ", "\n# ", "`"}) {
      INFO(left);
      CHECK(html.find(left) == html.npos);
    }
  }
}
