#!/usr/bin/env python3
"""Generate src/tile/emit/math_tables.c, the constants of the tile compiler's math functions: tile_math.py

The Remez exchange algorithm finds minimax polynomials, weighted so that the error is relative to
the function's value. Coefficients are rounded to the dtype, starting with the lowest power;
after each rounding, the remaining ones are fitted again to absorb the error. Argument reduction
follows Cody and Waite, and Payne and Hanek for large angles; Dekker's sums and products are used
where one number is not precise enough. With --check nothing is written, and the exit status is 1
if the file is out of date. Needs mpmath.
"""
import argparse
import pathlib
import sys

import mpmath
from mpmath import mp, mpf

TARGET = pathlib.Path(__file__).resolve().parents[1] / "src" / "tile" / "emit" / "math_tables.c"
BITS = (24, 53)  # significand bits of f32 and f64

HEAD = """// Made by scripts/tile_math.py; do not edit.
//
// The comment above each polynomial gives the largest error of the formula in it, relative to the
// function's value, with the coefficients as rounded here.
#include "math.h"
"""

mp.dps = 45
LN2 = mp.log(2)


def rounded(x, bits):
    """Round to nearest; none of the constants is subnormal."""
    if not x:
        return mpf(0)
    mantissa, exponent = mp.frexp(x)
    return mp.ldexp(mp.nint(mp.ldexp(mantissa, bits)), int(exponent) - bits)


def split(x, bits, parts):
    """Split x into a sum of numbers of `bits` bits; each is the rounded remainder."""
    out = []
    for _ in range(parts):
        out.append(rounded(x, bits))
        x -= out[-1]
    return out


def cut(x, bits, parts):
    """Split x in the same way, but round towards zero, so that all parts have x's sign."""
    out = []
    for _ in range(parts):
        mantissa, exponent = mp.frexp(x)
        out.append(mp.ldexp(mp.floor(mp.ldexp(mantissa, bits)), int(exponent) - bits))
        x -= out[-1]
    return out


def evaluate(coefficients, t):
    total = mpf(0)
    for c in reversed(coefficients):
        total = total * t + c
    return total


class Fit:
    """Fits value(t) with a polynomial on an interval, weighting the error at t by weight(t)."""

    def __init__(self, value, weight, low, high, degree):
        self.degree = degree
        low, high = mpf(low), mpf(high)
        count = 40 * (degree + 2)
        nodes = [mp.cos(mp.pi * i / count) for i in range(count, -1, -1)]
        points = [(low + high) / 2 + (high - low) / 2 * node for node in nodes]
        weighed = [(t, abs(weight(t))) for t in points]
        # Skip points where the error has no weight.
        self.points = [(t, value(t), w) for t, w in weighed if w > mpf(10) ** -30]

    def error(self, coefficients):
        return max(abs(w * (v - evaluate(coefficients, t))) for t, v, w in self.points)

    def solve(self, fixed):
        """Return the best coefficients, given that the leading ones are fixed."""
        first, free = len(fixed), self.degree + 1 - len(fixed)
        points = [(t, v - evaluate(fixed, t), w) for t, v, w in self.points]
        last = len(points) - 1
        chosen = [round(last * (1 - float(mp.cos(mp.pi * j / free))) / 2) for j in range(free + 1)]
        best = None
        for _ in range(40):
            a, b = mp.matrix(free + 1, free + 1), mp.matrix(free + 1, 1)
            for row, at in enumerate(chosen):
                t, v, w = points[at]
                for column in range(free):
                    a[row, column] = t ** (first + column)
                a[row, free] = (-1) ** row / w
                b[row] = v
            solution = mp.lu_solve(a, b)
            best = [solution[i] for i in range(free)]
            error = [w * (v - evaluate(best, t) * t**first) for t, v, w in points]
            peaks = alternating(error, free + 1)
            sizes = [abs(error[i]) for i in peaks]
            if len(peaks) < free + 1 or max(sizes) < min(sizes) * mpf("1.001"):
                break
            chosen = peaks
        return list(fixed) + best


def alternating(error, wanted):
    """Return the points with the largest errors, whose signs alternate."""
    peaks = []
    for i, e in enumerate(error):
        if not e:
            continue
        if peaks and (error[peaks[-1]] > 0) == (e > 0):
            if abs(e) > abs(error[peaks[-1]]):
                peaks[-1] = i
        else:
            peaks.append(i)
    while len(peaks) > wanted:
        if len(peaks) == wanted + 1:
            peaks.pop(0 if abs(error[peaks[0]]) < abs(error[peaks[-1]]) else -1)
        else:
            pairs = [max(abs(error[a]), abs(error[b])) for a, b in zip(peaks, peaks[1:])]
            at = pairs.index(min(pairs))
            del peaks[at : at + 2]
    return peaks


def polynomial(fit, bits):
    fixed = []
    # In f64, round the last coefficients together: they are far below the rounding error of the
    # first.
    while len(fixed) <= fit.degree and (bits == 24 or len(fixed) < 4):
        fixed.append(rounded(fit.solve(fixed)[len(fixed)], bits))
    if len(fixed) <= fit.degree:
        fixed = [rounded(c, bits) for c in fit.solve(fixed)]
    return fixed, fit.error(fixed)


def of_root(function, taken):
    """Return (f(s)/s - sum of the terms taken) / z^(number of terms taken), as a function of z =
    s^2."""

    def value(z):
        if z < mpf(10) ** -8:  # much cancellation: use more digits
            with mp.workdps(140):
                z = max(z, mpf(10) ** -25)
                return plain(z)
        return plain(z)

    def plain(z):
        s = mp.sqrt(z)
        left = function(s) / s
        for i, term in enumerate(taken):
            left -= term * z**i
        return left / z ** len(taken)

    return value


def relative_of_root(function, power):
    def weight(z):
        s = mp.sqrt(max(z, mpf(10) ** -25))
        return z**power / (function(s) / s)

    return weight


def near_zero(function, limit):
    """Return a function that evaluates a quotient with a removable singularity at 0."""
    return lambda t: function(t) if abs(t) > mpf(10) ** -20 else limit


def fits():
    """Yield (name, description, degree for f32, degree for f64, value, weight, low, high) for each
    polynomial. A degree of None means that the type does not need it."""
    half = mpf(1) / 2
    third = mpf(1) / 3
    quarter_turn = (mp.pi / 4 * mpf("1.0001")) ** 2
    ratio = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.0001")
    sine = lambda s: mp.sin(s)
    log2e = 1 / LN2
    short = rounded(log2e, 24)
    tail = lambda t: -mp.log(mp.erfc(t + 1), 2)
    tail_weight = lambda t: mp.erfc(t + 1) * LN2 / mp.erf(t + 1)

    yield ("exp2", "2^t = 1 + t p(t), |t| <= 1/2", 5, 11,
           near_zero(lambda t: mp.expm1(t * LN2) / t, LN2), lambda t: t / mpf(2) ** t,
           -half * mpf("1.0001"), half * mpf("1.0001"))
    yield ("expm1", "e^t - 1 = t + t^2 p(t), |t| <= ln 2 / 2", 5, 10,
           near_zero(lambda t: (mp.expm1(t) - t) / t**2, half),
           near_zero(lambda t: t * t / mp.expm1(t), mpf(0)),
           -LN2 / 2 * mpf("1.0001"), LN2 / 2 * mpf("1.0001"))
    yield ("log", "ln(1 + t) = t + t^2 p(t), |t| <= 1/3", 8, None,
           near_zero(lambda t: (mp.log1p(t) - t) / t**2, -half),
           near_zero(lambda t: t * t / mp.log1p(t), mpf(0)), -third, third)
    yield ("log2", "log2(1 + t) = t log2(e) + t p(t), |t| <= 1/3, log2(e) in f32", 9, None,
           near_zero(lambda t: mp.log1p(t) * log2e / t - short, log2e - short),
           near_zero(lambda t: t / (mp.log1p(t) * log2e), LN2), -third, third)
    yield ("atanh", "2 atanh(s) = 2 s + s z p(z), z = s^2, (1 + s)/(1 - s) from sqrt 1/2 to sqrt 2",
           None, 6, of_root(lambda s: 2 * mp.atanh(s), [2]),
           relative_of_root(lambda s: 2 * mp.atanh(s), 1), 0, ratio)
    yield ("atanh_tail", "atanh(s) = s (1 + z/3 + z^2 p(z)), (1 + s)/(1 - s) from sqrt 1/2 to sqrt 2", 2, 6,
           of_root(mp.atanh, [1, third]), relative_of_root(mp.atanh, 2), 0, ratio)
    yield ("sin", "sin(s) = s + s z p(z), z = s^2, |s| <= pi/4", 2, 5,
           of_root(sine, [1]), relative_of_root(sine, 1), 0, quarter_turn)
    yield ("cos", "cos(s) = 1 - z/2 + z^2 p(z), z = s^2, |s| <= pi/4", 2, 5,
           lambda z: cosine_tail(z), lambda z: z * z / mp.cos(mp.sqrt(z)), 0, quarter_turn)
    yield ("tanh", "tanh(s) = s + s z p(z), z = s^2, |s| <= 0.8", 5, None,
           of_root(mp.tanh, [1]), relative_of_root(mp.tanh, 1), 0, mpf("0.64"))
    yield ("sinh", "sinh(s) = s + s z p(z), z = s^2, |s| <= 1", 3, 6,
           of_root(mp.sinh, [1]), relative_of_root(mp.sinh, 1), 0, 1)
    yield ("atan", "atan(s) = s + s z p(z), z = s^2, |s| <= 1", 8, 19,
           of_root(mp.atan, [1]), relative_of_root(mp.atan, 1), 0, 1)
    yield ("erf", "erf(s) = s + s p(z), z = s^2, |s| <= 1", 6, 12,
           lambda z: of_root(mp.erf, [])(z) - 1, relative_of_root(mp.erf, 0), 0, 1)
    yield ("erf_tail", "erf(1 + t) = 1 - 2^-p(t), t from 0 on until that is 1", (6, "3"), (18, "5"),
           tail, tail_weight, 0, None)


def cosine_tail(z):
    with mp.workdps(140):
        z = max(z, mpf(10) ** -25)
        return ((mp.cos(mp.sqrt(z)) - 1) / z + mpf(1) / 2) / z


def literal(x):
    mantissa, exponent = mp.frexp(abs(x))
    if not mantissa:
        return "0"
    digits = int(mp.ldexp(mantissa, 53))  # 1 bit before the point and 52 after it
    text = f"{digits - (1 << 52):013x}".rstrip("0")
    return f"{'-' if x < 0 else ''}0x1{'.' + text if text else ''}p{int(exponent) - 1}"


def wrapped(items, indent):
    lines, line = [], indent
    for item in items:
        if len(line) + len(item) + 2 > 100:
            lines.append(line.rstrip())
            line = indent
        line += item + ", "
    return "\n".join(lines + [line.rstrip().rstrip(",")])


def constants(bits):
    mantissa = bits - 1
    yield "magic", [mpf(3) * mpf(2) ** (mantissa - 1)]
    yield "log2e", split(1 / LN2, bits, 2)
    yield "ln2", split(LN2, bits, 2)
    yield "two_over_ln2", split(2 / LN2, bits, 2)
    yield "third", split(mpf(1) / 3, bits, 2)
    yield "two_over_pi", [rounded(2 / mp.pi, bits)]
    yield "half_pi", cut(mp.pi / 2, bits, 3)
    yield "pi", split(mp.pi, bits, 2)


def table():
    polynomials = {}
    for name, _, narrow, wide, value, weight, low, high in fits():
        for bits, degree in zip(BITS, (narrow, wide)):
            if degree is None:
                continue
            end = high if high is not None else mpf(degree[1])
            degree = degree if high is not None else degree[0]
            fit = Fit(value, weight, low, end, degree)
            polynomials[bits, name] = polynomial(fit, bits)
    out = [HEAD]
    out.append("// clang-format off")
    out.append("const struct tile_math_table tile_math_tables[2] = {")
    for bits in BITS:
        out.append(f"    {{ // f{32 if bits == 24 else 64}")
        for name, values in constants(bits):
            text = ", ".join(literal(v) for v in values)
            out.append(f"        .{name} = {text if len(values) == 1 else '{ ' + text + ' }'},")
        for name, what, *_ in fits():
            if (bits, name) not in polynomials:
                continue
            coefficients, error = polynomials[bits, name]
            out.append(f"        // {what}: 2^{mpmath.nstr(mp.log(error, 2), 4)}")
            out.append(f"        .{name} = {{ {len(coefficients)}, {{")
            out.append(wrapped([literal(c) for c in coefficients], " " * 12))
            out.append("        } },")
        out.append("    },")
    out.append("};")
    # 2/pi with 64 zero bits in front, for f64 arguments that have no other reduction.
    with mp.workdps(400):
        digits = int(mp.floor(2 / mp.pi * mpf(2) ** (64 * 18)))
    words = [0] + [digits >> (64 * (17 - i)) & (2**64 - 1) for i in range(18)]
    out.append("")
    out.append("const uint64_t tile_two_over_pi[TILE_TWO_OVER_PI_WORDS] = {")
    out.append(wrapped([f"0x{word:016x}" for word in words], "    "))
    out.append("};")
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, say what differs")
    args = parser.parse_args()
    text = table()
    if args.check:
        same = TARGET.read_text() == text
        if not same:
            print(f"{TARGET} is not what {sys.argv[0]} makes")
        return int(not same)
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
