#!/usr/bin/env python3
"""goals.py: tests the verdicts of scripts/goals.py on made-up results."""
import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "goals.py"
MIB = 1 << 20
problems = []


def results(seconds, name, size, setting="default", axes=None):
    """Make the results of one point; a string instead of a time says why there is no time."""
    suite, case = name.split("/")
    for subject, took in seconds.items():
        yield {"suite": suite, "case": case, "subject": subject,
               "axes": {"shape": "1x1", "tile": setting, **(axes or {})}, "bytes": size,
               **({"failed": took} if isinstance(took, str) else {"median_s": took})}


# Measurements, and the expected end of the resulting row; None: no row is expected.
ROWS = [
    ("a sum as fast as by hand", ("elementwise/vadd", 3072 * MIB), {"tile": 1.0, "cuda": 1.0}, "| yes |"),
    ("a sum 2 % slower", ("elementwise/vadd", 3072 * MIB), {"tile": 1.02, "cuda": 1.0}, "| 0.990 | no |"),
    ("a small sum", ("elementwise/vadd", 3 * MIB), {"tile": 2.0, "cuda": 1.0}, None),
    ("another setting", ("elementwise/vadd", 3072 * MIB, "BN=4"), {"tile": 2.0, "cuda": 1.0}, None),
    ("a transpose", ("elementwise/transpose", 256 * MIB), {"tile": 1.1, "copy": 1.0}, "| yes |"),
    ("a slow one", ("elementwise/transpose", 256 * MIB), {"tile": 1.2, "copy": 1.0}, "| no |"),
    ("a large norm at 85 %", ("norms/softmax", 256 * MIB), {"tile": 1.17, "copy": 1.0}, "| yes |"),
    ("one below", ("norms/softmax", 256 * MIB), {"tile": 1.18, "copy": 1.0}, "| no |"),
    ("a small norm without others", ("norms/softmax", 9 * MIB), {"tile": 9.0, "copy": 1.0}, None),
    ("1.4 times PyTorch", ("norms/rms_norm", 9 * MIB), {"tile": 1.42, "copy": 1.0, "torch": 2.0}, "| yes |"),
    ("1.3 times PyTorch", ("norms/rms_norm", 9 * MIB), {"tile": 1.54, "copy": 1.0, "torch": 2.0}, "| no |"),
    ("PyTorch near a copy", ("norms/rms_norm", 9 * MIB), {"tile": 1.08, "copy": 1.0, "torch": 1.1}, "| yes |"),
    ("slower than Triton", ("norms/layer_norm", 9 * MIB), {"tile": 1.1, "copy": 1.0, "triton": 1.0}, "| no |"),
    ("a reduction", ("reductions/sum", 1024 * MIB), {"tile": 1.24, "copy": 1.0}, "| yes |"),
    ("one that failed", ("reductions/sum", 1024 * MIB), {"tile": "off", "copy": 1.0}, "| no: off |"),
    ("a sort as fast as CuPy's", ("algorithms/sort", 64 * MIB), {"cucore": 1.0, "torch": 3.0, "cupy": 1.0}, "| yes |"),
    ("a slow sort", ("algorithms/sort", 64 * MIB), {"cucore": 1.1, "torch": 3.0, "cupy": 1.0}, "| no |"),
    ("a small sort", ("algorithms/sort", MIB), {"cucore": 1.1, "cupy": 1.0}, None),
    ("a product", ("gemm/square", MIB, "default", {"shape": "4096", "dtype": "f16", "layout": "nn"}),
     {"cuc_gemm": 1.0, "cublaslt": 1.0}, "| yes |"),
    ("a slow one", ("gemm/square", MIB, "default", {"shape": "4096", "dtype": "f16", "layout": "nn"}),
     {"cuc_gemm": 1.01, "cublaslt": 1.0}, "| no |"),
    ("a small one", ("gemm/square", MIB, "default", {"shape": "1024", "dtype": "f16", "layout": "nn"}),
     {"cuc_gemm": 1.03, "cublaslt": 1.0}, "| yes |"),
    ("one no faster than Triton's", ("gemm/square", MIB, "default",
                                     {"shape": "4096", "dtype": "bf16", "layout": "nn"}),
     {"cuc_gemm": 1.0, "cublaslt": 1.0, "triton": 1.0}, "| no |"),
    ("one of few rows", ("gemm/skinny", MIB, "default",
                         {"shape": "16x8192x8192", "dtype": "bf16", "layout": "tn"}),
     {"cuc_gemm": 1.05, "cublaslt": 1.0}, "| yes |"),
    ("one of 8-bit floats", ("gemm/square", MIB, "default",
                             {"shape": "4096", "dtype": "e4m3", "layout": "tn"}),
     {"cuc_gemm": 1.06, "cublaslt": 1.0}, "| no |"),
    ("one that nobody asks for", ("gemm/square", MIB, "default",
                                  {"shape": "4096", "dtype": "e4m3", "layout": "nn"}),
     {"cuc_gemm": 2.0, "cublaslt": 1.0}, None),
    ("one of 16 groups", ("gemm/grouped", MIB, "default",
                          {"shape": "8192x4096x4096", "dtype": "bf16", "layout": "nn", "groups": 16}),
     {"cuc_gemm": 1.01, "cublaslt": 1.0}, "| no |"),
    ("one as it was chosen", ("gemm/wide", MIB, "cuc_gemm",
                              {"shape": "1024x8192x8192", "dtype": "f16", "layout": "nn"}),
     {"cuc_gemm": 1.03, "cublaslt": 1.0}, "| yes |"),
    ("with what cuBLASLt cannot do behind it", ("gemm/after", MIB, "default",
     {"shape": "8192x8192x4096", "dtype": "bf16", "layout": "tn", "after": "silu"}),
     {"cuc_gemm": 1.0, "cublaslt": "no silu", "torch": 1.29}, "| no |"),
    ("with what PyTorch does slowly", ("gemm/after", MIB, "default",
     {"shape": "8192x8192x4096", "dtype": "bf16", "layout": "tn", "after": "silu"}),
     {"cuc_gemm": 1.0, "cublaslt": "no silu", "torch": 1.31}, "| yes |"),
    ("beside a linker within 150 ms", ("compile/tile", 0, "default", {"kernel": "gemm_nn"}),
     {"tile": 4e-3, "nvjitlink": 0.14}, "| yes |"),
    ("attention", ("attention/forward", MIB),
     {"tile": 1.1, "torch_cudnn": 1.0, "torch_flash": 1.5}, "| yes |"),
    ("attention no faster than another's", ("attention/forward", MIB),
     {"tile": 1.1, "torch_cudnn": 1.0, "torch_flash": 1.4}, "| no |"),
    ("vadd compiled", ("compile/tile", 0, "default", {"kernel": "vadd"}),
     {"tile": 0.9e-3, "nvjitlink": 1e-2}, "| yes |"),
    ("in more than 1 ms", ("compile/tile", 0, "default", {"kernel": "vadd"}),
     {"tile": 1.1e-3, "nvjitlink": 1e-1}, "| no |"),
    ("beside a fast linker", ("compile/tile", 0, "default", {"kernel": "top"}),
     {"tile": 3e-3, "nvjitlink": 2e-2}, "| no |"),
]

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "results.json"
    for what, point, seconds, end in ROWS:
        path.write_text(json.dumps({"results": list(results(seconds, *point))}))
        done = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True,
                              check=False)
        lines = done.stdout.splitlines()
        row = lines[2] if len(lines) > 2 else None
        if (row is None) != (end is None) or (end and not row.endswith(end)):
            problems.append(f"{what}: {row}, expected {end}; {done.stderr}")
        if (done.returncode == 0) != bool(end and end.endswith("yes |")):
            problems.append(f"{what}: exit status {done.returncode}")
print("\n".join(problems) or "goals are kept and missed as they should")
sys.exit(bool(problems))
