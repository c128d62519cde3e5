#!/usr/bin/env python3
"""What the book's site needs beside mdBook; scripts/book calls it.

  book.py supports RENDERER    whether it can prepare pages for a renderer (mdBook asks this)
  book.py                      prepares the pages: a context and a book as JSON come in, a book goes out
  book.py check SITE           finds broken links, missing images and formulas that were not understood

Formulas become MathML, which browsers draw without a script or a network. Pages of the repository that
the book links to become pages of the site; links to what is no page become plain text.
"""
import html.parser
import json
import pathlib
import posixpath
import re
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
BOOK = "book/src"
# Pages of the repository, and their names in the contents.
PAGES = {
    "README.md": "The program in short",
    "ARCHITECTURE.md": "Architecture",
    "CONTRIBUTING.md": "Contributing",
    "validation/README.md": "Table of cases",
}


def place(path):
    """Where a file of the repository is in the site; None if it is not there."""
    if path in PAGES:
        return "repository/" + path.replace("/README", "").replace("README", "short").lower()
    inside = path.startswith(BOOK + "/") and (ROOT / path).is_file()
    # mdBook calls a README its folder's index.
    return re.sub(r"README\.md$", "index.md", path[len(BOOK) + 1 :]) if inside else None


def linked(text, source):
    """The text of a page with links for the site; `source` is its path in the repository."""
    here = posixpath.dirname(place(source))

    def link(found):
        mark, words, target = found.groups()
        path, _, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return found.group(0)
        there = place(posixpath.normpath(posixpath.join(posixpath.dirname(source), path)))
        if there is None:
            return words
        there = posixpath.relpath(there, here or ".") + ("#" + anchor if anchor else "")
        return f"{mark}[{words}]({there})"

    return re.sub(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)", link, text)


def formulas(text):
    """The text of a page with MathML for $…$ and $$…$$."""
    from latex2mathml.converter import convert

    def formula(found):
        display = found.group(1) is not None
        made = convert(found.group(1) or found.group(2), display="block" if display else "inline")
        return re.sub(r"\s*\n\s*", " ", made)

    return re.sub(r"\$\$(.+?)\$\$|(?<![\w$\\])\$([^\s$](?:[^$\n]*[^\s$])?)\$(?!\w)", formula, text, flags=re.S)


def prepared(text, source):
    """A page for the site. Code stays as it is."""
    parts = re.split(r"(^ *```.*?^ *```[^\n]*$|`[^`\n]+`)", text, flags=re.S | re.M)
    # Code in the words of a link would cut the link in two: links first, with the code in them.
    kept = {}
    for i, part in enumerate(parts):
        if i % 2:
            key = f"\x00{i}\x00"
            kept[key] = part
            parts[i] = key
    text = formulas(linked("".join(parts), source))
    return re.sub(r"\x00\d+\x00", lambda found: kept[found.group(0)], text)


def prepare():
    _, book = json.load(sys.stdin)
    items = book["items"] if "items" in book else book["sections"]

    def walk(items):
        for item in items:
            if isinstance(item, dict) and "Chapter" in item:
                chapter = item["Chapter"]
                if chapter["path"]:
                    chapter["content"] = prepared(chapter["content"], f"{BOOK}/{chapter['source_path']}")
                walk(chapter["sub_items"])

    walk(items)
    for path, name in PAGES.items():
        text = prepared((ROOT / path).read_text(), path)
        chapter = {"name": name, "content": text, "number": None, "sub_items": [], "path": place(path)}
        items.append({"Chapter": chapter | {"source_path": None, "parent_names": []}})
    json.dump(book, sys.stdout)


class Page(html.parser.HTMLParser):
    """Anchors, links and formulas of a page."""

    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.math, self.inside, self.text = set(), [], 0, [], []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes[k] for k in ("id", "name") if attributes.get(k)}
        for key in ("href", "src"):
            if attributes.get(key):
                self.links.append((tag, attributes[key]))
        self.math += tag == "math"
        if tag in ("math", "code", "pre", "script", "style"):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data):
        if "math" in self.inside or not self.inside:
            self.text.append(data)


def check(site):
    site = pathlib.Path(site).resolve()
    pages = {}
    for path in sorted(site.rglob("*.html")):
        pages[path] = Page()
        pages[path].feed(path.read_text())
    wrong, links, formulas = [], 0, 0
    for path, page in pages.items():
        if path.name in ("print.html", "toc.html", "404.html"):
            continue
        name = path.relative_to(site)
        formulas += page.math
        raw = re.search(r"\\[a-zA-Z(\[]+|\$[^\s$][^$\n]*\$", " ".join(page.text))
        if raw:
            wrong.append(f"{name}: a formula was not understood: {raw.group(0)}")
        for tag, target in page.links:
            url = urllib.parse.urlsplit(target)
            if url.scheme or url.netloc:
                if tag != "a":
                    wrong.append(f"{name}: {tag} needs the network: {target}")
                continue
            links += 1
            there = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            if not there.is_file():
                wrong.append(f"{name}: {target} is not there")
            elif url.fragment and there in pages:
                if urllib.parse.unquote(url.fragment) not in pages[there].anchors:
                    wrong.append(f"{name}: {target} has no such place")
    print("\n".join(wrong + [f"{len(pages)} pages, {links} links, {formulas} formulas, {len(wrong)} wrong"]))
    sys.exit(1 if wrong or not formulas else 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["supports"]:
        sys.exit(0 if sys.argv[2] == "html" else 1)
    elif sys.argv[1:2] == ["check"]:
        check(sys.argv[2])
    else:
        prepare()
