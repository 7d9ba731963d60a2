"""What a page says of itself, as a strict reader has it: its ids, links, headings, tables, pictures."""
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input", "col", "wbr"}
DRAWN = {"path", "rect", "circle", "line", "polyline"}  # of SVG, which closes them itself


class Page(HTMLParser):
    """`wrong`: what is not as it should be, in words."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.ids, self.links, self.headings, self.wrong, self.open = [], [], [], [], []
        self.tables = self.labelled_tables = 0
        self.feed(text)
        if self.open:
            self.wrong.append(f"<{self.open[-1]}> is never closed")
        self.wrong += [f"the id {one} stands twice" for one in sorted({one for one in self.ids if self.ids.count(one) > 1})]
        if [level for level in self.headings if level == 1] != [1]:
            self.wrong.append(f"{self.headings.count(1)} headings of the first level")
        steps = zip(self.headings, self.headings[1:])
        self.wrong += [f"a heading of level {after} behind one of level {before}" for before, after in steps if after > before + 1]

    def handle_starttag(self, tag, attributes):
        has = dict(attributes)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in has:
            self.ids.append(has["id"])
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        if tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.headings.append(int(tag[1]))
        if tag == "img" and not has.get("alt"):
            self.wrong.append("a picture without words")
        if tag == "html" and has.get("lang") != "en":
            self.wrong.append("no language")
        source = has.get("src", has.get("href", "") if tag == "link" else "")
        if source and not source.startswith("data:"):
            self.wrong.append(f"<{tag}> loads {source}")
        self.wrong += [f"<{tag}> has {name}" for name in has if name == "style" or name.startswith("on")]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")


def dead_links(pages):
    """`pages`: file name -> Page. Links that lead nowhere, in words; those of other sites are not asked for."""
    wrong = []
    for name, page in sorted(pages.items()):
        for link in page.links:
            if link.startswith("https://"):
                continue
            address, _, anchor = link.partition("#")
            there = pages.get(address or name)
            if there is None:
                wrong.append(f"{name}: {link} leads nowhere")
            elif anchor and anchor not in there.ids:
                wrong.append(f"{name}: {link}: no such place on the page")
    return wrong
