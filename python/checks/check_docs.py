#!/usr/bin/env python3
"""Runs the commands that README and docs show, and compares what they print with what is shown.

    python python/checks/check_docs.py target/release/lucena [--update]

A command block is a fenced block `console` whose lines begin with `$ lucena`, each followed by what it
prints, or an indented block of lines that begin with `lucena`, of which only the success is tested. In
what is shown, a line `…` stands for any lines, times ("4.0 s") are those of some machine and
fingerprints those of some version. A block that takes too long or cannot be run as it stands says so in a
comment before it,

    <!-- not run: half an hour -->

and then only its commands and options are held against `lucena COMMAND --help`. All blocks of a page run
in one folder, in order, beside the networks of `nets/`. A picture that they draw and the page shows is
the one of `docs/`. `--update` writes what was printed into the page where that is something else, and
keeps the pictures.

docs/papers.md is drawn from stored measurements and tested elsewhere.
"""

import filecmp
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TIME = re.compile(r"\d[\d,]*(\.\d+)? (s|ms)\b")
PICTURE = re.compile(r"!\[[^\]]*\]\((boards/[^)]+\.svg)\)")
FINGERPRINT = re.compile(r"\b[0-9a-f]{32}\b")
NOT_RUN = re.compile(r"<!-- not run: .+ -->")
COMMAND = re.compile(r"^(\$ |    )lucena( |$)")


def pages():
    docs = os.path.join(ROOT, "docs")
    yield os.path.join(ROOT, "README.md")
    for name in sorted(os.listdir(docs)):
        if name.endswith(".md") and name != "papers.md":
            yield os.path.join(docs, name)


class Block:
    """The lines of a page from `first` up to `last` that are commands and what they print."""

    def __init__(self, first, last, fenced, run):
        self.first, self.last, self.fenced, self.run = first, last, fenced, run


def blocks(lines):
    i, remark = 0, ""
    while i < len(lines):
        line = lines[i]
        if line.startswith("```"):
            end = lines.index("```", i + 1)
            if line == "```console":
                yield Block(i + 1, end, True, not NOT_RUN.match(remark))
            i, remark = end, ""
        elif COMMAND.match(line) and line.startswith("    "):
            end = i
            while end < len(lines) and lines[end].startswith("    "):
                end += 1
            yield Block(i, end, False, not NOT_RUN.match(remark))
            i, remark = end - 1, ""
        elif line.strip():
            remark = line
        i += 1


def commands(lines, block):
    """Pairs of a command and the lines it prints."""
    found = []
    for line in lines[block.first : block.last]:
        if found and found[-1][0].endswith("\\"):
            command, shown = found.pop()
            found.append((command[:-1] + line.strip(), shown))
            continue
        if not block.fenced:
            line = "$ " + line[4:]
        if line.startswith("$ "):
            found.append((line[2:].split("  #")[0], []))
        elif found:
            found[-1][1].append(line)
    return [(command, shown) for command, shown in found if command.startswith("lucena")]


def masked(line):
    return FINGERPRINT.sub("#", TIME.sub("# s", line.rstrip()))


def agrees(shown, printed):
    """Are these the lines shown, where `…` stands for any?"""
    if not shown:
        return True
    if shown[0] == "…":
        return any(agrees(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    if not printed:
        return False
    if len(shown) == 1 and len(printed) > 1:
        return False
    return masked(shown[0]) == masked(printed[0]) and agrees(shown[1:], printed[1:])


class Checker:
    def __init__(self, lucena, update):
        self.lucena, self.update = lucena, update
        self.wrong, self.ran, self.read = [], 0, 0
        self.help = {}

    def lucena_run(self, words, folder):
        env = dict(os.environ, NO_COLOR="1", COLUMNS="100")
        for name in ["STATE", "DATA", "CACHE"]:
            env[f"XDG_{name}_HOME"] = os.path.join(folder, ".home")
        return subprocess.run([self.lucena, *words], cwd=folder, env=env, capture_output=True, text=True)

    def page(self, path):
        name = os.path.relpath(path, ROOT)
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        changes = []
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(ROOT, "nets"), os.path.join(folder, "nets"))
            for block in blocks(lines):
                replacement = []
                for command, shown in commands(lines, block):
                    where = f"{name}: {command}"
                    if block.run:
                        printed = self.run(where, command, shown, folder)
                    else:
                        self.known(where, command)
                        printed = shown
                    replacement += [f"$ {command}", *printed]
                if block.fenced and block.run and replacement:
                    changes.append((block, replacement))
            for picture in PICTURE.findall("\n".join(lines)):
                self.picture(path, picture, folder)
        if self.update:
            for block, replacement in reversed(changes):
                lines[block.first : block.last] = replacement
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))

    def run(self, where, command, shown, folder):
        self.ran += 1
        done = self.lucena_run(shlex.split(command)[1:], folder)
        printed = done.stdout.rstrip("\n").split("\n")
        if done.returncode != 0:
            self.wrong.append(f"{where}\n  fails: {done.stderr.strip()}")
        elif shown and not agrees(shown, printed) and not self.update:
            both = "\n".join(["  shown:", *("    " + s for s in shown), "  printed:", *("    " + p for p in printed)])
            self.wrong.append(f"{where}\n{both}")
        return printed if shown and not agrees(shown, printed) else shown

    def picture(self, page, name, folder):
        """Is the picture beside the page the one that its commands draw?"""
        kept = os.path.join(os.path.dirname(page), name)
        # One that a command draws by itself lies in the folder, not in one of its own.
        drawn = [os.path.join(folder, name), os.path.join(folder, os.path.basename(name))]
        drawn = next(filter(os.path.exists, drawn), "")
        if self.update and drawn:
            os.makedirs(os.path.dirname(kept), exist_ok=True)
            shutil.copyfile(drawn, kept)
        elif not os.path.exists(kept):
            self.wrong.append(f"{os.path.relpath(page, ROOT)} shows {name}, which is not there")
        elif drawn and not filecmp.cmp(drawn, kept, shallow=False):
            self.wrong.append(f"{os.path.relpath(page, ROOT)}: its commands draw another {name}")

    def help_of(self, name):
        """What a command says of itself, if there is one."""
        if name not in self.help:
            done = self.lucena_run([*name.split(), "--help"], ROOT)
            self.help[name] = done.stdout if done.returncode == 0 else None
        return self.help[name]

    def known(self, where, command):
        """Is there such a command, with such options?"""
        self.read += 1
        words = re.sub(r"[\[\]…]", " ", command).split()
        name, help = words[1], self.help_of(words[1])
        if help and "\nCommands:\n" in help:
            name = f"{name} {words[2]}"
            help = self.help_of(name)
        if help is None:
            self.wrong.append(f"{where}\n  there is no command '{name}'")
            return
        for option in (word.split("=")[0] for word in words if word.startswith("--")):
            if not re.search(rf"(^|\s){re.escape(option)}\b", help):
                self.wrong.append(f"{where}\n  'lucena {name}' has no option {option}")


def main():
    checker = Checker(os.path.abspath(sys.argv[1]), "--update" in sys.argv)
    for page in pages():
        checker.page(page)
    for wrong in checker.wrong:
        print(wrong, file=sys.stderr)
    print(f"docs: {checker.ran} commands run, {checker.read} held against their help, {len(checker.wrong)} wrong")
    sys.exit(1 if checker.wrong else 0)


if __name__ == "__main__":
    main()
