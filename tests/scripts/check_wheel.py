# SPDX-License-Identifier: BSD-3-Clause
"""check_wheel.py SOURCE: what the wheels say of themselves is what the build, the scripts and the sources say. Builds nothing and needs no
network; scripts/wheel builds and tries them."""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
faults = []


def read(path):
    return (root / path).read_text(encoding="utf-8")


def same(what, got, wanted):
    if got != wanted:
        faults.append(f"{what}: {got!r}, not {wanted!r}")


def one(pattern, text, what):
    found = re.search(pattern, text, re.MULTILINE)
    if not found:
        faults.append(f"{what} is not there")
    return found[1] if found else ""


def names_in(text, begin, end):
    return set(re.findall(r"[\w.+-]*\w\.so\.\d", text[text.index(begin) : text.index(end, text.index(begin))]))


def metadata():
    project, capture = read("pyproject.toml"), read("plugins/capture/pyproject.toml")
    version = one(r"^project\(dynascope VERSION ([0-9.]+)", read("CMakeLists.txt"), "the version of CMakeLists.txt")
    recorder = one(r'^__version__ = "(.*?)"', read("plugins/capture/dynascope_capture/__init__.py"), "the recorder's version")
    same("the recorder's version", recorder, version)
    pattern = one(r"^regex = '(.*)'$", project, "the pattern of the version in pyproject.toml")
    same("the version by pyproject.toml's pattern", one(pattern.replace("?P<value>", ""), read("CMakeLists.txt"), "it"), version)
    torch = one(r"^torch_version=(.*)$", read("scripts/lib.sh"), "torch_version")
    same("the extra engine", one(r'^engine = \["(.*)"\]$', project, "the extra engine"), f"torch=={torch}")
    for text in (project, capture):
        same("the licence", one(r'^license = "(.*)"$', text, "the licence"), "BSD-3-Clause")
    for name in re.findall(r'^readme = "(.*)"$', project, re.MULTILINE) + ["resources/wheel/NOTICES.md", "LICENSE"]:
        same(f"{name} is there", (root / name).is_file(), True)


def components():
    chosen = set(re.findall(r'"(\w+)"', one(r"^install.components = \[(.*)\]$", read("pyproject.toml"), "install.components")))
    files = ["cmake/DynascopeInstall.cmake", "cmake/DynascopeNotices.cmake", "plugins/CMakeLists.txt", "plugins/cuda/CMakeLists.txt"]
    used = set()
    for name in files:
        used |= set(re.findall(r"COMPONENT (\w+)", read(name)))
    same("components of the wheel", chosen, used)


def entry_points():
    functions = {node.name for node in ast.parse(read("app/python/dynascope/__init__.py")).body if isinstance(node, ast.FunctionDef)}
    for name, function in re.findall(r'^([\w-]+) = "dynascope:(\w+)"$', read("pyproject.toml"), re.MULTILINE):
        same(f"the entry point of {name}", function in functions, True)


def libraries():
    """Qt's platform loads by name, each after what it needs: the program's list and what is installed are one."""
    source = read("app/gui/desktop_libraries.cpp")
    listed = {name.removeprefix("libxcb-") for name in names_in(source, "libraries{", "};")}
    same("libraries of a desktop", names_in(read("cmake/DynascopeNotices.cmake"), "foreach(name", ")"), listed)
    notices = read("resources/wheel/NOTICES.md").lower()
    for name in re.findall(r"^dynascope_archive\((\w+)", read("cmake/DynascopeWheel.cmake"), re.MULTILINE) + ["zstd", "lzma", "lz4", "bzip2"]:
        same(f"a notice about {name}", {"archive": "libarchive", "sqlite3": "sqlite"}.get(name, name) in notices, True)


def launcher():
    """Arguments, exit status and what is missing go through."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(root / "app/python/dynascope", folder + "/dynascope")
        os.mkdir(folder + "/dynascope/bin")
        program = folder + "/dynascope/bin/dynascope-cli"
        with open(program, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nprintf "%s|" "$@"\nexit 7\n')
        os.chmod(program, 0o755)

        def run(function, *arguments):
            code = f"import dynascope; dynascope.{function}()"
            return subprocess.run([sys.executable, "-B", "-c", code, *arguments], cwd=folder, capture_output=True, text=True, check=False)

        done = run("command_line", "a b", "--x=*", "")
        same("arguments and exit status", (done.stdout, done.returncode), ("a b|--x=*||", 7))
        done = run("window")
        same("without Qt", ("PySide6-Essentials" in done.stderr, done.returncode), (True, 1))
        done = run("engine")
        same("without the engine", ("has no engine" in done.stderr, done.returncode), (True, 1))


for check in (metadata, components, entry_points, libraries, launcher):
    check()
print("\n".join(faults) or "the wheels say what the sources say")
sys.exit(bool(faults))
