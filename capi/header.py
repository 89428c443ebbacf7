"""header.py: reads the headers of the C API, declarations and comments.

The bindings, the manual and the tests of the ABI are made from what it finds. A header is a list of
sections, each a list of items: an enum, a struct, a handle, a callback, a function, a constant or
prose, with the comment that stands before it. What it cannot understand (a type, a constant without a
number) is an error and never passed over.

    header = read("capi/nnpost.h")        comments and code, for the manual
    api = api_of(read_core("capi"))       types and values, for the bindings
"""
import pathlib
import re
from collections import namedtuple

# The headers of libnnpost in their order: each may use what those before it declare.
CORE = ("nnpost.h", "nnpost_diagnostics.h", "nnpost_study.h")

# storeys: title and text of each, as ("Simple", "A network, …").
Header = namedtuple("Header", "name intro storeys sections")
# storey: the title of the one it belongs to.
Section = namedtuple("Section", "title slug header storey items")
# kind: "prose", "function", "enum", "struct", "handle", "callback" or "define". names: what it
# declares. code: the declaration. text: its comment. members: (name, declaration, comment) each.
Item = namedtuple("Item", "kind names code text members")


# ---- Comments and declarations ------------------------------------------------------------------

def comment_text(raw):
    """A comment without its stars, lines kept."""
    lines = raw[2:-2].split("\n")
    lines = [lines[0].strip()] + [re.sub(r"^\s*\* ?", "", line, count=1) for line in lines[1:]]
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def plain_comment(raw):
    """The comment of a member as one paragraph."""
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in raw[2:-2].split("\n")]
    return " ".join(" ".join(lines).split())


def without_comments(code):
    return re.sub(r"/\*.*?\*/", " ", code, flags=re.DOTALL)


def slug_of(title):
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def parse_members(body, end):
    """(name, declaration, comment) of an enum (end: a comma) or a struct (a semicolon). A comment on
    the line of a member is that member's; one on a line of its own is that of the next."""
    members, before, fresh_line = [], [], True
    for part in re.split(r"(/\*.*?\*/)", body, flags=re.DOTALL):
        if part.startswith("/*"):
            if members and not fresh_line:
                name, code, text = members[-1]
                members[-1] = (name, code, " ".join(filter(None, [text, plain_comment(part)])))
            else:
                before.append(plain_comment(part))
            continue
        for code in filter(None, (" ".join(one.split()) for one in part.split(end))):
            name = re.findall(r"\w+", code.split("=")[0].split("[")[0])[-1]
            members.append((name, code, " ".join(before)))
            before = []
        tail = re.search(r"\n( *)$", part)
        fresh_line = not members or (tail is not None and len(tail[1]) <= 4)
    return members


def read_declaration(code, comment):
    """The item of one declaration, from its first word to its semicolon."""
    text = comment or ""
    bare = " ".join(code.split())
    if re.match(r"enum\s*\{", code):
        members = parse_members(code[code.index("{") + 1:code.rindex("}")], ",")
        return Item("enum", [m[0] for m in members], code, text, members)
    struct = re.match(r"typedef\s+struct\s+(\w+)\s*\{.*\}\s*(\w+)\s*;$", code, re.DOTALL)
    if struct and struct[1] == struct[2]:
        members = parse_members(code[code.index("{") + 1:code.rindex("}")], ";")
        return Item("struct", [struct[1]], code, text, members)
    callback = re.match(r"typedef\s+\w+\s*\(\*(\w+)\)\s*\([^)]*\)\s*;$", bare)
    if callback:
        return Item("callback", [callback[1]], bare, text, [])
    handle = re.match(r"typedef\s+struct\s+(\w+)\s+(\w+)\s*;$", bare)
    if handle and handle[1] == handle[2]:
        return Item("handle", [handle[1]], bare, text, [])
    function = re.match(r"NNP_API\s+([\w\s]+?[\s*]+)(nnp_\w+)\s*\(([^)]*)\)\s*;$", bare)
    if function:
        return Item("function", [function[2]], bare.replace("NNP_API ", ""), text, [])
    raise ValueError(f"cannot read '{bare[:80]}'")


def statement_end(text, position):
    """After the semicolon that ends a declaration, not one in a comment or between braces."""
    depth = 0
    while depth or text[position] != ";":
        if text.startswith("/*", position):
            position = text.index("*/", position) + 2
            continue
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        position += 1
    return position + 1


class Reader:
    """Reads one header from top to bottom."""

    def __init__(self, path):
        self.name = path.name
        self.text = path.read_text(encoding="utf-8")
        self.storeys, self.sections, self.comment = [], [], None
        first = re.match(r"/\*.*?\*/", self.text, re.DOTALL)
        self.intro, self.position = comment_text(first[0]), first.end()

    def storey(self):
        return self.storeys[-1][0] if self.storeys else self.name

    def begin(self, title):
        self.sections.append(Section(title, slug_of(title), self.name, self.storey(), []))

    def add(self, item):
        if not self.sections or self.sections[-1].storey != self.storey():
            self.begin(self.storey())
        self.sections[-1].items.append(item)
        self.comment = None

    def prose(self):
        """A comment that belongs to no declaration. Before the first section of a storey it is one on
        the storey."""
        fresh = not self.sections or self.sections[-1].storey != self.storey()
        if self.comment and self.storeys and fresh:
            title, text = self.storeys[-1]
            self.storeys[-1] = (title, (text + "\n\n" + self.comment).strip())
        elif self.comment:
            self.add(Item("prose", [], "", self.comment, []))
        self.comment = None

    def read_comment(self):
        end = self.text.index("*/", self.position) + 2
        raw = self.text[self.position:end]
        self.prose()
        heading = re.fullmatch(r"/\* ([-=])\1{3} (.*?) \1{4,} ?\*/", raw)
        if heading and heading[1] == "=":
            self.storeys.append((heading[2], ""))
        elif heading:
            self.begin(heading[2])
        else:
            self.comment = comment_text(raw)
        self.position = end

    def read_line(self):
        """A line of the preprocessor, or of extern "C"."""
        end = self.text.find("\n", self.position)
        end = len(self.text) if end < 0 else end
        line = self.text[self.position:end]
        define = re.match(r'#define (NNP_\w+) +("[^"]*"|-?\d+)$', line)
        if define:
            self.add(Item("define", [define[1]], line, self.comment or "", []))
        self.comment = None
        self.position = end

    def read(self):
        while self.position < len(self.text):
            space = re.compile(r"\s*").match(self.text, self.position)
            if space[0].count("\n") > 1:
                self.prose()
            self.position = space.end()
            rest = self.text[self.position:self.position + 12]
            if not rest:
                break
            if rest.startswith("/*"):
                self.read_comment()
            elif rest[0] in "#}" or rest == 'extern "C" {':
                self.read_line()
            else:
                end = statement_end(self.text, self.position)
                self.add(read_declaration(self.text[self.position:end], self.comment))
                self.position = end
        return Header(self.name, self.intro, self.storeys, self.sections)


def read(path):
    return Reader(pathlib.Path(path)).read()


def read_core(folder):
    return [read(pathlib.Path(folder) / name) for name in CORE]


# ---- Types and values ---------------------------------------------------------------------------

Constant = namedtuple("Constant", "name value")  # an int or a str
Type = namedtuple("Type", "base stars")  # const double ** is ("double", 2)
# A field or an argument; length: None, or that of an array; const: whether the word is there
Argument = namedtuple("Argument", "type name length const", defaults=(None, False))
Struct = namedtuple("Struct", "name fields")
Callback = namedtuple("Callback", "name result arguments")
Function = namedtuple("Function", "name result arguments")
# groups: one tuple of names for every enum; handles: names of opaque structs; order: structs and
# callbacks as they come
Api = namedtuple("Api", "constants groups handles structs callbacks order functions")

SCALARS = ("int32_t", "int64_t", "uint32_t", "uint64_t", "size_t", "double", "char")


def parse_argument(text, known):
    """`const double *x`, `int64_t shape[3]`, `nnp_chain *const *chains` or `nnp_error *err`."""
    match = re.fullmatch(r"(\w+)((?:\s*\*)*)\s*(\w+)?\s*(?:\[(\d+)\])?",
                         re.sub(r"\bconst\b", "", text).strip())
    if not match:
        raise ValueError(f"cannot read '{text}'")
    base, stars, name, length = match.groups()
    if base not in known:
        raise ValueError(f"unknown type '{base}' in '{text}'")
    return Argument(Type(base, stars.count("*")), name, int(length) if length else None,
                    re.search(r"\bconst\b", text) is not None)


def parse_arguments(text, known):
    text = text.strip()
    if text == "void":
        return ()
    items = (parse_argument(part, known) for part in text.split(","))
    # An array argument is a pointer.
    return tuple(Argument(Type(i.type.base, i.type.stars + 1), i.name) if i.length else i
                 for i in items)


def parse_fields(body, known):
    """`double a, b;` is two fields; of `double *a, b` nobody should have to think."""
    fields = []
    for line in filter(None, (part.strip() for part in without_comments(body).split(";"))):
        first, *others = line.split(",")
        head = parse_argument(first, known)
        fields.append(head)
        for other in others:
            if head.type.stars:
                raise ValueError(f"write one pointer per line: '{line}'")
            fields.append(parse_argument(f"{head.type.base} {other}", known))
    return tuple(fields)


def parse_enum(members):
    for _, code, _ in members:
        match = re.fullmatch(r"(NNP_\w+)\s*=\s*(-?\d+)", code)
        if not match:
            raise ValueError(f"an enumerator without a plain number: '{code}'")
        yield Constant(match[1], int(match[2]))


def add_define(api, item):
    _, name, value = item.code.split(None, 2)
    api.constants.append(Constant(name, value[1:-1] if value[0] == '"' else int(value)))


def add_enum(api, item):
    constants = list(parse_enum(item.members))
    api.constants.extend(constants)
    api.groups.append(tuple(c.name for c in constants))


def add_struct(api, item, known):
    body = item.code[item.code.index("{") + 1:item.code.rindex("}")]
    api.structs.append(Struct(item.names[0], parse_fields(body, known)))
    api.order.append(api.structs[-1])


def add_callback(api, item, known):
    result, told = re.match(r"typedef\s+(\w+)\s*\(\*\w+\)\s*\(([^)]*)\)", item.code).groups()
    api.callbacks.append(Callback(item.names[0], Type(result, 0), parse_arguments(told, known)))
    api.order.append(api.callbacks[-1])


def add_function(api, item, known):
    returns, takes = re.match(r"(.*?)\bnnp_\w+\s*\(([^)]*)\)", item.code).groups()
    result = parse_argument(returns, known).type
    api.functions.append(Function(item.names[0], result, parse_arguments(takes, known)))


def api_of(headers):
    """The declarations of some headers, in their order."""
    api = Api([], [], [], [], [], [], [])
    known = set(SCALARS) | {"void"}
    items = [item for header in headers for section in header.sections for item in section.items]
    for item in items:
        if item.kind in ("handle", "struct", "callback"):
            known.add(item.names[0])
        if item.kind == "define":
            add_define(api, item)
        elif item.kind == "enum":
            add_enum(api, item)
        elif item.kind == "handle":
            api.handles.append(item.names[0])
        elif item.kind == "struct":
            add_struct(api, item, known)
        elif item.kind == "callback":
            add_callback(api, item, known)
        elif item.kind == "function":
            add_function(api, item, known)
    if not (api.constants and api.functions):
        raise ValueError("found no constants or no functions")
    return api
