# SPDX-License-Identifier: BSD-3-Clause
"""check_terms.py ROOT: fails on a text for users that has a word which docs/terms.md replaced.

Texts are string literals with a space in views, app and core, those of several lines joined, and the paragraphs of
README.md, docs and the manual; each word of the page's last table is looked for in them."""

import os
import re
import sys

LITERALS = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*')
ONE = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def replaced(page):
    rows = page.split("## Replaced", 1)[1].splitlines()
    for row in rows:
        if row.startswith("|") and not row.startswith(("|---", "| not ")):
            for word in row.split("|")[1].split(","):
                yield re.sub(r"\s*\(.*?\)", "", word).strip()


def texts(source):
    source = "\n".join("" if line.lstrip().startswith(("//", "#include")) else line for line in source.splitlines())
    for match in LITERALS.finditer(source):
        text = "".join(ONE.findall(match.group(0)))
        if " " in text:
            yield source.count("\n", 0, match.start()) + 1, text


def guides(root):
    """README.md, and the pages of docs but for the list itself."""
    yield os.path.join(root, "README.md")
    for folder, _, names in os.walk(os.path.join(root, "docs")):
        for name in sorted(names):
            if name.endswith(".md") and name != "terms.md":
                yield os.path.join(folder, name)


def paragraphs(page):
    """A line number, and a paragraph as one line."""
    at = 1
    for part in page.split("\n\n"):
        yield at, " ".join(part.split())
        at += part.count("\n") + 2


def main():
    root = sys.argv[1]
    with open(os.path.join(root, "docs/terms.md"), encoding="utf-8") as page:
        words = list(replaced(page.read()))
    if not words:
        sys.exit("docs/terms.md: its last table has no words")
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, words)) + r")\b")
    read, wrong = 0, []
    for room in ("views", "app", "core"):
        for folder, _, names in os.walk(os.path.join(root, room)):
            for name in sorted(names):
                if not name.endswith((".cpp", ".inc")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    for line, text in texts(file.read()):
                        read += 1
                        if found := pattern.search(text):
                            wrong.append(f"{os.path.relpath(path, root)}:{line}: '{found.group(0)}' in: {text}")
    for path in guides(root):
        with open(path, encoding="utf-8") as file:
            for line, text in paragraphs(file.read()):
                read += 1
                for found in pattern.finditer(text):
                    near = text[max(0, found.start() - 40) : found.end() + 40]
                    wrong.append(f"{os.path.relpath(path, root)}:{line}: '{found.group(0)}' in: {near}")
    print("\n".join(wrong))
    print(f"{read} texts, {len(words)} words that are not used, {len(wrong)} found")
    sys.exit(1 if wrong or read < 3000 else 0)


if __name__ == "__main__":
    main()
