#!/usr/bin/env python3
"""generate.py [--strict] OUT: the manual in OUT/html, OUT/man3 and OUT/man7.

The API pages come from the headers of capi/ and their comments, Fortran's reference from its module,
the others from the Markdown pages in this folder. Python's standard library is all it needs. What it cannot make sense of (a function
without a comment, a name the headers do not have, a link or picture that leads nowhere) it reports;
with --strict the exit status is 1 then.
"""
import html
import json
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
CAPI = HERE.parent
FORTRAN = CAPI.parent / "bindings/fortran/nnpost.f90"
sys.dont_write_bytecode = True
sys.path.insert(0, str(CAPI))
sys.path.insert(0, str(HERE))
import fortran  # noqa: E402
from header import CORE, read, slug_of  # noqa: E402

# The pages in order: file, the title in the menu, its man page. All but "fortran" are Markdown.
PAGES = [
    ("index", "Start here", "nnpost"),
    ("examples", "Examples", "nnpost-examples"),
    ("languages", "Five languages", "nnpost-languages"),
    ("building", "Build and install", "nnpost-building"),
    ("model", "The model", "nnpost-model"),
    ("choosing", "Choosing settings", "nnpost-choosing"),
    ("running", "Running chains", "nnpost-running"),
    ("convergence", "Has it converged?", "nnpost-convergence"),
    ("machines", "Many machines", "nnpost-machines"),
    ("fortran", "Fortran's procedures", "nnpost-fortran"),
    ("inside", "How it works", "nnpost-inside"),
    ("testing", "How it is tested", "nnpost-testing"),
    ("speed", "Speed", "nnpost-speed"),
    ("results", "Results", None),
]
BEFORE_API = 9  # pages that come before the API in the menu

warnings = []
declared = set()  # all names that some header declares, from the beginning on


def warn(text):
    warnings.append(text)
    print(f"warning: {text}", file=sys.stderr)


# ---- What the headers say -----------------------------------------------------------------------

def name_of_function(code):
    return re.search(r"(nnp_\w+)\s*\(", code)[1]


# Which constants an argument takes: the enum that has this constant. `object.argument` comes first.
ARGUMENTS = {
    "activation": "NNP_RELU", "head": "NNP_GAUSSIAN", "property": "NNP_NOISE", "order": "NNP_ROW_MAJOR",
    "sampler": "NNP_GIBBS", "posterior": "NNP_CLASSICAL", "start": "NNP_START_ZERO", "move": "NNP_MOVE_PLAIN",
    "option": "NNP_OPTION_SIMD", "study.option": "NNP_STUDY_STEPS", "exchange.option": "NNP_EXCHANGE_STEPS",
    "multistart.option": "NNP_MULTISTART_STEPS", "exchange.from": "NNP_EXCHANGE_FROM_PRIOR",
    "kind": "NNP_PREDICT_MEAN", "score": "NNP_SCORE_MSE", "predictor.noise": "NNP_FITTED",
    "chain.statistic": "NNP_STEP_ENERGY", "statistic": "NNP_STAT_RHAT", "study.which": "NNP_SERIES_TEST",
    "scale": "NNP_SCALE_LOG", "store": "NNP_STORE_BYTES",
}


def argument_families(item):
    """(argument, a constant of its enum) of the int32_t arguments of a function."""
    found = []
    for code in item.code.split("\n"):
        thing = name_of_function(code).split("_")[1]
        for name in re.findall(r"\bint32_t \*?(\w+)", code.split("(", 1)[1]):
            constant = ARGUMENTS.get(f"{thing}.{name}", ARGUMENTS.get(name))
            if constant and (name, constant) not in found:
                found.append((name, constant))
    return found


def align(code):
    """A prototype in lines of at most 90 columns."""
    out = []
    for line in code.split("\n"):
        if len(line) <= 90:
            out.append(line)
            continue
        head, rest = line.split("(", 1)
        current = head + "("
        pad = " " * 4
        parts = rest.split(", ")
        for k, part in enumerate(parts):
            piece = part if k == len(parts) - 1 else part + ","
            if len(current) + len(piece) > 88 and current.strip():
                out.append(current.rstrip())
                current = pad + piece + " "
            else:
                current += piece + " "
        out.append(current.rstrip())
    return "\n".join(out)


# ---- Blocks: what a comment or a page is made of ------------------------------------------------

# ("p", text), ("code", text, language, file), ("list", [text]), ("table", [[cell]]),
# ("h", level, text), ("image", alt, path), ("tabs", [(label, code, language)])

def comment_blocks(text):
    """Paragraphs, indented code and lists of a comment. A line that ends early ends for a reason."""
    blocks, lines = [], text.split("\n")
    k = 0
    while k < len(lines):
        line = lines[k]
        if not line.strip():
            k += 1
            continue
        if line.startswith("    "):
            code = []
            while k < len(lines) and (lines[k].startswith("    ") or not lines[k].strip()):
                code.append(lines[k][4:])
                k += 1
            blocks.append(("code", "\n".join(code).rstrip(), "text", None))
            continue
        if line.startswith("- "):
            entries = []
            while k < len(lines) and lines[k].strip() and not lines[k].startswith("    "):
                if lines[k].startswith("- "):
                    entries.append(lines[k][2:])
                elif lines[k].startswith("  "):
                    entries[-1] += " " + lines[k].strip()
                else:
                    break
                k += 1
            blocks.append(("list", entries))
            continue
        part = line.strip()
        k += 1
        while k < len(lines) and lines[k].strip() and not lines[k].startswith(("    ", "- ")):
            room = len(lines[k - 1]) + 1 + len(lines[k].split()[0])
            apart = room <= 90 or lines[k].startswith("for NNP_")
            part += ("\n" if apart else " ") + lines[k].strip()
            k += 1
        blocks.extend(("p", one) for one in part.split("\n"))
    return blocks


def table_cells(line):
    cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    return [cell.strip().replace("\\|", "|") for cell in cells]


def page_blocks(path):
    """The blocks of a Markdown page: headings, paragraphs, lists, tables, pictures, code.

    ```c file=regression.c      takes the code from a file of this folder
    ```tabs … ```               lines `label file`: the same in several languages"""
    lines = path.read_text(encoding="utf-8").split("\n")
    blocks, k = [], 0
    while k < len(lines):
        line = lines[k]
        if not line.strip():
            k += 1
        elif line.startswith("```"):
            words = line[3:].split()
            language = words[0] if words else "text"
            end = next((e for e in range(k + 1, len(lines)) if lines[e] == "```"), None)
            if end is None:
                raise ValueError(f"{path.name}: a code block without an end")
            code = "\n".join(lines[k + 1:end])
            source = next((w[5:] for w in words if w.startswith("file=")), None)
            if language == "tabs":
                tabs = []
                for one in filter(None, code.split("\n")):
                    label, name = one.split()
                    tabs.append((label, (HERE / name).read_text(encoding="utf-8").rstrip(), name))
                blocks.append(("tabs", tabs))
            else:
                if source:
                    code = (HERE / source).read_text(encoding="utf-8").rstrip()
                blocks.append(("code", code, language, source))
            k = end + 1
        elif re.match(r"#{1,4} ", line):
            level = len(line.split()[0])
            blocks.append(("h", level, line[level:].strip()))
            k += 1
        elif line.startswith("|"):
            rows = []
            while k < len(lines) and lines[k].startswith("|"):
                rows.append(table_cells(lines[k]))
                k += 1
            if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
                warn(f"{path.name}: a table whose rows differ: {rows[0]}")
            blocks.append(("table", [rows[0]] + rows[2:]))
        elif re.fullmatch(r"!\[[^\]]*\]\([^)]*\)", line.strip()):
            alt, target = re.fullmatch(r"!\[([^\]]*)\]\(([^)]*)\)", line.strip()).groups()
            blocks.append(("image", alt, target))
            k += 1
        elif re.match(r"- ", line):
            entries = []
            while k < len(lines) and lines[k].strip():
                if lines[k].startswith("- "):
                    entries.append(lines[k][2:])
                else:
                    entries[-1] += " " + lines[k].strip()
                k += 1
            blocks.append(("list", entries))
        else:
            part = []
            while k < len(lines) and lines[k].strip() and not re.match(r"```|#{1,4} |\||- |!\[", lines[k]):
                part.append(lines[k].strip())
                k += 1
            if not part:
                raise ValueError(f"{path.name}: cannot read '{line}'")
            blocks.append(("p", " ".join(part)))
    return blocks


# ---- Where everything is ------------------------------------------------------------------------

class Book:
    def __init__(self):
        paths = [CAPI / name for name in (*CORE, "nnpost_mpi.h")]
        self.sections, self.storeys = [], []
        for path in paths:
            text = path.read_text(encoding="utf-8")
            declared.update(re.findall(r"\b(nnp_\w+)\(", text))
            declared.update(re.findall(r"^#\s*(?:if|elif|ifdef|ifndef|define)\b.*?\b(NNP_\w+)", text, re.MULTILINE))
        for path in paths:
            header = read(path)
            if path.name == "nnpost.h":
                self.intro = header.intro
                self.storeys.extend(header.storeys)
            else:
                (title, said), = header.storeys
                self.storeys.append((title, "\n\n".join(filter(None, [header.intro, said]))))
            self.sections.extend(header.sections)
        self.where, self.kind = {}, {}
        for section in self.sections:
            for item in section.items:
                for name in item.names:
                    if name in self.where and item.kind != "handle":
                        warn(f"{name}: declared twice")
                    self.where[name] = f"api-{section.slug}.html#{name}"
                    self.kind[name] = item.kind
                if item.kind == "function" and not item.text:
                    warn(f"{item.names[0]}: no comment says what it does")
        self.family = {name: item for section in self.sections for item in section.items
                       if item.kind == "enum" for name in item.names}
        for name, constant in ARGUMENTS.items():
            if constant not in self.family:
                warn(f"{constant}, for arguments '{name}', is not in the headers")
        self.fortran = {}  # its own names: where they are
        self.pages = {name: page_blocks(HERE / f"{name}.md") for name, _, _ in PAGES if name != "fortran"}
        self.pages["fortran"] = fortran_blocks(self, fortran.read(FORTRAN))

    def promise(self, section):
        """What will stay as it is in later releases: the paragraph of its storey that says so."""
        said = re.search(r"^Stability: (.*?)(?:\n\n|\Z)", dict(self.storeys).get(section.storey, ""),
                         re.DOTALL | re.MULTILINE)
        if not said:
            warn(f"{section.header}: the part '{section.storey}' says nothing about its stability")
            return ""
        return " ".join(said[1].split())


NAME = re.compile(r"\b(?:nnp|NNP)_\w*[A-Za-z0-9]\b")


# ---- Fortran's reference ------------------------------------------------------------------------

FORTRAN_INTRO = (
    "Generated from the module `nnpost`. Arguments in brackets are optional; give them by name, as in `call "
    "table%fit(x, y, seed=7, chains=2)`. The kinds `c_double`, `c_int32_t` and `c_int64_t` come with the module; a number is "
    "`0.9_c_double`, or `0.9d0`.",
    "Nearly every procedure also takes `stat`, an integer that is 0 on success, and `errmsg`, a character variable for "
    "the message; they come last and are not repeated below. `call x%clear()` of any object forgets its last failure.")


def c_function_of(book, bound, thing):
    """The function of the C API that a procedure stands for, or None."""
    calls = [c for p in bound.procedures for c in p.calls if book.kind.get(c) == "function"]
    named = [c for c in calls if c in (f"nnp_{thing}_{bound.name}", f"nnp_{bound.name}")]
    helping = ("_free", "_bytes", "_create", "_init", "_setting_info", "_table_predictor", "_table_data")
    main = [c for c in calls if not c.endswith(helping)]
    return next(iter(named + main + calls), None)


def fortran_entry(book, bound, name, thing):
    """The blocks of one name: how it is called, what it does, its function in C."""
    shown = fortran.shown_procedures(bound)
    blocks = [("h", 3, f"`{name}`"), ("code", fortran.calls_of(shown, name), "fortran", None)]
    said = list(dict.fromkeys(p.text for p in bound.procedures if p.text))
    function = c_function_of(book, bound, thing)
    if not said and not function:
        warn(f"nnpost.f90: no comment says what {name} does")
    if not said and function:
        item = next(i for s in book.sections for i in s.items if function in i.names)
        told = first_sentence(item.text).replace(" *", " ")
        told = re.sub(r"^Writes (\w)", lambda m: m[1].upper(), told) if bound.procedures[0].result else told
        said = [told]
    for text in said:
        blocks += comment_blocks(text)
    families = [(a, ARGUMENTS.get(f"{thing}.{a}", ARGUMENTS[a])) for a in fortran.families_of(bound)
                if a in ("head", "activation", "posterior", "sampler", "property", "option", "score", "statistic")
                and (a, thing) != ("head", "table")]  # that takes those of regression only
    if families:
        blocks.append(("list", [f"`{a}`: " + ", ".join(f"`{c}`" for c in book.family[one].names)
                                for a, one in families]))
    if fortran.has_wide_integers(bound):
        blocks.append(("p", "Integers may also be `integer(c_int64_t)`."))
    if function:
        blocks.append(("p", f"In C: `{function}`."))
    return blocks


def fortran_blocks(book, module):
    """The reference of the Fortran module: the one call first, then the types as the source has them."""
    blocks = [("h", 1, "Fortran's procedures")] + [("p", text) for text in FORTRAN_INTRO]
    base = next(t for t in module.types if t.base is None)
    types = [t for t in module.types if t is not base]
    types.sort(key=lambda t: t.name != "nnp_table")
    blocks += [("list", [f"[{t.name}](#{slug_of(t.name)}): {first_sentence(t.text or type_says(book, t.name))}"
                         for t in types])]
    blocks += [("h", 2, "The module")] + comment_blocks(module.text)
    for made in types:
        thing = made.name[len("nnp_"):]
        book.fortran[made.name] = f"fortran.html#{slug_of(made.name)}"
        blocks += [("h", 2, made.name)] + comment_blocks(made.text or type_says(book, made.name))
        if made.components:
            lines = [re.sub(r" = no_\w+$", "", code) + (f"  ! {said}" if said else "") for code, said in made.components]
            blocks.append(("code", "\n".join(lines), "fortran", None))
        for bound in made.bound:
            if bound.name != "free":
                blocks += fortran_entry(book, bound, f"{thing}%{bound.name}", thing)
    blocks += [("h", 2, "Procedures without an object")]
    for section in module.free:
        for bound in section.bound:
            book.fortran[bound.name] = f"fortran.html#{slug_of(bound.name)}"
            blocks += fortran_entry(book, bound, bound.name, "")
    blocks += [("h", 2, "Callbacks")]
    for made in module.interfaces:
        book.fortran[made.name] = f"fortran.html#{slug_of(made.name)}"
        blocks += [("h", 3, f"`{made.name}`"), ("code", fortran.calls_of([made], made.name), "fortran", None)]
        blocks += comment_blocks(made.text)
    return blocks


def type_says(book, name):
    """What the headers say about a handle of this name."""
    item = next((i for s in book.sections for i in s.items if name in i.names and i.kind == "handle"), None)
    if item is None or not item.text:
        warn(f"nnpost.f90: no comment says what {name} is")
    return item.text if item else ""


# ---- Names in text ------------------------------------------------------------------------------


def linked(book, text, origin, strict=True):
    """Escaped text whose names of the API are links. Names with a placeholder (X) are no names."""
    def link(match):
        name = match[0]
        places = [book.where, book.fortran]
        if origin == "fortran":
            places.reverse()
        place = places[0].get(name) or places[1].get(name)
        if place:
            return f'<a href="{place}">{name}</a>'
        tail = text[match.end():match.end() + 1]
        if strict and not re.search(r"_X(_|$)", name) and tail not in ("_", "…", "*") and \
                name not in declared:
            warn(f"{origin}: {name} is not in the headers")
        return name
    return NAME.sub(link, html.escape(text, quote=False))


def inline(book, text, origin):
    """Markdown's code, links, bold and italic; names of the API become links."""
    out, position = [], 0
    token = re.compile(r"`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)|\*\*(.+?)\*\*|(?<![\w*])\*([^*\s][^*]*?)\*(?!\w)")
    for match in token.finditer(text):
        out.append(linked(book, text[position:match.start()], origin))
        code, label, target, bold, italic = match.groups()
        if code is not None:
            options = re.sub(r"(?<!\S)(-[\w-]{1,20})(?![\w-])", r'<span class="option">\1</span>', linked(book, code, origin))
            out.append(f"<code>{options}</code>")
        elif label is not None:
            target = re.sub(r"^(\w[\w-]*)\.md", r"\1.html", target)
            out.append(f'<a href="{html.escape(target)}">{inline_plain(label)}</a>')
        elif bold is not None:
            out.append(f"<strong>{inline(book, bold, origin)}</strong>")
        else:
            out.append(f"<em>{inline(book, italic, origin)}</em>")
        position = match.end()
    out.append(linked(book, text[position:], origin))
    return "".join(out)


def inline_plain(text):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def numeric(cell):
    """Numbers are not broken at their signs."""
    return ' class="number"' if re.match(r"[-+]?\d[\d.,e+-]*( ± [\d.]+)?( %)?$", cell) else ""


def stripped(text):
    """Inline Markdown as plain text."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    return re.sub(r"\*\*|`", "", re.sub(r"(?<![\w*])\*([^*\s][^*]*?)\*(?!\w)", r"\1", text))


# ---- HTML ---------------------------------------------------------------------------------------

KEYWORDS = {
    "c": "int|double|char|void|const|static|struct|enum|typedef|return|if|else|for|while|sizeof|size_t|"
         "int32_t|int64_t|uint64_t|NULL",
    "python": "import|from|as|def|return|for|in|if|else|with|print",
    "r": "library|function|for|in|if|else|cat|TRUE|FALSE|NULL",
    "julia": "using|function|for|in|end|if|else|println|nothing",
    "fortran": "program|use|implicit|none|type|class|integer|real|logical|character|procedure|intent|call|if|then|end|do|"
               "print|allocatable|pointer",
}
COMMENTS = {"c": r"/\*.*?\*/", "python": r"#[^\n]*", "r": r"#[^\n]*", "julia": r"#[^\n]*",
            "fortran": r"![^\n]*", "sh": r"(?m)(?:^|(?<=\s))#[^\n]*"}


def coloured(book, code, language, origin):
    if language not in COMMENTS:
        return linked(book, code, origin) if language == "text" else html.escape(code, quote=False)
    flags = re.DOTALL
    pattern = re.compile(f"(?P<comment>{COMMENTS[language].replace('(?m)', '')})"
                         r"|(?P<string>\"(?:\\.|[^\"\\\n])*\")"
                         f"|(?P<word>\\b(?:{KEYWORDS.get(language, 'do|done|for')})\\b)", flags | re.MULTILINE)
    out, position, strict = [], 0, language == "c"  # other languages have names of their own
    for match in pattern.finditer(code):
        out.append(linked(book, code[position:match.start()], origin, strict))
        inner = linked(book, match[0], origin, strict)
        out.append(f'<span class="{match.lastgroup}">{inner}</span>')
        position = match.end()
    out.append(linked(book, code[position:], origin, strict))
    return "".join(out)


class Html:
    def __init__(self, book, out):
        self.book, self.out, self.index = book, out, []

    def blocks(self, blocks, origin, page):
        parts, used, section = [], set(), None
        for block in blocks:
            kind = block[0]
            if kind == "h":
                level, text = block[1], block[2]
                anchor = slug_of(stripped(text))
                if anchor in used:
                    warn(f"{origin}: two headings '{text}'")
                used.add(anchor)
                if level > 1:
                    parts.append(f'<h{level} id="{anchor}">{inline(self.book, text, origin)}'
                                 f'<a class="anchor" href="#{anchor}" aria-label="link">#</a></h{level}>')
                else:
                    parts.append(f'<h1 id="{anchor}">{inline(self.book, text, origin)}</h1>')
                section = [stripped(text), f"{page}#{anchor}", ""]
                self.index.append(section)
                continue
            parts.append(self.block(block, origin))
            if section is not None and kind in ("p", "list") and len(section[2]) < 240:
                words = block[1] if kind == "p" else " ".join(block[1])
                section[2] = (section[2] + " " + stripped(words)).strip()[:280]
        return "\n".join(parts)

    def block(self, block, origin):
        kind = block[0]
        if kind == "p":
            return f"<p>{inline(self.book, block[1], origin)}</p>"
        if kind == "code":
            code = coloured(self.book, block[1], block[2], origin)
            note = f'<figcaption>{pathlib.Path(block[3]).name}</figcaption>' if block[3] else ""
            return f'<figure class="code">{note}<pre tabindex="0"><code>{code}</code></pre></figure>'
        if kind == "list":
            return "<ul>" + "".join(f"<li>{inline(self.book, e, origin)}</li>" for e in block[1]) + "</ul>"
        if kind == "table":
            rows = block[1]
            head = "".join(f"<th>{inline(self.book, c, origin)}</th>" for c in rows[0])
            head = f"<thead><tr>{head}</tr></thead>" if any(rows[0]) else ""
            body = "".join("<tr>" + "".join(f"<td{numeric(c)}>{inline(self.book, c, origin)}</td>" for c in row) +
                           "</tr>" for row in rows[1:])
            return f'<div class="scroll" tabindex="0"><table>{head}<tbody>{body}</tbody></table></div>'
        if kind == "image":
            source = HERE / block[2]
            if not source.is_file():
                warn(f"{origin}: no picture {block[2]}")
                return ""
            name = source.name if source.parent == HERE else "-".join(source.resolve().parts[-2:])
            (self.out / "pictures").mkdir(exist_ok=True)
            shutil.copyfile(source, self.out / "pictures" / name)
            alt = html.escape(block[1])
            return (f'<figure class="picture"><img src="pictures/{name}" alt="{alt}" loading="lazy">'
                    f"<figcaption>{alt}</figcaption></figure>")
        if kind == "tabs":
            group = "tabs-" + slug_of(block[1][0][2])
            buttons, panes = [], []
            for k, (label, code, name) in enumerate(block[1]):
                checked = " checked" if k == 0 else ""
                language = {"py": "python", "jl": "julia", "f90": "fortran", "c": "c", "R": "r"}[name.split(".")[-1]]
                buttons.append(f'<input type="radio" name="{group}" id="{group}-{k}"{checked}>'
                               f'<label for="{group}-{k}">{label}</label>')
                panes.append(f'<div class="pane"><figure class="code"><figcaption>{label}: {pathlib.Path(name).name}</figcaption>'
                             f'<pre tabindex="0"><code>{coloured(self.book, code, language, origin)}</code></pre></figure></div>')
            return f'<div class="tabs">{"".join(buttons)}<div class="panes">{"".join(panes)}</div></div>'
        raise ValueError(f"{origin}: {kind}")

    def write(self, name, title, body, here, inside=()):
        menu = []
        for page, label, _ in PAGES[:BEFORE_API] + [("api", "The API", None)] + PAGES[BEFORE_API:]:
            current = ' aria-current="page"' if f"{page}.html" == here else ""
            menu.append(f'<li><a href="{page}.html"{current}>{label}</a>')
            if f"{page}.html" == here and inside:
                menu.append("<ul>" + "".join(f'<li><a href="{target}"{" aria-current=page" if target == name else ""}>'
                                             f"{html.escape(text)}</a></li>" for text, target in inside) + "</ul>")
            menu.append("</li>")
        text = TEMPLATE.format(title=html.escape(title), menu="".join(menu), body=body,
                               version=self.book.version)
        (self.out / name).write_text(text, encoding="utf-8")

    def page(self, name, title):
        blocks = self.book.pages[name]
        file = f"{name}.html"
        body = self.blocks(blocks, name if name == "fortran" else f"{name}.md", file)
        inside = [(stripped(b[2]), f"{file}#{slug_of(stripped(b[2]))}") for b in blocks
                  if b[0] == "h" and b[1] == 2]
        self.write(file, title, body, file, inside)

    def comment(self, text, origin):
        return "".join(self.block(b, origin) for b in comment_blocks(text))

    def families(self, item):
        lines = []
        for name, constant in argument_families(item):
            choices = self.book.family[constant].names if constant in self.book.family else []
            links = ", ".join(f'<a href="{self.book.where[c]}"><code>{c}</code></a>' for c in choices)
            lines.append(f"<li><code>{name}</code>: {links}</li>")
        return f'<ul class="choices">{"".join(lines)}</ul>' if lines else ""

    def item(self, item, section):
        origin = f"{section.header}: {item.names[0] if item.names else section.title}"
        if item.kind == "prose":
            return f'<div class="prose">{self.comment(item.text, origin)}</div>'
        file = f"api-{section.slug}.html"
        anchors = "".join(f'<span id="{name}"></span>' for name in item.names)
        if item.kind == "function":
            text = item.text
            self.index.append([item.names[0], f"{file}#{item.names[0]}", first_sentence(text)])
            heading = f"<code>{item.names[0]}</code>"
            code = coloured(self.book, align(item.code), "c", origin)
            return (f'<section class="entry">{anchors}<h3>{heading}</h3><pre tabindex="0"><code>{code}</code></pre>'
                    f"{self.comment(text, origin)}{self.families(item)}</section>")
        if item.kind == "define":
            self.index.append([item.names[0], f"{file}#{item.names[0]}", item.text])
            return (f'<section class="entry">{anchors}<h3><code>{item.names[0]}</code></h3>'
                    f"<pre><code>{html.escape(item.code)}</code></pre>{self.comment(item.text, origin)}</section>")
        if item.kind in ("handle", "callback"):
            self.index.append([item.names[0], f"{file}#{item.names[0]}", first_sentence(item.text)])
            code = coloured(self.book, align(item.code), "c", origin)
            return (f'<section class="entry">{anchors}<h3><code>{item.names[0]}</code></h3>'
                    f'<pre tabindex="0"><code>{code}</code></pre>{self.comment(item.text, origin)}</section>')
        rows = []
        for name, code, text in item.members:
            anchor = f' id="{name}"' if item.kind == "enum" else ""
            shown = "{} <small>{}</small>".format(*code.split(" = ")) if item.kind == "enum" else \
                linked(self.book, code, origin)
            rows.append(f"<tr{anchor}><td><code>{shown}</code></td><td>{inline(self.book, text, origin)}</td></tr>")
            if item.kind == "enum":
                self.index.append([name, f"{file}#{name}", text[:160]])
        if item.kind == "struct":
            self.index.append([item.names[0], f"{file}#{item.names[0]}", first_sentence(item.text)])
        heading = f"<code>{item.names[0]}</code>" if item.kind == "struct" else \
            f"<code>{family(item.names)}</code>"
        anchors = anchors if item.kind == "struct" else ""
        return (f'<section class="entry">{anchors}<h3>{heading}</h3>{self.comment(item.text, origin)}'
                f'<div class="scroll" tabindex="0"><table class="members"><tbody>{"".join(rows)}</tbody></table></div></section>')

    def summary(self, section):
        """A section's functions with their first sentences."""
        yield (f'<h3 id="{section.slug}"><a href="api-{section.slug}.html">{html.escape(section.title)}</a> '
               f"<small><code>{section.header}</code></small></h3>")
        rows = []
        for item in section.items:
            if item.kind == "function":
                name = item.names[0]
                rows.append(f'<tr><td><a href="{self.book.where[name]}"><code>{name}</code></a></td>'
                            f"<td>{inline(self.book, first_sentence(item.text), 'api')}</td></tr>")
        if rows:
            yield f'<div class="scroll" tabindex="0"><table class="members"><tbody>{"".join(rows)}</tbody></table></div>'

    def api(self):
        inside = [(s.title, f"api-{s.slug}.html") for s in self.book.sections]
        parts = ["<h1>The API</h1>", "<p>Generated from the headers. Every name in code is a link.</p>",
                 f'<h2 id="header">The header\'s own introduction</h2>{self.comment(self.book.intro, "nnpost.h")}']
        for title, said in self.book.storeys:
            parts.append(f'<h2 id="storey-{slug_of(title)}">{html.escape(title)}</h2>{self.comment(said, title)}')
            for section in self.book.sections:
                if section.storey == title:
                    parts.extend(self.summary(section))
        self.write("api.html", "The API", "\n".join(parts), "api.html", inside)
        for section in self.book.sections:
            file = f"api-{section.slug}.html"
            self.index.append([section.title, file, "a section of " + section.header])
            listed = [f'<a href="#{name}"><code>{name}</code></a>' for item in section.items
                      if item.kind == "function" for name in item.names]
            body = "\n".join([f"<h1>{html.escape(section.title)}</h1>",
                              f'<p class="from"><code>#include &lt;{section.header}&gt;</code></p>',
                              f'<p class="listed">{" ".join(listed)}</p>' if listed else ""] +
                             [self.item(item, section) for item in section.items])
            self.write(file, section.title, body, "api.html", inside)

    def finish(self):
        for name in ("style.css", "search.js"):
            shutil.copyfile(HERE / name, self.out / name)
        entries = json.dumps(self.index, ensure_ascii=False, separators=(",", ":"))
        (self.out / "search-index.js").write_text(f"var nnpostIndex = {entries};\n", encoding="utf-8")


def family(names):
    """NNP_START_… for an enum of several, the name itself for one."""
    if len(names) == 1:
        return names[0]
    shared = names[0]
    for name in names:
        while not name.startswith(shared):
            shared = shared[:-1]
    shared = shared[:shared.rfind("_") + 1]
    return f"{shared}…" if len(shared) > 4 else f"{names[0]}, {names[1]}" + (", …" if len(names) > 2 else "")


def clause(text, marks):
    """The text up to the first of some marks that is followed by a space or the end, not in brackets."""
    depth = 0
    for k, letter in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(letter, 0)
        ends = letter in marks and depth <= 0 and text[k + 1:k + 2] in ("", " ")
        if ends and not (letter == "." and (text[k - 1] == "." or text[:k].endswith(("et al", "e.g", "i.e")))):
            return text[:k]
    return text


def first_sentence(text):
    """The first sentence of a comment, or what it says before a colon if it is long."""
    flat = " ".join(text.split("\n\n")[0].split())
    sentence = clause(flat, ".")
    if len(sentence) < len(flat):
        sentence += "."
    if len(sentence) >= 170:
        short = clause(sentence, ":;")
        sentence = short + "." if len(short) < len(sentence) else sentence
    return sentence.rstrip(":;")


# What can be left out at the end of a phrase: it stands alone without.
TAIL = re.compile(r" and(?=, if )|, (?=(?:which|whose|where|for|with|without|by|as|from|in|of|on|at|if|then|"
                  r"such|using|so|counted|room|valid|side|one|each|not|all|what|when|the|both|n x|log p|numbered|laid out)\b)")
MOST_NAME = 100


def short_phrase(text, name):
    """The first sentence as man pages name things: a phrase without what is in brackets, no full stop."""
    # Without their backticks, "`steps` steps" and "`rows` new rows" would say a word twice.
    said_once = re.sub(r"`(\w+)` ((?:new )?\1)\b", r"\2", first_sentence(text))
    phrase = clause(stripped(said_once).rstrip("."), ":;?")
    phrase = re.sub(r",? (?:with|by)(?: the streams of)? \(.*", "", phrase)
    phrase = re.sub(r"(?<! =) \([^()]*\)", "", phrase)
    while len(phrase) > 75 and TAIL.search(phrase, 20):
        phrase = phrase[:list(TAIL.finditer(phrase, 20))[-1].start()]
    phrase = re.sub(r" and, if [^,]*$", "", phrase)
    if len(phrase) > MOST_NAME:
        warn(f"{name}: '{phrase}' has {len(phrase)} characters, expected at most {MOST_NAME} up to the first colon: it is the "
             "NAME of a man page")
    first = phrase.split()[0]
    return first.lower() + phrase[len(first):] if first.isalpha() and first[1:] == first[1:].lower() else phrase


TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} - nnpost</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<header>
<a class="brand" href="index.html">nnpost <small>{version}</small></a>
<label class="menu-button" for="menu">Menu</label>
<div class="search"><input id="search" type="search" placeholder="Search (press /)" autocomplete="off" aria-label="Search the manual">
<ul id="found" hidden></ul></div>
</header>
<input type="checkbox" id="menu" aria-hidden="true">
<nav><ul>{menu}</ul></nav>
<main>
{body}
</main>
<script src="search-index.js"></script>
<script src="search.js"></script>
</body>
</html>
"""


# ---- Man pages ----------------------------------------------------------------------------------

def roff(text, code=False):
    text = text.replace("\\", "\\e")
    if code:
        text = text.replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def man_page(target, within_brackets):
    """Where a link leads, for man pages: an address, another page of the manual, or an empty string."""
    if "//" in target:
        return f" <{roff(target)}>"
    page = next((n for file, _, n in PAGES if n and target.split("#")[0] in (f"{file}.md", f"{file}.html")), None)
    if not page:
        return ""
    return f", {page}(7)" if within_brackets else f" ({page}(7))"


# At the beginning of a word, after brackets and fonts. (Elsewhere \% would allow a break.)
IDENTIFIER = re.compile(r"(?<!\S)[(\[]*(?:\\f[BI])?(?:(?:nnp|NNP)_\w+|nnpost-[a-z]+)")


def unbroken(lines):
    """Keeps identifiers in one piece, except in code and in the names on the left of NAME."""
    out, code = [], False
    for line in "\n".join(lines).split("\n"):
        code = (code or line == ".EX") and line != ".EE"
        name, dash, said = line.rpartition(" \\- ") if out and out[-1] == ".SH NAME" else ("", "", line)
        if not code:
            said = IDENTIFIER.sub(lambda found: "\\%" + found[0].replace("-", "\\-"), said)
        out.append(name + dash + said)
    return out


def roff_inline(text):
    out, position = [], 0
    token = re.compile(r"`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)|\*\*(.+?)\*\*|(?<![\w*])\*([^*\s][^*]*?)\*(?!\w)")
    for match in token.finditer(text):
        out.append(roff(text[position:match.start()]))
        code, label, target, bold, italic = match.groups()
        if code is not None:
            out.append(f"\\fB{roff(code, True)}\\fP")
        elif label is not None:
            within = text[:match.start()].endswith("(") or text[match.end():].startswith(")")
            out.append(roff(stripped(label)) + man_page(target, within))
        elif bold is not None:
            out.append(f"\\fB{roff(stripped(bold))}\\fP")
        else:
            out.append(f"\\fI{roff(stripped(italic))}\\fP")
        position = match.end()
    out.append(roff(text[position:]))
    joined = "".join(out)
    return "\\&" + joined if joined[:1] in (".", "'") else joined


class Man:
    def __init__(self, book, out):
        self.book, self.out = book, out
        for folder in ("man3", "man7"):
            (out / folder).mkdir()

    def write(self, name, number, lines, tables=False):
        head = ["'\\\" t"] if tables else []
        head += ['.\\" Generated by capi/manual/generate.py: do not edit.',
                 f'.TH "{name.upper()}" "{number}" "" "nnpost {self.book.version}" "nnpost"']
        text = "\n".join(head + unbroken(lines)) + "\n"
        (self.out / f"man{number}" / f"{name}.{number}").write_text(text, encoding="utf-8")

    def blocks(self, blocks):
        lines = []
        for block in blocks:
            kind = block[0]
            if kind == "p":
                lines += [".PP", roff_inline(block[1])]
            elif kind == "h":
                title = roff(stripped(block[2]))
                if block[1] > 1:
                    lines.append(f'.{"SH" if block[1] == 2 else "SS"} "{title.upper() if block[1] == 2 else title}"'
                                 .replace('""', '"'))
            elif kind == "code":
                lines += [".PP", ".in +4n", ".EX", roff(block[1], True), ".EE", ".in"]
            elif kind == "list":
                for entry in block[1]:
                    lines += [".IP \\(bu 2", roff_inline(entry)]
            elif kind == "table":
                lines += self.table(block[1])
            elif kind == "image":
                lines += [".PP", f"(A picture, in the HTML manual: {roff(stripped(block[1]))})"]
            elif kind == "tabs":
                for label, code, _ in block[1]:
                    lines += [f'.SS "{roff(label)}"', ".EX", roff(code, True), ".EE"]
        return lines

    def table(self, rows):
        if len(rows[0]) == 2:
            lines = []
            for left, right in rows[1:]:
                lines += [".TP", roff_inline(left) or "\\ ", roff_inline(right) or "\\ "]
            return lines
        if len(rows[0]) > 5:  # too wide for a terminal: row by row, a line for each column
            lines = []
            for row in rows[1:]:
                lines += [".TP", roff_inline(row[0]) or "\\ "]
                for name, cell in zip(rows[0][1:], row[1:]):
                    lines += [f"{roff_inline(name)}: {roff_inline(cell)}", ".br"]
            return lines
        lines = [".TS", "tab(\t);", " ".join(["l"] * len(rows[0])) + "."]
        for row in rows:
            cells = []
            for cell in row:
                text = roff_inline(cell)
                cells.append("T{\n" + text + "\nT}" if text else "")
            lines.append("\t".join(cells))
        return [".PP"] + lines + [".TE"]

    def page(self, file, name):
        blocks = self.book.pages[file]
        title = stripped(next(b[2] for b in blocks if b[0] == "h" and b[1] == 1))
        title = re.sub(r"^nnpost: ", "", title)
        others = [n for _, _, n in PAGES if n and n != name]
        lines = [".SH NAME", f"{name} \\- {roff(title)}", ".SH DESCRIPTION"]
        lines += self.blocks(blocks)
        lines += [".SH SEE ALSO", ",\n".join([f".BR {o} (7)" for o in others]).replace(",\n", " ,\n")]
        lines[-1] = "\n".join(f".BR {o} (7){',' if k + 1 < len(others) else ''}" for k, o in enumerate(others))
        self.write(name, 7, lines, tables=any(b[0] == "table" for b in blocks))

    def api(self):
        for section in self.book.sections:
            overview = f"nnpost_{section.slug.replace('-', '_')}"
            listed = [".SH NAME", f"{overview} \\- {roff(section.title)}", ".SH SYNOPSIS",
                      f".B #include <{section.header}>", ".SH DESCRIPTION"]
            for item in section.items:
                listed += self.in_overview(item)
                if item.kind in ("struct", "callback", "handle"):
                    self.link(item.names[0], overview)
                elif item.kind == "function":
                    self.function(item, section, overview)
            listed += [".SH STABILITY", roff_inline(self.book.promise(section))]
            listed += [".SH SEE ALSO", ".BR nnpost (7)"]
            self.write(overview, 3, listed)

    def link(self, name, target):
        (self.out / "man3" / f"{name}.3").write_text(f".so man3/{target}.3\n", encoding="utf-8")

    def in_overview(self, item):
        if item.kind == "prose":
            return self.blocks(comment_blocks(item.text))
        if item.kind == "function":
            return [".PP", "\n.br\n".join(f"\\fB{n}\\fP(3)" for n in item.names),
                    ".RS 4", roff_inline(first_sentence(item.text)), ".RE"]
        lines = [f'.SS "{roff(family(item.names) if item.kind == "enum" else item.names[0])}"']
        lines += self.blocks(comment_blocks(item.text)) if item.text else []
        if item.kind in ("handle", "callback", "define"):
            return lines + [".PP", ".EX", roff(align(item.code), True), ".EE"]
        for _, code, text in item.members:
            lines += [".TP", f"\\fB{roff(code, True)}\\fP", roff_inline(text) or "\\ "]
        return lines

    def function(self, item, section, overview):
        text = item.text
        summary = roff(short_phrase(text, item.names[0]))
        lines = [".SH NAME", ", ".join(item.names) + f" \\- {summary}", ".SH SYNOPSIS",
                 f".B #include <{section.header}>", ".PP", ".EX", roff(align(item.code), True), ".EE",
                 ".SH DESCRIPTION"] + self.blocks(comment_blocks(text))
        for name, constant in argument_families(item):
            if constant in self.book.family:
                lines += [f'.SS "Values of {name}"']
                for _, code, said in self.book.family[constant].members:
                    lines += [".TP", f"\\fB{roff(code, True)}\\fP", roff_inline(said) or "\\ "]
        if "nnp_error *err" in item.code:
            lines += [".SH RETURN VALUE", "0 (NNP_OK), or a status that says what was refused. Unless\n.I err\n"
                      "is NULL, it receives the status and a sentence that names the argument, its value and what\n"
                      "was expected. After a failure the object is as it was and results are not written, unless said above.",
                      "See\n.BR nnpost_statuses (3)."]
        mentioned = [n for n in dict.fromkeys(NAME.findall(text)) if n in self.book.where and
                     self.book.kind[n] == "function" and n not in item.names]
        also = [f"{overview} (3)"] + [f"{n} (3)" for n in mentioned[:8]] + ["nnpost (7)"]
        lines += [".SH SEE ALSO"] + [f".BR {a}{',' if k + 1 < len(also) else ''}" for k, a in enumerate(also)]
        self.write(item.names[0], 3, lines)
        for name in item.names[1:]:
            self.link(name, item.names[0])


def snippets(book=None):
    """(page, number, code) of every C block of the pages."""
    for name, _, _ in PAGES:
        if name == "fortran":  # it has no C
            continue
        blocks = book.pages[name] if book else page_blocks(HERE / f"{name}.md")
        number = 0
        for block in blocks:
            if block[0] == "code" and block[2] == "c":
                number += 1
                yield name, number, block[1]
            if block[0] == "tabs":
                for _, code, file in block[1]:
                    if file.endswith(".c"):
                        number += 1
                        yield name, number, code


def main(out):
    out = pathlib.Path(out)
    for folder in ("html", "man3", "man7"):
        shutil.rmtree(out / folder, ignore_errors=True)
    (out / "html").mkdir(parents=True)
    book = Book()
    book.version = re.search(r'#define NNP_VERSION "(.*)"', (CAPI / "nnpost.h").read_text(encoding="utf-8"))[1]
    pages = Html(book, out / "html")
    for name, title, _ in PAGES:
        pages.page(name, title)
    pages.api()
    pages.finish()
    man = Man(book, out)
    for name, _, manual in PAGES:
        if manual:
            man.page(name, manual)
    man.api()
    return len(warnings)


if __name__ == "__main__":
    strict = sys.argv[1:2] == ["--strict"]
    if len(sys.argv) != 2 + strict:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    doubts = main(sys.argv[-1])
    sys.exit(1 if strict and doubts else 0)
