#!/usr/bin/env python3
"""Draw the results of cucore bench: bench_plot.py [--out DIR] [--format svg,png] FILE...

cucore bench plot checks the files and runs this script, which prints the path of each plot.
Equal input gives equal SVG: no dates, no random identifiers, text as text. The description of a
plot records its origin: the SHA-256 of the results and of this script.

Exit status: 0 drawn, 1 failed, 2 wrong usage, 3 matplotlib is missing.
"""
import argparse
import hashlib
import io
import json
import math
import os
import pathlib
import re
import sys
import tempfile

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter
except ImportError: # cucore reports the error, after trying other Python interpreters
    sys.exit(3)

# Colors that the color-blind can distinguish (M. Okabe and K. Ito).
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MARKERS = "osD^vPX"
VERDICT_COLOURS = {"FASTER": "#009E73", "SLOWER": "#D55E00", "SAME": "#0072B2"}
UNSURE_COLOUR = "#999999"
MOST_BARS = 40  # per plot

# Preferred x axes of curves: the first of these that varies; otherwise the axis with most values.
SIZE_AXES = ("bytes", "size", "n", "elements", "count")

TIME_UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


class Document:
    """A result file."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        data = self.path.read_bytes()
        self.digest = hashlib.sha256(data).hexdigest()
        root = json.loads(data)
        self.machine = root["machine"]
        self.settings = root.get("settings", {})
        self.commit = root.get("commit")
        self.results = [r for r in root["results"] if "median_s" in r]
        self.simulated = bool(self.machine.get("simulated"))

    def suites(self):
        return list(dict.fromkeys(r["suite"] for r in self.results))

    def of(self, suite, case=None):
        return [r for r in self.results if r["suite"] == suite and case in (None, r["case"])]

    def where(self):
        """Describe the machine in one line for the subtitle."""
        words = [str(self.machine.get("gpu") or self.machine.get("cpu") or "unknown machine")]
        if self.simulated:
            words = ["simulated, no times of a GPU: " + words[0]]
        words += [f"driver {self.machine['driver']}"] if self.machine.get("driver") else []
        words += [f"commit {self.commit}"] if self.commit else []
        return ", ".join(words)


def interval(result, low, high):
    """Return (low, high) of a result; use the median for a missing one."""
    return result.get(low, result["median_s"]), result.get(high, result["median_s"])


def time_unit(seconds):
    return next(((s, unit) for s, unit in TIME_UNITS if seconds >= s), TIME_UNITS[-1])


def size_text(value, _position=None):
    for power, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if value >= 1 << power:
            return f"{value / (1 << power):.4g} {unit}"
    return f"{value:.4g} B"


def size_ticks(sizes):
    """Return powers of 4 that span the sizes, so that all versions of matplotlib label the same
    sizes."""
    low, high = ((int(size).bit_length() - 1) // 2 for size in (min(sizes), max(sizes)))
    return [4 ** power for power in range(low, high + 2)]


def axes_text(result, without=()):
    axes = result.get("axes", {})
    return " ".join(size_text(value) if name == "bytes" else f"{name}={value}"
                    for name, value in axes.items() if name not in without)


def size_axis(results):
    """Return the name of the x axis; None if no numeric axis varies."""
    values = {}
    for r in results:
        for name, value in r.get("axes", {}).items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                values.setdefault(name, set()).add(value)
    varying = [name for name in values if len(values[name]) > 1]
    named = [name for name in SIZE_AXES if name in varying]
    return (named or sorted(varying, key=lambda name: (-len(values[name]), name)) or [None])[0]


def peaks(results, rate):
    """Return {name: (value, source)} of the peaks in units of `rate`, from the results' shares."""
    found = {}
    for r in results:
        peak = r.get("peak")
        if not peak or not r.get("share") or not r.get(rate):
            continue
        if math.isclose(r[rate] / peak["value"], r["share"], rel_tol=0.01):
            found[peak["name"]] = (peak["value"], peak.get("source", ""))
    return found


def figure(title, document, height=4.5):
    fig, ax = plt.subplots(figsize=(8, height))
    fig.suptitle(title, x=0.02, ha="left", fontsize=12, fontweight="bold")
    ax.set_title(document.where(), loc="left", fontsize=8,
                 color="#D55E00" if document.simulated else "#555555")
    ax.grid(True, which="major", color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    return fig, ax


def series_of(results, axis):
    """Return {label: results in axis order}: one curve per subject, mode and remaining axes."""
    series = {}
    for r in results:
        if axis in r.get("axes", {}):
            label = " ".join(w for w in (r["subject"], r["mode"], axes_text(r, (axis,))) if w)
            series.setdefault(label, []).append(r)
    return {label: sorted(rs, key=lambda r: r["axes"][axis]) for label, rs in series.items()}


def legend(ax, count):
    ax.legend(fontsize=8, frameon=False, loc="upper left" if count < 8 else "center left",
              bbox_to_anchor=None if count < 8 else (1.01, 0.5))


def bandwidth(document, suite):
    """Plot bytes per second over size, one plot per case; the band shows the middle half of samples."""
    for case in dict.fromkeys(r["case"] for r in document.of(suite)):
        results = [r for r in document.of(suite, case)
                   if r.get("bytes") and r.get("bytes_per_s") and not r.get("flop")]
        axis = size_axis(results)
        if not axis:
            continue
        fig, ax = figure(f"{suite} / {case}: bandwidth", document)
        series = series_of(results, axis)
        for i, (label, rs) in enumerate(series.items()):
            x = [r["axes"][axis] for r in rs]
            bands = [interval(r, "q1_s", "q3_s") for r in rs]
            colour = COLOURS[i % len(COLOURS)]
            ax.plot(x, [r["bytes_per_s"] / 1e9 for r in rs], color=colour, label=label,
                    marker=MARKERS[i % len(MARKERS)], markersize=4, linewidth=1.4)
            ax.fill_between(x, [r["bytes"] / q3 / 1e9 for r, (_, q3) in zip(rs, bands)],
                            [r["bytes"] / q1 / 1e9 for r, (q1, _) in zip(rs, bands)],
                            color=colour, alpha=0.2, linewidth=0)
        for name, (value, source) in sorted(peaks(results, "bytes_per_s").items()):
            ax.axhline(value / 1e9, color="#555555", linewidth=1, linestyle="--")
            ax.text(1, value / 1e9, f"{name} ({source}) ", transform=ax.get_yaxis_transform(),
                    ha="right", va="bottom", fontsize=8, color="#555555")
        ax.set_xscale("log", base=2)
        if axis == "bytes":
            limits = ax.get_xlim()
            ax.set_xticks(size_ticks([r["axes"][axis] for r in results]))
            ax.set_xlim(limits)
            ax.xaxis.set_major_formatter(FuncFormatter(size_text))
        ax.set_xlabel(axis)
        ax.set_ylabel("GB/s")
        ax.set_ylim(0, 1.08 * ax.get_ylim()[1])
        legend(ax, len(series))
        yield f"bandwidth-{suite}-{case}", fig


def roofline(document, suite):
    """Plot FLOP/s over FLOP/byte under both peaks."""
    results = [r for r in document.of(suite)
               if r.get("bytes") and r.get("flop") and r.get("flop_per_s")]
    if not results:
        return
    fig, ax = figure(f"{suite}: roofline", document)
    slopes = peaks(document.results, "bytes_per_s")
    roofs = peaks(results, "flop_per_s")
    xs = [r["flop"] / r["bytes"] for r in results]
    low, high = min(xs) / 4, max(xs) * 4
    slope = max(slopes.items(), key=lambda item: item[1][0], default=None)
    if slope and roofs: # draw the slope up to the ridge point
        high = max(high, 4 * max(value for value, _ in roofs.values()) / slope[1][0])
    for name, (value, source) in sorted(roofs.items()):
        ridge = value / slope[1][0] if slope else low
        ax.plot([max(ridge, low), high], [value / 1e12] * 2, color="#555555", linewidth=1.2)
        ax.text(high, value / 1e12, f"{name} ({source}) ", ha="right", va="bottom", fontsize=8,
                color="#555555")
    if slope:
        name, (value, source) = slope
        end = min(high, max((v for v, _ in roofs.values()), default=high * value) / value)
        ax.plot([low, end], [low * value / 1e12, end * value / 1e12], color="#555555",
                linewidth=1.2)
        ax.text(low, low * value / 1e12, f"  {name} ({source})", ha="left", va="top", fontsize=8,
                color="#555555")
    labels = list(dict.fromkeys(f"{r['case']} {r['subject']} {r['mode']}" for r in results))
    for i, label in enumerate(labels):
        rs = [r for r in results if f"{r['case']} {r['subject']} {r['mode']}" == label]
        ax.plot([r["flop"] / r["bytes"] for r in rs], [r["flop_per_s"] / 1e12 for r in rs],
                linestyle="", marker=MARKERS[i % len(MARKERS)], markersize=5, label=label,
                color=COLOURS[i % len(COLOURS)])
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:.4g}"))
    ax.set_xlabel("FLOP a byte")
    ax.set_ylabel("TFLOP/s")
    legend(ax, len(labels))
    yield f"roofline-{suite}", fig


def bars(ax, labels, values, lows, highs, colours):
    """Draw horizontal bars from top to bottom, with error bars from `lows` to `highs`."""
    at = range(len(labels), 0, -1)
    errors = [[max(0, v - low) for v, low in zip(values, lows)],
              [max(0, high - v) for v, high in zip(values, highs)]]
    ax.barh(list(at), values, color=colours, height=0.66, xerr=errors,
            error_kw={"elinewidth": 1, "capsize": 2.5, "ecolor": "#333333"})
    ax.set_yticks(list(at))
    ax.set_yticklabels(labels, fontsize=8)
    ax.set_ylim(0.3, len(labels) + 0.7)


def chunks(rows):
    for begin in range(0, len(rows), MOST_BARS):
        yield f"-{begin // MOST_BARS + 1}" if len(rows) > MOST_BARS else "", rows[
            begin:begin + MOST_BARS]


def ratios(document, suite):
    """Plot times relative to the peer's, with 95 % confidence intervals."""
    within = document.settings.get("same_within", 0.01)
    everything = [r for r in document.of(suite) if r.get("ratio")]
    for number, rows in chunks(everything):
        fig, ax = figure(f"{suite}: time as a multiple of the peer's", document,
                         1.4 + 0.28 * len(rows))
        labels = [" ".join(w for w in (r["case"], axes_text(r), r["mode"] + ":", r["subject"],
                                       "/", r.get("peer") or "peer") if w) for r in rows]
        bars(ax, labels, [r["ratio"] for r in rows],
             [r.get("ratio_low", r["ratio"]) for r in rows],
             [r.get("ratio_high", r["ratio"]) for r in rows],
             [VERDICT_COLOURS.get(r.get("verdict"), UNSURE_COLOUR) for r in rows])
        ax.axvspan(1 - within, 1 + within, color="#999999", alpha=0.3, linewidth=0)
        ax.axvline(1, color="#333333", linewidth=1)
        for at, r in zip(range(len(rows), 0, -1), rows):
            ax.text(max(r.get("ratio_high", r["ratio"]), 1 + within), at,
                    f"  {r['ratio']:.3f} {r.get('verdict', '')}", va="center", fontsize=8)
        ax.set_xlim(0, 1.25 * max(1.05, *(r.get("ratio_high", r["ratio"]) for r in rows)))
        ax.set_xlabel("time / peer's time: below 1 is faster; bars are 95 % intervals, the band "
                      f"is 1 +- {100 * within:g} %", fontsize=8)
        yield f"ratio-{suite}{number}", fig


def compile_times(document, suite):
    """Plot compile times, with the middle half of the samples."""
    if suite != "compile":
        return
    for number, rows in chunks(document.of(suite)):
        scale, unit = time_unit(max(r["median_s"] for r in rows))
        fig, ax = figure("compile times", document, 1.4 + 0.28 * len(rows))
        spreads = [interval(r, "q1_s", "q3_s") for r in rows]
        subjects = list(dict.fromkeys(r["subject"] for r in rows))
        labels = [" ".join(w for w in (r["case"], axes_text(r), r["subject"]) if w) for r in rows]
        bars(ax, labels, [r["median_s"] / scale for r in rows],
             [low / scale for low, _ in spreads], [high / scale for _, high in spreads],
             [COLOURS[subjects.index(r["subject"]) % len(COLOURS)] for r in rows])
        ax.set_xlabel(f"{unit}; lines span the middle half of samples", fontsize=8)
        ax.set_xlim(left=0)
        yield f"times-{suite}{number}", fig


def as_name(text):
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text)


def names_for(paths):
    """Name each file's plots after the file. Add as many parent folders as make the name unique,
    and a number for duplicates."""
    parts = [pathlib.Path(path).absolute().with_suffix("").parts[1:] for path in paths]
    names = []
    for own in parts:
        def named(of, depth):
            return as_name("-".join(of[-depth:]))
        depth = 1
        while depth < len(own) and any(other != own and named(other, depth) == named(own, depth)
                                       for other in parts):
            depth += 1
        name, number = named(own, depth), 2
        while name in names:
            name, number = f"{named(own, depth)}-{number}", number + 1
        names.append(name)
    return names


KINDS = (bandwidth, roofline, ratios, compile_times)


def write_file(path, data):
    """Write a file atomically."""
    path = path.resolve()
    os.umask(umask := os.umask(0o077))
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask
    number, beside = tempfile.mkstemp(prefix=".cucore-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            os.fchmod(number, mode)
            file.write(data)
            file.flush()
            os.fsync(number)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def save(fig, folder, name, formats, description):
    fig.tight_layout(rect=(0, 0, 1, 1))
    for form in formats:
        path = folder / f"{name}.{form}"
        metadata = {"Software": None, "Description": description}
        if form == "svg":
            metadata = {"Date": None, "Creator": "cucore bench plot", "Description": description}
        drawn = io.BytesIO()
        fig.savefig(drawn, format=form, dpi=144, metadata=metadata, bbox_inches="tight")
        write_file(path, drawn.getvalue())
        print(path)
    plt.close(fig)


def main():
    parser = argparse.ArgumentParser(description="Draw the results of cucore bench.")
    parser.add_argument("--out", default=".", type=pathlib.Path)
    parser.add_argument("--format", default="svg,png")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    matplotlib.rcdefaults() # ignore the user's matplotlibrc
    plt.rcParams.update({"svg.hashsalt": "cucore", "svg.fonttype": "none", "font.size": 9,
                         "axes.spines.top": False, "axes.spines.right": False})
    script = hashlib.sha256(pathlib.Path(__file__).read_bytes()).hexdigest()
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        for path, called in zip(args.files, names_for(args.files)):
            document = Document(path)
            description = f"results sha256:{document.digest}, bench_plot.py sha256:{script}"
            for suite in document.suites():
                for kind in KINDS:
                    for name, fig in kind(document, suite):
                        save(fig, args.out, f"{called}-{as_name(name)}", args.format.split(","),
                             description)
    except OSError as why:
        print(f"bench_plot: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
