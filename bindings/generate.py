#!/usr/bin/env python3
"""generate.py [--check]: constants and prototypes of every binding, from the headers of capi/.

Writes the files named in OUTPUTS, which are committed. With --check it writes nothing and fails
if one of them is not what the headers ask for. The headers may grow without a change here: what
cannot be understood (a type, a constant without a number) is an error and never passed over.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "capi"))
from header import Argument, Callback, Type, api_of, read_core  # noqa: E402

WIDTH = 98  # of 100: Fortran needs two to continue on the next line
NOTE = "Generated from the headers of capi/ by bindings/generate.py: do not edit."

SCALARS = {
    "int32_t": ("c_int32", "Int32", "integer(c_int32_t)"),
    "int64_t": ("c_int64", "Int64", "integer(c_int64_t)"),
    "uint32_t": ("c_uint32", "UInt32", "integer(c_int32_t)"),
    "uint64_t": ("c_uint64", "UInt64", "integer(c_int64_t)"),
    "size_t": ("c_size_t", "Csize_t", "integer(c_size_t)"),
    "double": ("c_double", "Float64", "real(c_double)"),
    "char": ("c_char", "UInt8", "character(kind=c_char)"),
}
PYTHON, JULIA, FORTRAN = range(3)


def names_of(items):
    return {item.name for item in items}


def filled(prefix, parts, suffix, indent):
    """prefix + parts joined by ', ' + suffix, broken into lines within WIDTH."""
    lines, line = [], prefix
    for i, part in enumerate(parts):
        piece = part + ("," if i + 1 < len(parts) else suffix)
        if len(line) + len(piece) + 1 > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = indent + piece + " "
        else:
            line += piece + " "
    lines.append(line.rstrip())
    return "\n".join(lines)


# ---- Python -------------------------------------------------------------------------------------

def python_type(api, type_, result=False):
    """Of an argument, a field or a result. Plain data is passed by address, whatever its type."""
    base, stars = type_
    if stars == 0:
        if base == "void":
            return "None"
        return base if base not in SCALARS else "c." + SCALARS[base][PYTHON]
    if base == "char" and stars == 1:
        return "c.c_char_p"
    if base == "char":
        return "c.POINTER(c.c_char_p)"
    if base in names_of(api.structs) and stars == 1:
        return f"c.POINTER({base})"
    if base in api.handles and stars == 2:
        return "c.POINTER(c.c_void_p)"
    return "c.c_void_p"


def python_field(api, field):
    text = python_type(api, field.type)
    return f'("{field.name}", {text}{f" * {field.length}" if field.length else ""})'


def python_file(api):
    lines = ['"""' + NOTE + '"""', "import ctypes as c", ""]
    for constant in api.constants:
        value = f'"{constant.value}"' if isinstance(constant.value, str) else constant.value
        lines.append(f"{constant.name} = {value}")
    lines += ["", "# The names of every enum, by its first."]
    lines.append("GROUPS = {")
    for group in api.groups:
        lines.append(filled(f'    "{group[0]}": (', [f'"{name}"' for name in group],
                            ",)," if len(group) == 1 else "),", " " * 8))
    lines.append("}")
    lines.append("")
    for item in api.order:
        if isinstance(item, Callback):
            types = [item.result] + [a.type for a in item.arguments]
            lines += [filled(f"{item.name} = c.CFUNCTYPE(", [python_type(api, t) for t in types],
                             ")", " " * 4), ""]
        else:
            lines += ["", f"class {item.name}(c.Structure):", "    _fields_ = ["]
            lines += [f"        {python_field(api, field)}," for field in item.fields]
            lines += ["    ]", "", ""]
    lines += ["", "# Result and arguments of every function.", "PROTOTYPES = {"]
    for function in api.functions:
        arguments = [f'("{a.name}", {python_type(api, a.type)})' for a in function.arguments]
        end = ",))," if len(arguments) == 1 else ")),"
        start = f'    "{function.name}": ({python_type(api, function.result)}, ('
        lines.append(filled(start, arguments, end, " " * 8) if arguments else start + ")),")
    return re.sub("\n{4,}", "\n\n\n", "\n".join(lines + ["}"]) + "\n")


# ---- Julia --------------------------------------------------------------------------------------

def julia_type(api, type_):
    base, stars = type_
    if base == "void":
        text = "Cvoid"
    elif base in names_of(api.callbacks):
        text = "Ptr{Cvoid}"
    else:
        text = SCALARS[base][JULIA] if base in SCALARS else base
    return "Ptr{" * stars + text + "}" * stars


def julia_file(api):
    lines = ["# " + NOTE, ""]
    for constant in api.constants:
        text = isinstance(constant.value, str)
        value = f'"{constant.value}"' if text else f"Int32({constant.value})"
        lines.append(f"const {constant.name} = {value}")
    lines += ["", "# The names of every enum, by its first.", "const GROUPS = Dict("]
    for group in api.groups:
        lines.append(filled(f"    :{group[0]} => (", [f":{name}" for name in group],
                            ",)," if len(group) == 1 else "),", " " * 8))
    lines += [")", "", "# Handles."]
    lines += [f"struct {handle} end" for handle in api.handles]
    lines += ["", "# Reserved fields of structs that are passed in.", "const UNUSED = (0, 0, 0, 0)"]
    for struct in api.structs:
        lines += ["", f"struct {struct.name}"]
        for field in struct.fields:
            text = julia_type(api, field.type)
            if field.length:
                text = f"NTuple{{{field.length},{text}}}"
            lines.append(f"    {field.name}::{text}")
        lines.append("end")
    lines += ["", "# Where the functions are: filled when the library is loaded.",
              f"const ADDRESSES = fill(C_NULL, {len(api.functions)})", "const FUNCTIONS = ("]
    lines += [f"    :{function.name}," for function in api.functions]
    lines += [")", ""]
    for i, function in enumerate(api.functions, 1):
        names = [a.name + "_" if a.name in ("function", "end", "in", "type") else a.name
                 for a in function.arguments]
        types = [julia_type(api, a.type) for a in function.arguments]
        lines.append(filled(f"{function.name}(", names or [""], ") =", " " * 4))
        head = f"    ccall(ADDRESSES[{i}], {julia_type(api, function.result)},"
        tail = "," if len(types) == 1 else ""
        parts = [("(" if j == 0 else "") + text for j, text in enumerate(types)] or ["("]
        parts[-1] += tail + ")"
        lines.append(filled(head + " ", parts + names, ")", " " * 10))
    return "\n".join(lines) + "\n"


# ---- Fortran ------------------------------------------------------------------------------------

def fortran_declaration(api, item, result=False):
    """Pointers are c_ptr by value, except the error and handles that a call returns."""
    base, stars = item.type
    name = item.name
    if stars == 0:
        value = "" if result else ", value"
        if base in names_of(api.callbacks):
            return f"type(c_funptr){value} :: {name}"
        return f"{SCALARS[base][FORTRAN]}{value} :: {name}"
    if result:
        return f"type(c_ptr) :: {name}"
    if base == "nnp_error" and stars == 1:
        return f"type(nnp_error), intent(out) :: {name}"
    if base in api.handles and stars == 2 and not item.const:
        return f"type(c_ptr), intent(out) :: {name}"
    return f"type(c_ptr), value :: {name}"


def fortran_field(api, field):
    base, stars = field.type
    if stars:
        text = "type(c_ptr)"
    elif base in names_of(api.callbacks):
        text = "type(c_funptr)"
    else:
        text = SCALARS[base][FORTRAN] if base in SCALARS else f"type({base})"
    value = " = 0" if field.name.startswith("reserved") else ""  # what the library expects there
    return f"{text} :: {field.name}" + (f"({field.length})" if field.length else "") + value


def fortran_names(api):
    """Names of functions in Fortran, which ignores case: nnp_version is the same as NNP_VERSION
    there. A function whose name is already used gets the suffix `_call`."""
    taken = [name.lower() for name in
             [c.name for c in api.constants] + api.handles + [s.name for s in api.structs]]
    names = {f.name: f.name + ("_call" if f.name in taken else "") for f in api.functions}
    everything = taken + list(names.values())
    if len(set(everything)) != len(everything):
        raise ValueError("two names are one in Fortran, which ignores case")
    return names


def fortran_procedure(api, function, name):
    is_subroutine = function.result == Type("void", 0)
    word = "subroutine" if is_subroutine else "function"
    suffix = f') bind(c, name="{function.name}")'
    if not is_subroutine:
        suffix += " result(outcome)"
    parts = [a.name for a in function.arguments] or [""]
    head = filled(f"    {word} {name}(", parts, suffix, " " * 8)
    lines = [head.replace("\n", " &\n"), "      import"]
    lines += ["      " + fortran_declaration(api, a) for a in function.arguments]
    if not is_subroutine:
        outcome = Argument(function.result, "outcome")
        lines.append("      " + fortran_declaration(api, outcome, result=True))
    return lines + [f"    end {word}"]


def fortran_file(api):
    names = fortran_names(api)
    lines = [f"! {NOTE}", "! The C API as it is: constants, structures and interfaces.",
             "module nnpost_c", "  use, intrinsic :: iso_c_binding", "  implicit none", "  public",
             ""]
    for constant in api.constants:
        if isinstance(constant.value, str):
            lines.append(f'  character(*), parameter :: {constant.name} = "{constant.value}"')
        else:
            lines.append("  integer(c_int32_t), parameter :: "
                         f"{constant.name} = {constant.value}_c_int32_t")
    for struct in api.structs:
        lines += ["", f"  type, bind(c) :: {struct.name}"]
        lines += [f"    {fortran_field(api, field)}" for field in struct.fields]
        lines.append("  end type")
    lines += ["", "  interface"]
    for function in api.functions:
        lines += fortran_procedure(api, function, names[function.name])
    return "\n".join(lines + ["  end interface", "end module"]) + "\n"


# ---- R ------------------------------------------------------------------------------------------

def r_file(api):
    lines = ["# " + NOTE]
    for constant in api.constants:
        text = isinstance(constant.value, str)
        lines.append(f"{constant.name} <- " + (f'"{constant.value}"' if text
                                               else f"{constant.value}L"))
    return "\n".join(lines) + "\n"


OUTPUTS = {
    "bindings/python/nnpost/_api.py": python_file,
    "bindings/julia/src/api.jl": julia_file,
    "bindings/fortran/nnpost_c.f90": fortran_file,
    "bindings/r/R/constants.R": r_file,
}


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    api = api_of(read_core(ROOT / "capi"))
    stale = 0
    for name, make in OUTPUTS.items():
        path, text = ROOT / name, make(api)
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        if arguments:
            print(f"{name} is stale: run bindings/generate.py", file=sys.stderr)
            stale += 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
