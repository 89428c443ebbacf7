#!/usr/bin/env python3
"""layout.py FOLDER LAYOUT [--renew]: are the structs and constants of the headers pinned in LAYOUT?

FOLDER is capi/. LAYOUT is a C file of static assertions: the size of every public struct, the offset and size of
every field, the value of every constant. The compiler checks what they say; this script checks that
nothing of the headers is missing there and that nothing is there that they have lost.

--renew writes LAYOUT anew. What is pinned already may change only while NNP_ABI_VERSION is 0; new
structs, fields in place of reserved ones and constants may be added at any time.
"""
import pathlib
import sys

TOP = """/* Sizes, offsets and constants of the C API, as programs that were built against it have them.
 * Made by `make abi` from the headers of capi/, and compared with them by tests/abi/layout.py. */
#include "capi/nnpost_study.h"

/* clang-format off */
#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)
#define FIELD(type, field, at, bytes)                                              \\
  _Static_assert(offsetof(type, field) == (at), "offset of " #type "." #field);    \\
  _Static_assert(sizeof(((type *)0)->field) == (bytes), "size of " #type "." #field)
#define VALUE(name, value) _Static_assert((name) == (value), "value of " #name)

_Static_assert(sizeof(void *) == 8, "the numbers below are those of 64-bit machines");
"""
END = """
int main(void) {
  return 0;
}
"""
SCALARS = {"int32_t": 4, "uint32_t": 4, "int64_t": 8, "uint64_t": 8, "size_t": 8, "double": 8,
           "char": 1}


def read_headers(folder):
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    import header
    return header.api_of(header.read_core(folder))


def layout_of(struct, known):
    """Lines of a struct; its size and alignment go to `known`. The compiler has the last word."""
    lines, at, widest = [], 0, 1
    for field in struct.fields:
        bytes_, alignment = (8, 8) if field.type.stars else known[field.type.base]
        at = (at + alignment - 1) // alignment * alignment
        bytes_ *= field.length or 1
        lines.append(f"FIELD({struct.name}, {field.name}, {at}, {bytes_});")
        at, widest = at + bytes_, max(widest, alignment)
    size = (at + widest - 1) // widest * widest
    known[struct.name] = (size, widest)
    return [f"SIZE({struct.name}, {size});"] + lines


def pins_of(api):
    known = {name: (size, size) for name, size in SCALARS.items()}
    known.update({callback.name: (8, 8) for callback in api.callbacks})
    groups = []
    for struct in api.structs:
        groups.append(layout_of(struct, known))
    for group in api.groups:
        values = {constant.name: constant.value for constant in api.constants}
        groups.append([f"VALUE({name}, {values[name]});" for name in group])
    return groups


# Numbers that stand beside others: what a call comes to, in place of an index, a switch, and counts.
SHARED = ("NNP_OK", "NNP_ALL_LAYERS", "NNP_ALL_CHAINS", "NNP_MOVES_PLAIN")
COUNTS = ("NNP_MOVE_KINDS", "NNP_STEP_STATISTICS")


def overlapping(api):
    """Constants of different enums that have one number: each family is to have its own."""
    values = {constant.name: constant.value for constant in api.constants}
    owners = {}
    for group in api.groups:
        for name in group if group[0] not in SHARED else ():
            if name not in COUNTS:
                owners.setdefault(values[name] // 100, {}).setdefault(group[0], name)
    return [f"{', '.join(families.values())}: both in {hundred} hundred, expected a hundred for each family"
            for hundred, families in sorted(owners.items()) if len(families) > 1 or hundred == 0]


def pinned(text):
    """What an assertion is about -> what it says."""
    found = {}
    for line in text.splitlines():
        if line.startswith(("SIZE(", "FIELD(", "VALUE(")):
            kind, _, rest = line.partition("(")
            parts = [part.strip() for part in rest.rstrip(";").rstrip(")").split(",")]
            names = 2 if kind == "FIELD" else 1
            found[(kind, *parts[:names])] = tuple(parts[names:])
    return found


def main(arguments):
    renew = arguments[-1:] == ["--renew"]
    folder, layout = (pathlib.Path(name) for name in arguments[:2])
    api = read_headers(folder.resolve())
    text = TOP + "\n" + "\n\n".join("\n".join(group) for group in pins_of(api)) + "\n" + END
    wanted = pinned(text)
    found = pinned(layout.read_text(encoding="utf-8")) if layout.is_file() else {}
    changed = sorted(pin for pin in found if wanted.get(pin) != found[pin])
    missing = sorted(pin for pin in wanted if pin not in found)
    for pin in changed:
        now = wanted.get(pin)
        print(f"{' '.join(pin)}: pinned as {', '.join(found[pin])}, the header "
              + (f"says {', '.join(now)}" if now else "no longer has it"))
    for pin in missing:
        print(f"{' '.join(pin)} = {', '.join(wanted[pin])}: not pinned yet")
    apart = overlapping(api)
    for sentence in apart:
        print(f"FAIL: {sentence}")
    if apart:
        return 1
    version = next(c.value for c in api.constants if c.name == "NNP_ABI_VERSION")
    if not renew:
        if changed or missing:
            print(f"FAIL: {layout.name} is not what the header says: run make abi")
        return 1 if changed or missing else 0
    if changed and version != 0:
        print("FAIL: programs built against the header would break: raise NNP_ABI_VERSION")
        return 1
    layout.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
