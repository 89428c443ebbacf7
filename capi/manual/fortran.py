"""fortran.py: reads the Fortran module nnpost, its types and procedures with their comments.

    module = read("bindings/fortran/nnpost.f90")

The manual's reference of Fortran is made from what it finds. It understands the way that file is
written: one module, a comment directly above what it describes, one attribute list per declaration.
"""
import pathlib
import re
from collections import namedtuple

# types: those that a program can declare; free: sections of procedures without an object.
Module = namedtuple("Module", "text types interfaces free")
# base: the type it extends, or None. components: (declaration, comment). bound: Bound, in the order of
# the source.
Type = namedtuple("Type", "name text base components bound")
# A name after the %, or a free procedure's own, and the procedures behind it.
Bound = namedtuple("Bound", "name procedures")
# result: None for a subroutine. arguments: Argument in order, `self` left out. calls: functions of the
# C API it calls, or procedures of this module.
Procedure = namedtuple("Procedure", "name text arguments result calls")
Argument = namedtuple("Argument", "name declaration optional")
Section = namedtuple("Section", "title bound")

REPORTING = ("stat", "errmsg")  # of nearly every procedure


def joined_lines(text):
    """(line, comment after it) with continued lines joined; a line of comment is ("", comment)."""
    out, pending = [], ""
    for raw in text.split("\n"):
        code, mark, said = raw.partition("!")
        if '"' in code and code.count('"') % 2:  # a ! in a string
            code, mark, said = raw, "", ""
        code = pending + code.strip()
        pending = ""
        if code.endswith("&"):
            pending = code[:-1].rstrip() + " "
            continue
        out.append((code, said[1:] if said.startswith(" ") else said if mark else None))
    return out


def flowing(lines):
    """A comment whose paragraphs are single lines; indented lines stay as they are."""
    out = []
    for line in lines:
        if line.startswith("    ") or not line.strip() or not out or not out[-1].strip() or \
                out[-1].startswith("    "):
            out.append(line.rstrip())
        else:
            out[-1] += " " + line.strip()
    return "\n".join(out).strip("\n")


def split_names(text):
    """Names of a list such as `x(:, :), y(:, :)`, with what belongs to them."""
    parts, depth, current = [], 0, ""
    for letter in text:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    return [part for part in parts + [current.strip()] if part]


def declarations_of(lines):
    """name: (attributes, name with its shape) of the declarations of a procedure."""
    found = {}
    for code, _ in lines:
        match = re.match(r"((?:integer|real|logical|character|type|class|procedure)\b.*?)\s*::\s*(.*)$", code)
        if not match:
            continue
        kind = [one for one in split_names(match[1]) if one not in ("contiguous", "target")]
        for name in split_names(match[2]):
            found[re.match(r"\w+", name)[0]] = (kind, name)
    return found


def read_procedure(lines, comment):
    """The procedure that starts at the first of some lines."""
    head = re.match(r"(subroutine|function)\s+(\w+)\s*\((.*?)\)(?:\s*bind\(c\))?(?:\s*result\((\w+)\))?$", lines[0][0])
    known = declarations_of(lines[1:])
    arguments = []
    for name in split_names(head[3]):
        kind, shaped = known[name]
        optional = "optional" in kind
        shown = ", ".join(one for one in kind if one != "optional") + " :: " + shaped
        arguments.append(Argument(name, shown, optional))
    result = None
    if head[1] == "function":
        kind, shaped = known[head[4] or head[2]]
        result = Argument(head[4] or head[2], ", ".join(kind) + " :: " + shaped, False)
    calls = list(dict.fromkeys(name for code, _ in lines[1:] for name in re.findall(r"\b(\w+)\s*\(", code)))
    return Procedure(head[2], flowing(comment), arguments, result, calls)


def is_public_binding(code):
    return re.match(r"(?:procedure|generic)\s*::\s*\w+", code)


def read_type(lines, comment):
    head = re.match(r"type(?:,\s*(?:abstract|extends\((\w+)\)))?\s*::\s*(\w+)", lines[0][0])
    components, bound, inside = [], [], False
    for code, said in lines[1:]:
        if code == "contains":
            inside = True
        elif not inside and "::" in code and "private" not in code:
            components.append((code, said or ""))
        elif inside and is_public_binding(code) and "assignment" not in code:
            name, _, behind = re.match(r"\w+\s*::\s*(\w+)(\s*=>\s*(.*))?$", code).groups()
            bound.append(Bound(name, split_names(behind or name)))
    return Type(head[2], flowing(comment), head[1], components, bound)


def end_of(lines, first, word):
    """The line that ends what starts at `first`; procedures may contain others."""
    depth = 0
    for k in range(first, len(lines)):
        code = lines[k][0]
        depth += 1 if re.match(rf"{word}\b(?!\s*\()(?!.*::.*=>)", code) else 0
        depth -= 1 if re.match(rf"end {word}\b", code) else 0
        if depth == 0:
            return k
    raise ValueError(f"'{lines[first][0]}' has no end")


class Reader:
    """Reads the module from top to bottom."""

    def __init__(self, path):
        self.lines = joined_lines(pathlib.Path(path).read_text(encoding="utf-8"))
        self.types, self.interfaces, self.sections = [], [], []
        self.procedures, self.generics, self.private, self.where = {}, [], set(), {}
        self.comment, self.text, self.in_interface = [], "", False

    def line(self, k):
        """Reads what starts at line k; returns the line after it."""
        code, said = self.lines[k]
        if not code and said is not None:
            heading = re.match(r"-{4} (.*?) -{4,}$", said)
            if heading:
                self.sections.append(heading[1])
            else:
                self.comment.append(said)
            return k + 1
        comment, self.comment = self.comment, []
        if code.startswith("module "):
            self.text = flowing(comment)
        elif code.startswith("private ::"):
            self.private.update(split_names(code[len("private ::"):]))
        elif re.match(r"interface \w+$", code):
            self.generics.append(Bound(code.split()[1], split_names(self.lines[k + 1][0].split("::")[1])))
        elif code == "abstract interface":
            self.in_interface = True
        elif code == "end interface":
            self.in_interface = False
        elif re.match(r"type\b(?!\().*::\s*\w+$", code):
            end = end_of(self.lines, k, "type")
            self.types.append(read_type(self.lines[k:end], comment))
            return end + 1
        elif re.match(r"(subroutine|function) ", code):
            end = end_of(self.lines, k, code.split()[0])
            made = read_procedure(self.lines[k:end], comment)
            if self.in_interface:
                self.interfaces.append(made)
            else:
                self.procedures[made.name] = made
                self.where[made.name] = self.sections[-1]
            return end + 1
        return k + 1

    def read(self):
        k = 0
        while k < len(self.lines):
            k = self.line(k)
        known = self.procedures
        for procedure in list(known.values()):  # a procedure that hands on to another calls what that calls
            further = [c for name in procedure.calls if name in known for c in known[name].calls]
            known[procedure.name] = procedure._replace(calls=list(dict.fromkeys(procedure.calls + further)))
        return Module(self.text, [self.whole(t) for t in self.types if t.name not in self.private],
                      self.interfaces, self.free())

    def whole(self, made):
        """A type with the procedures themselves."""
        return made._replace(bound=[Bound(b.name, [self.procedures[n] for n in b.procedures])
                                    for b in made.bound])

    def free(self):
        """Public procedures without an object, by section."""
        used = {n for t in self.types for b in t.bound for n in b.procedures} | self.private
        used |= {n for g in self.generics for n in g.procedures}
        used |= {n for n in self.procedures if n.endswith("_final") or n.endswith("_trampoline")}
        used |= {b for t in self.types for b in self.bound_privately(t.name)}
        found = {}
        for name, made in self.procedures.items():
            if name not in used:
                found.setdefault(self.where[name], []).append(Bound(name, [made]))
        for generic in self.generics:
            place = self.where[generic.procedures[0]]
            found.setdefault(place, []).append(Bound(generic.name, [self.procedures[n] for n in generic.procedures]))
        return [Section(title, bound) for title, bound in found.items()]

    def bound_privately(self, name):
        """Procedures that a type has for itself."""
        inside, out = False, []
        for code, _ in self.lines:
            if re.match(rf"type\b(?!\().*::\s*{name}$", code):
                inside = True
            elif code == "end type":
                inside = False
            elif inside and code.startswith("procedure, private ::"):
                out += [one.split("=>")[-1].strip() for one in split_names(code.split("::")[1])]
        return out


def read(path):
    return Reader(path).read()


# ---- How a procedure is called -------------------------------------------------------------------

def wrapped(text, width=88):
    """A call in lines that are not too long, continued as Fortran does."""
    out, current = [], ""
    for word in text.split(" "):
        if len(current) + len(word) + 3 > width and current:
            out.append(current + " &")
            current = "        " + word
        else:
            current = current + " " + word if current else word
    return "\n".join(out + [current])


def heading_of(procedure, name):
    """`call model%predict(x, mean, [sd])`: optional arguments are in brackets."""
    shown = [a.name if not a.optional else f"[{a.name}]" for a in shown_arguments(procedure)]
    shown = re.sub(r"\], \[", ", ", ", ".join(shown))
    return f"{procedure.result.name} = {name}({shown})" if procedure.result else f"call {name}({shown})"


def shown_arguments(procedure):
    return [a for a in procedure.arguments if a.name not in REPORTING and a.name != "self"]


def calls_of(procedures, name):
    """How some procedures of one name are called, with the declarations of their arguments. Where calls
    look alike, the arguments have several shapes."""
    groups = {}
    for procedure in procedures:
        groups.setdefault(heading_of(procedure, name), []).append(procedure)
    return "\n\n".join("\n".join([wrapped(head)] + declared(group)) for head, group in groups.items())


def declared(procedures):
    """The declarations of procedures whose arguments have the same names."""
    lines, last = [], None
    results = [[p.result for p in procedures]] if procedures[0].result else []
    for alike in list(zip(*map(shown_arguments, procedures))) + results:
        kinds = list(dict.fromkeys(a.declaration.split(" :: ")[0] for a in alike))
        shapes = list(dict.fromkeys(a.declaration.split(" :: ")[1] for a in alike))
        kind, shaped = " or ".join(kinds), " or ".join(shapes)
        if kind == last and len(lines[-1]) + len(shaped) < 86:
            lines[-1] += ", " + shaped
        else:
            lines.append(f"    {kind} :: {shaped}")
        last = kind
    return lines


def families_of(bound):
    """Names of 32-bit arguments that take a constant."""
    return list(dict.fromkeys(a.name for p in bound.procedures for a in p.arguments
                              if a.declaration.startswith("integer(c_int32_t), intent(in)")))


def shown_procedures(bound):
    """One of two that differ in the size of an integer only."""
    both = {p.name for p in bound.procedures}
    return [p for p in bound.procedures if not (p.name.endswith("_64") and p.name[:-2] + "32" in both)]


def has_wide_integers(bound):
    return any(p.name.endswith("_64") for p in bound.procedures)
