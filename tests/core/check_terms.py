# SPDX-License-Identifier: BSD-3-Clause
"""check_terms.py ROOT: fails on a text for users that has a word which docs/terms.md replaced.

Texts are string literals with a space in views, app and core, those of several lines joined; each word of the
page's last table is looked for in them."""

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
    print("\n".join(wrong))
    print(f"{read} texts, {len(words)} words that are not used, {len(wrong)} found")
    sys.exit(1 if wrong or read < 3000 else 0)


if __name__ == "__main__":
    main()
