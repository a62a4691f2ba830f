"""Formats the results in bench/results/ as the C library does."""
import json


def write(path, document):
    """Format as the C library does: one line for each key, and one for each row of a list."""
    def line(value):
        return json.dumps(value, separators=(",", ":"))

    def text(value):
        return "[\n" + ",\n".join(map(line, value)) + "\n]" if isinstance(value, list) and value else line(value)

    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(f'"{key}":{text(value)}' for key, value in document.items()) + "\n}\n")
