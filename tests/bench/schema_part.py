"""The subset of JSON Schema (draft 7) that bench/schema.json uses: problems(schema, document)
describes each violation in a sentence."""
import re

TYPES = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int,
         "boolean": bool}
KNOWN = {"$schema", "title", "description", "definitions", "$ref", "type", "enum", "pattern",
         "minimum", "exclusiveMinimum", "required", "properties", "additionalProperties", "items",
         "oneOf", "dependencies"}


def is_a(value, name):
    if isinstance(value, bool) and name != "boolean":
        return False
    return isinstance(value, TYPES[name])


def problems(schema, document):
    """Yield a description of each violation, with its location."""
    yield from check(schema, document, schema, "")


def check(schema, value, root, at):
    unknown = set(schema) - KNOWN
    if unknown:
        raise ValueError(f"schema_part.py does not know {', '.join(sorted(unknown))}")
    if "$ref" in schema:
        target = root
        for word in schema["$ref"].lstrip("#/").split("/"):
            target = target[word]
        yield from check(target, value, root, at)
        return
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_a(value, kind) for kind in kinds):
        yield f"{at}: {value!r} is no {' or '.join(kinds)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{at}: {value!r} does not match {schema['pattern']}"
    if is_a(value, "number"):
        if (value < schema.get("minimum", value) or
                value <= schema.get("exclusiveMinimum", value - 1)):
            yield f"{at}: {value} is too small"
    if isinstance(value, list) and "items" in schema:
        for i, element in enumerate(value):
            yield from check(schema["items"], element, root, f"{at}/{i}")
    if isinstance(value, dict):
        yield from check_object(schema, value, root, at)
    if "oneOf" in schema:
        fit = sum(not list(check(one, value, root, at)) for one in schema["oneOf"])
        if fit != 1:
            yield f"{at}: fits {fit} of the forms that it may have"


def check_object(schema, value, root, at):
    for key in schema.get("required", []):
        if key not in value:
            yield f"{at}: {key} is missing"
    for key, needed in schema.get("dependencies", {}).items():
        for other in needed if key in value else []:
            if other not in value:
                yield f"{at}: {key} is there without {other}"
    more = schema.get("additionalProperties", True)
    for key, element in value.items():
        known = schema.get("properties", {}).get(key)
        if known is not None:
            yield from check(known, element, root, f"{at}/{key}")
        elif more is False:
            yield f"{at}: {key} is not known"
        elif more is not True:
            yield from check(more, element, root, f"{at}/{key}")
