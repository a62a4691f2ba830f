"""Finds the fastest of several kernel configurations: `ct.tune.exhaustive_search()`.

Configurations are sampled in rotation, so that all see the same machine state. A configuration
that is certainly slower than the best one is dropped.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from .._stream import EventOptions, Stream, StreamLike, as_stream
from ._kernel import TileKernel, launch

T = TypeVar("T")
_WARM_UPS = 3
_TURN = 5  # samples per round
_LEAST, _MOST = 5, 1000  # samples
_SURE = 0.01  # sufficient error margin, relative to the mean, or
_SURE_US = 0.5
_LONGEST_US = 5e6


@dataclass(frozen=True, kw_only=True)
class Measurement(Generic[T]):
    """The measured time of one configuration."""

    config: T
    mean_us: float
    num_samples: int
    error_margin_us: float  #: half the width of the 95 % confidence interval


@dataclass(frozen=True, kw_only=True)
class TuningResult(Generic[T]):
    """The measurements of all configurations, and the best one."""

    best: Measurement[T]
    successes: tuple[Measurement[T], ...]
    failures: tuple[tuple[T, type[BaseException], str], ...]  #: (configuration, class, message)

    def summary(self, *, top_k: int = 10, bottom_k: int = 2) -> str:
        """Return one line per configuration, fastest first, omitting the middle."""
        ranked = sorted(self.successes, key=lambda m: m.mean_us)
        left_out = max(len(ranked) - top_k - bottom_k, 0)
        shown: list[Measurement[T] | None] = list(ranked)
        if left_out > 1:
            shown = [*ranked[:top_k], None, *ranked[len(ranked) - bottom_k:]]
        lines = [f"{len(self.successes)} succeeded, {len(self.failures)} failed"]
        for each in shown:
            if each is None:
                lines.append(f"    ... {left_out} more not shown")
            else:
                lines.append(f"{'*' if each is self.best else ' '} {each.config}: {each.mean_us:.1f} +- "
                             f"{each.error_margin_us:.1f} us ({each.num_samples} samples)")
        lines += [f"    {config}: {kind.__name__}: {message.splitlines()[0] if message else ''}"
                  for config, kind, message in self.failures[:top_k]]
        if len(self.failures) > top_k:
            lines.append(f"    ... {len(self.failures) - top_k} more failed")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()


@dataclass
class _Candidate(Generic[T]):
    config: T
    run: Callable[[], float]  # microseconds
    samples: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        return sum(self.samples) / len(self.samples)

    @property
    def margin(self) -> float:
        count, mean = len(self.samples), self.mean
        if count < 2:
            return 0.0
        return 1.96 * math.sqrt(sum((s - mean) ** 2 for s in self.samples) / (count - 1) / count)

    @property
    def is_sure(self) -> bool:
        count, mean = len(self.samples), self.mean
        return count >= _LEAST and (self.margin <= max(_SURE * mean, _SURE_US) or count >= _MOST or
                                    mean * count > _LONGEST_US)

    def measurement(self) -> Measurement[T]:
        return Measurement(config=self.config, mean_us=self.mean, num_samples=len(self.samples),
                           error_margin_us=self.margin)


def _timed(stream: Stream, kernel: TileKernel, grid: Any, args: tuple[Any, ...]) -> float:
    """Return the device time of one launch in microseconds."""
    timing = EventOptions(timing_enabled=True)
    start = stream.record(options=timing)
    launch(stream, grid, kernel, args)
    end = stream.record(options=timing)
    end.sync()
    return (end - start) * 1e3


def exhaustive_search(search_space: Iterable[T], stream: StreamLike, grid_fn: Callable[[T], Any],
                      kernel: TileKernel | Callable[[T], TileKernel], args_fn: Callable[[T], tuple[Any, ...]],
                      hints_fn: Callable[[T], dict[str, Any]] | None = None, *, quiet: bool = False,
                      single_run_timeout_sec: float | None = None) -> TuningResult[T]:
    """Measure a kernel with each configuration.

    The given functions map a configuration to the grid, the arguments and the kernel options;
    `kernel` may also be a function that maps it to a kernel. Each launch gets new arguments.
    `failures` lists the configurations that fail to compile or run. Time limits are ignored,
    because a launch cannot be canceled.
    """
    queue = Stream.from_handle(stream) if type(stream) is int else as_stream(stream)
    candidates: list[_Candidate[T]] = []
    failures: list[tuple[T, type[BaseException], str]] = []

    def prepared(config: T) -> Callable[[], float]:
        base = kernel if isinstance(kernel, TileKernel) else kernel(config)
        made = base.replace_hints(**hints_fn(config)) if hints_fn is not None else base
        grid = grid_fn(config)
        return lambda: _timed(queue, made, grid, tuple(args_fn(config)))

    def attempt(config: T, run: Callable[[], Any]) -> bool:
        try:
            run()
        except Exception as error:
            failures.append((config, type(error), str(error)))
            return False
        return True

    configs = list(search_space)
    if not configs:
        raise ValueError("Search space is empty.")
    for config in configs:
        def warm(config: T = config) -> None:
            candidate = _Candidate(config, prepared(config))
            for _ in range(_WARM_UPS):
                candidate.run()
            candidate.samples = [candidate.run() for _ in range(_TURN)]
            candidates.append(candidate)

        attempt(config, warm)
    running = list(candidates)
    while running:
        limit = min(c.mean + c.margin for c in candidates)
        running = [c for c in running if not c.is_sure and c.mean - c.margin <= limit]
        for candidate in list(running):
            if not attempt(candidate.config,
                           lambda: candidate.samples.extend(candidate.run() for _ in range(_TURN))):
                running.remove(candidate)
                candidates.remove(candidate)
        if not candidates:
            break
    if not candidates:
        config, kind, message = failures[0]
        raise ValueError(f"No valid config found in search space.\n{config}: {kind.__name__}: {message}")
    measured = tuple(c.measurement() for c in candidates)
    result = TuningResult(best=min(measured, key=lambda m: m.mean_us), successes=measured,
                          failures=tuple(failures))
    if not quiet:
        print(result)
    return result


__all__ = ["Measurement", "TuningResult", "exhaustive_search"]
