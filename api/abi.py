"""The binary interface derived from a description: symbol maps, layout checks, exports."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]
MAPS = {"cucore": ("src/cucore.map", "CUCORE"),
        "cucore-bench": ("bench/lib/cucore-bench.map", "CUCORE_BENCH")}


def symbol_map(api):
    """Return a version script: each function under the release in its @since."""
    stem = MAPS[api["library"]][1]
    releases = sorted({f["since"] for f in api["functions"]},
                      key=lambda r: [int(n) for n in r.split(".")])
    out, before = ["# Written by api/api.py from the functions' @since, which never changes."], ""
    for release in releases:
        out += ["", f"{stem}_{release} {{", "global:"]
        out += [f"    {f['name']};" for f in api["functions"] if f["since"] == release]
        out += [] if before else ["local:", "    *;"]
        out += [f"}}{before};"]
        before = f" {stem}_{release}"
    return "\n".join(out) + "\n"


def layout_program(api):
    """Return a source that compiles only if every size, offset and value matches the description."""
    header = "tune.h" if api["library"] == "cucore-bench" else "cucore.h"
    out = ["#include <stddef.h>", f"#include <cucore/{header}>", "#ifdef __cplusplus",
           "#define HOLDS(fact) static_assert(fact, #fact)", "#else",
           "#define HOLDS(fact) _Static_assert(fact, #fact)", "#endif"]
    for struct in api["structs"]:
        name = struct["name"]
        out.append(f"HOLDS(sizeof({name}) == {struct['bytes']});")

        def fields(members, path):
            for field in members:
                full = path + field["name"]
                out.append(f"HOLDS(offsetof({name}, {full}) - {base(path)} == {field['offset']});")
                out.append(f"HOLDS(sizeof((({name} *)0)->{full}) == {field['bytes']});")
                fields(field.get("fields", []), full + ".")

        def base(path):
            return f"offsetof({name}, {path[:-1]})" if path else "0"

        fields(struct["fields"], "")
    for each in [v for e in api["enums"] for v in e["values"]] + api["constants"]:
        value = each["value"]
        out.append(f"HOLDS({each['name']} == {value}{'u' if value >= 2**63 else ''});")
    for name, kind in api["types"].items():
        out.append(f"HOLDS(sizeof({name}) == sizeof({kind['type']}));")
    return "\n".join(out) + "\n"


def check_layout(api, compiler, language):
    flags = ["-std=c11"] if language == "c" else ["-std=c++17"]
    done = subprocess.run([*compiler, *flags, "-w", "-fsyntax-only", f"-I{ROOT / 'include'}", "-x",
                           language, "-"], input=layout_program(api), capture_output=True, text=True)
    # gcc quotes the text, g++ does not, clang prints the requirement before it.
    facts = re.findall(r"assert\w* failed(?: due to requirement '[^']*')?:? *\"?(.*?)\"?$", done.stderr, re.M)
    return (facts or done.stderr.splitlines()[:20]) if done.returncode else []


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    names = (line.split()[-1].split("@")[0] for line in lines if line.split()[-2] not in "Aa")
    return set(names) - {"_init", "_fini", "__bss_start", "_edata", "_end"}


def check_symbols(api, library):
    described, there = {f["name"] for f in api["functions"]}, exported(library)
    return [f"{n} is in a header, and not exported" for n in sorted(described - there)] + \
           [f"{n} is exported, and in no header" for n in sorted(there - described)]


def is_stream(parameter):
    return parameter["type"] in ("cuc_stream *", "const cuc_stream *")


def is_result(parameter, parameters):
    """True if the parameter is an output, or if it is the capacity or count of an output array."""
    of = next((p for p in parameters if p["name"] == parameter.get("length_of")), parameter)
    return of.get("direction", "in") != "in" or of["name"] == "out"


def signatures(api):
    """Yield each function and callback as (name, parameters, number of leading `user` parameters: 0 or 1)."""
    for each in api["functions"]:
        yield each["name"], each["parameters"], 0
    callbacks = list(api["callbacks"].items())
    for struct in api["structs"]:
        callbacks += [(f"{struct['name']}.{f['name']}", f["callback"]) for f in struct["fields"] if "callback" in f]
    for name, each in callbacks:
        yield name, each["parameters"], int(each["parameters"][0]["type"] == "void *") if each["parameters"] else 0


def misplaced_streams(api):
    """List the signatures that break the rule for streams in docs/abi.md: the stream is the first input."""
    found = []
    for name, parameters, user in signatures(api):
        if name.endswith("_set_stream"):  # here the stream is the value to set
            continue
        place = next((i for i, p in enumerate(parameters) if is_stream(p)), 0)
        before = [p["name"] for p in parameters[user:place] if not is_result(p, parameters)]
        if before:
            found.append(f"{name}(): the stream comes after {', '.join(before)}, and has to be the first input")
        elif any(is_stream(p) for p in parameters) and "out" in [p["name"] for p in parameters[place:]]:
            found.append(f"{name}(): the stream comes before out, and has to be the first input")
    return found


def changes(old, new):
    """List changes of a binary interface that would break its users."""
    found = []
    functions = {f["name"]: f for f in new["functions"]}
    for was in old["functions"]:
        now, name = functions.get(was["name"]), was["name"]
        if not now:
            found.append(f"{name}() is gone")
            continue
        for what, of in (("returns", lambda f: f["returns"]), ("since", lambda f: f["since"]),
                         ("parameters", lambda f: [p["type"] for p in f["parameters"]])):
            if of(was) != of(now):
                found.append(f"{name}(): {what} {of(was)}, now {of(now)}")
    values = {v["name"]: v["value"] for e in new["enums"] for v in e["values"]}
    values.update({c["name"]: c["value"] for c in new["constants"]})
    for was in [v for e in old["enums"] for v in e["values"]] + old["constants"]:
        if values.get(was["name"]) != was["value"] and not was["name"].endswith("_COUNT"):
            found.append(f"{was['name']} was {was['value']}, now {values.get(was['name'])}")
    structs = {s["name"]: s for s in new["structs"]}
    for was in old["structs"]:
        now = structs.get(was["name"])
        if not now:
            found.append(f"{was['name']} is gone")
            continue
        place = {f["name"]: (f["offset"], f["bytes"], f["type"]) for f in now["fields"]}
        for field in was["fields"]:
            is_now = place.get(field["name"])
            if is_now != (field["offset"], field["bytes"], field["type"]) and \
                    not field["name"].startswith("reserved"):
                found.append(f"{was['name']}.{field['name']} was at {field['offset']} as "
                             f"{field['type']}, now {is_now}")
        if now["bytes"] != was["bytes"] and not was["grows"]:
            found.append(f"{was['name']} had {was['bytes']} bytes, now {now['bytes']}")
    return found
