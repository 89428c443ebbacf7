#!/usr/bin/env python3
"""manual_test.py MANUAL README: the manual is whole.

- It is made without a warning.
- Every link, anchor, picture and script of the HTML pages leads somewhere; none needs another host.
- Every function of the headers has an entry in the HTML manual and a man page; man pages format
  without a warning, where there is groff, and are named as apropos reads them, where there is lexgrog.
- Every public procedure of the Fortran module has an entry.
- Every C snippet of the pages and of the README compiles as C99. Python and R snippets are parsed (R's where
  there is Rscript), and the functions of ours that they call exist.
- Every link and picture of the README leads to a file; it has at most 250 lines.
MANUAL is the folder capi/manual.
"""
import html.parser
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

failures = []


def fail(text):
    failures.append(text)
    print(f"FAIL: {text}")


class Page(html.parser.HTMLParser):
    """What a page defines and what it refers to."""
    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.sources, self.open, self.path = set(), [], [], [], path
        self.feed(path.read_text(encoding="utf-8"))
        if self.open:
            fail(f"{path.name}: never closed: {self.open}")

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if "id" in found:
            if found["id"] in self.ids:
                fail(f"{self.path.name}: two elements have the id {found['id']}")
            self.ids.add(found["id"])
        if tag == "a":
            self.links.append(found["href"])
        elif "href" in found or "src" in found:
            self.sources.append(found.get("href") or found["src"])
        if tag not in ("meta", "link", "img", "br", "input", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            fail(f"{self.path.name}: </{tag}> in the wrong place, line {self.getpos()[0]}")


def check_links(folder):
    pages = {path.name: Page(path) for path in folder.glob("*.html")}
    for name, page in pages.items():
        for source in page.sources:
            if "//" in source or not (folder / source).is_file():
                fail(f"{name}: needs {source}, expected a file of the manual")
        for link in page.links:
            if re.match(r"https?://", link):
                continue
            target, _, anchor = link.partition("#")
            if target and not (folder / target).is_file():
                fail(f"{name}: a link to {link}, which does not exist")
            elif anchor and anchor not in pages[target or name].ids:
                fail(f"{name}: a link to {link}, which has no such anchor")
    for name in re.findall(r'","([^"]*?)#', (folder / "search-index.js").read_text(encoding="utf-8")):
        if name not in pages:
            fail(f"search-index.js: {name} does not exist")
    print(f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links")
    return pages


def check_functions(out, headers, pages):
    anchors = set().union(*(page.ids for page in pages.values()))
    names = set()
    for header in headers:
        bare = re.sub(r"/\*.*?\*/", " ", header.read_text(encoding="utf-8"), flags=re.DOTALL)
        names.update(re.findall(r"NNP_API[^;(]*?\b(nnp_\w+)\(", bare))
    for name in sorted(names):
        if name not in anchors:
            fail(f"{name}: no entry in the HTML manual")
        page = out / "man3" / f"{name}.3"
        if not page.is_file():
            fail(f"{name}: no man page")
        elif page.read_text(encoding="utf-8").startswith(".so "):
            if not (out / page.read_text(encoding="utf-8").split()[1]).is_file():
                fail(f"{page.name}: refers to a page that does not exist")
    print(f"{len(names)} functions")


def check_roff(out):
    if not shutil.which("groff"):
        print("no groff: man pages are not formatted")
        return
    whole = [p for p in sorted(out.glob("man?/*")) if not p.read_text(encoding="utf-8").startswith(".so ")]
    # Pages with tables are formatted one by one, as man does: within a long document page breaks can cut a table.
    tables = [p for p in whole if p.read_text(encoding="utf-8").startswith("'\\\" t")]
    for pages in [[p] for p in tables] + [[p for p in whole if p not in tables]]:
        done = subprocess.run(["groff", "-k", "-t", "-man", "-ww", "-z", "-Tutf8", "-rLL=200n", *map(str, pages)],
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.stderr or done.returncode:
            fail(f"man pages, {pages[0].name} and {len(pages) - 1} others: {done.stderr.strip()[:1000]}")
    print(f"{len(tables)} of the man pages have tables")
    print(f"{len(whole)} man pages")


def check_names(out):
    """What `apropos` will say: a phrase that is not cut off."""
    named = {}
    for page in sorted(out.glob("man?/*")):
        lines = page.read_text(encoding="utf-8").split("\n")
        if lines[0].startswith(".so "):
            continue
        name, dash, phrase = lines[lines.index(".SH NAME") + 1].partition(" \\- ")
        named[page] = (name, phrase)
        if not dash or not 2 < len(phrase) <= 100 or phrase.endswith((".", ",", "…", ":", " and", " or", " the", " of")):
            fail(f"{page.name}: NAME is '{name} - {phrase}', expected a short phrase")
        if phrase.count("(") != phrase.count(")"):
            fail(f"{page.name}: brackets in NAME do not match: '{phrase}'")
    if not shutil.which("lexgrog"):
        print("no lexgrog: names of man pages are not parsed")
        return
    done = subprocess.run(["lexgrog", *map(str, named)], stdout=subprocess.PIPE, text=True, check=False)
    read = set(re.findall(r'^(.*?): "', done.stdout, flags=re.MULTILINE))
    for page, (name, _) in named.items():
        if str(page) not in read:
            fail(f"{page.name}: lexgrog cannot read its NAME")
    print(f"{len(named)} names of man pages")


def check_fortran(module, pages):
    """Names that programs can call: type-bound ones, and procedures of the module that are not private."""
    text = re.sub(r"&\s*\n\s*", "", module.read_text(encoding="utf-8"))
    names, thing = [], None
    for line in text.split("\n"):
        began = re.match(r"  type, extends\(nnp_object\) :: nnp_(\w+)", line)
        thing = began[1] if began else None if line == "  end type" else thing
        bound = re.match(r"    (?:procedure|generic) :: (\w+)", line)
        if thing and bound and bound[1] != "free":
            names.append(f"{thing}-{bound[1]}")
    private = re.search(r"^  private :: (.*)$", text, flags=re.MULTILINE)[1].split(", ")
    bound = set(re.findall(r"=>\s*(\w+)", text)) | set(re.findall(r"\w+", " ".join(
        re.findall(r"^    (?:procedure, private|generic|procedure) ::(.*)$", text, flags=re.MULTILINE))))
    for name in re.findall(r"^  (?:subroutine|function) (\w+)", text, flags=re.MULTILINE):
        if name not in private and name not in bound and not name.endswith(("_final", "_trampoline")):
            names.append(name)
    for name in names:
        if re.sub(r"_+", "-", name) not in pages["fortran.html"].ids:
            fail(f"{name} of the Fortran module: no entry in fortran.html")
    if len(names) < 150 or names[0] != "net-create":
        fail(f"{len(names)} Fortran procedures, expected more than 150")
    print(f"{len(names)} Fortran procedures")


def check_snippets(manual, readme, generate):
    """All fragments are functions of one file; programs are compiled by themselves."""
    found = [(f"{page}.md", number, code) for page, number, code in generate.snippets()]
    blocks = re.findall(r"^```c\n(.*?)^```$", readme.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    found += [("README.md", number, code) for number, code in enumerate(blocks, 1)]
    prelude = (pathlib.Path(__file__).parent / "snippets.h").read_text(encoding="utf-8")
    parts, programs = [prelude], []
    for page, number, code in found:
        if "int main(" in code:
            programs.append((page, number, code))
            continue
        code = re.sub(r"^#include[^\n]*$", "", code, flags=re.MULTILINE)
        name = re.sub(r"\W", "_", page)
        parts.append(f'void {name}_{number}(void);\nvoid {name}_{number}(void) {{\n#line 1 "{page}, snippet {number}"\n'
                     f"{code}\n}}")
    for page, number, code in programs + [("fragments", 0, "\n".join(parts))]:
        with tempfile.NamedTemporaryFile("w", suffix=".c", encoding="utf-8") as file:
            file.write(code)
            file.flush()
            command = [*os.environ.get("CC", "cc").split(), "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror",
                       "-Wno-unused-variable", "-fsyntax-only", "-I", str(manual.parent), "-I", str(manual.parent.parent / "examples"), file.name]
            if subprocess.run(command, check=False).returncode:
                fail(f"{page}, snippet {number}: does not compile")
    print(f"{len(found)} C snippets, {len(programs)} of them programs")


def check_other_snippets(manual):
    """Python and R: they can be parsed, and each name of the package in them is one that it has."""
    bindings = manual.parent.parent / "bindings"
    python = "\n".join(p.read_text(encoding="utf-8") for p in (bindings / "python/nnpost").glob("*.py"))
    namespace = (bindings / "r/NAMESPACE").read_text(encoding="utf-8")
    exported = set(re.findall(r"\w+", " ".join(re.findall(r"^export\(([^)]*)\)", namespace, flags=re.MULTILINE))))
    count = 0
    for page in sorted(manual.glob("*.md")):
        blocks = re.findall(r"^```(python|r)\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for language, code in blocks:
            count += 1
            if language == "python":
                try:
                    compile(code, page.name, "exec")
                except SyntaxError as error:
                    fail(f"{page.name}: {error}")
                missing = [name for name in re.findall(r"\bnnpost\.(\w+)", code)
                           if not re.search(rf"^(?:class|def) {name}\b", python, flags=re.MULTILINE)]
            else:
                if shutil.which("Rscript") and subprocess.run(
                        ["Rscript", "-e", "invisible(parse(text = readLines(file('stdin'))))"],
                        input=code, text=True, check=False).returncode:
                    fail(f"{page.name}: R cannot parse\n{code}")
                missing = [name for name in re.findall(r"\b(nn_\w+)\(", code) if name not in exported]
            for name in missing:
                fail(f"{page.name}: {name} is not in the {language} package")
    if count < 4:
        fail(f"{count} snippets in Python and R, expected at least 4")
    print(f"{count} snippets in Python and R")


def check_readme(readme):
    text = readme.read_text(encoding="utf-8")
    if text.count("\n") > 250:
        fail(f"{readme.name}: it has {text.count(chr(10))} lines, expected at most 250: the rest belongs into the manual")
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    for link in links:
        if "//" not in link and not (readme.parent / link).exists():
            fail(f"{readme.name}: a link to {link}, which does not exist")
    print(f"{len(links)} links in {readme.name}")


def main(manual, readme):
    manual, readme = pathlib.Path(manual), pathlib.Path(readme)
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("generate", manual / "generate.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        if generate.main(out):
            fail("the manual has warnings, expected none")
        pages = check_links(out / "html")
        headers = sorted(manual.parent.glob("nnpost*.h"))
        check_functions(out, headers, pages)
        check_fortran(manual.parent.parent / "bindings/fortran/nnpost.f90", pages)
        check_roff(out)
        check_names(out)
    check_snippets(manual, readme, generate)
    check_other_snippets(manual)
    check_readme(readme)
    return 1 if failures else 0


sys.exit(main(*sys.argv[1:]))
