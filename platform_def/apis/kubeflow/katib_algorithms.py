"""What Katib's algorithms take: settings by name and value, spaces that they can search, and how many trials.

Facts: Katib 0.19, `pkg/suggestion/v1beta1` (hyperopt, optuna, skopt, goptuna, hyperband). A service refuses some of it
when the experiment begins, fails at each question on other parts, and passes over the rest without a word.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from platform_def.errors import nearest

About = Literal["algorithm", "settings", "parameters", "trials", "parallel", "earlyStopping"]
NUMBERS = ("double", "int")
WHOLE = re.compile(r"^[+-]?\d+$")
ENDLESS = 10**18
"""Points of a grid that no number counts."""
SEEDS = 2**32
"""NumPy's generators take seeds below this."""


@dataclass(frozen=True)
class Space:
    """A parameter, in the terms of an algorithm."""

    name: str
    type: str
    min: float = 0.0
    max: float = 0.0
    step: float | None = None
    log: bool = False
    values: int = 0
    """How many a list has."""

    @property
    def number(self) -> bool:
        """Whether it lies between two bounds."""
        return self.type in NUMBERS


@dataclass(frozen=True)
class Search:
    """What is asked of an algorithm."""

    algorithm: str
    settings: Mapping[str, str]
    spaces: Sequence[Space]
    trials: int | None
    """None: until the goal is reached."""
    parallel: int
    early_stopping: bool = False


@dataclass(frozen=True)
class Unfit:
    """What an algorithm cannot do with a search."""

    about: About
    text: str
    hint: str = ""
    fails: bool = True
    """Whether the search fails, or never ends; otherwise what was said is passed over."""
    name: str = ""
    """The setting or the parameter."""


@dataclass(frozen=True)
class AlgorithmSetting:
    """What the value of a setting must be."""

    fits: Callable[[str], bool]
    wants: str


def _whole(least: float = -math.inf, below: float = math.inf) -> Callable[[str], bool]:
    return lambda text: bool(WHOLE.match(text)) and least <= int(text) < below


def _number(fits: Callable[[float], bool]) -> Callable[[str], bool]:
    def judge(text: str) -> bool:
        try:
            return fits(float(text))
        except ValueError:
            return False

    return judge


def _one_of(*words: str) -> AlgorithmSetting:
    return AlgorithmSetting(lambda text: text in words, f"one of {', '.join(words)}")


_SEED = AlgorithmSetting(_whole(0, SEEDS), "a whole number from 0 to 4294967295")
_COUNT = AlgorithmSetting(_whole(0), "a whole number, 0 or more")
_SEEDED = {"random_state": _SEED}
SETTINGS: Mapping[str, Mapping[str, AlgorithmSetting]] = {
    "random": _SEEDED,
    "grid": _SEEDED,
    "tpe": {
        **_SEEDED,
        "gamma": AlgorithmSetting(_number(lambda value: 0 < value < 1), "a number between 0 and 1"),
        "prior_weight": AlgorithmSetting(_number(lambda value: 0 < value < math.inf), "a number above 0"),
        "n_EI_candidates": AlgorithmSetting(_whole(1), "a whole number, 1 or more"),
    },
    "multivariate-tpe": {**_SEEDED, "n_startup_trials": _COUNT, "n_ei_candidates": _COUNT},
    "bayesianoptimization": {
        **_SEEDED,
        "base_estimator": _one_of("GP", "RF", "ET", "GBRT"),
        "n_initial_points": _COUNT,
        "acq_func": _one_of("gp_hedge", "LCB", "EI", "PI", "EIps", "PIps"),
        "acq_optimizer": _one_of("auto", "sampling", "lbfgs"),
    },
    "cmaes": {
        "random_state": AlgorithmSetting(_whole(), "a whole number"),
        "sigma": AlgorithmSetting(_number(math.isfinite), "a number"),
        "restart_strategy": _one_of("none", "ipop", "bipop"),
    },
    "sobol": {},
    "hyperband": {
        "r_l": AlgorithmSetting(_number(lambda value: 1 <= value < math.inf), "a number, 1 or more"),
        "eta": AlgorithmSetting(_number(lambda value: 2 <= value < math.inf), "a number, 2 or more"),
        "resource_name": AlgorithmSetting(bool, "the name of a parameter"),
    },
}
"""Settings of each algorithm that is for hyperparameters, by Katib's names."""
_SILENT = ("cmaes", "sobol", "hyperband")
"""Whose services pass over settings that they do not know."""
_LOGARITHMIC = ("random", "tpe", "multivariate-tpe")
"""Whose services know a logarithmic scale; of a grid the order alone would change."""
_STEPS = ("random", "tpe", "grid", "multivariate-tpe", "cmaes", "sobol")
_MULTIPLES = ("random", "tpe")
"""Whose steps are counted from zero: hyperopt rounds to multiples of the step."""


def unfit(search: Search) -> Iterator[Unfit]:
    """What is wrong with a search; nothing of an algorithm that is not known here."""
    known = SETTINGS.get(search.algorithm)
    if known is None:
        return
    yield from _settings(search, known)
    yield from _spaces(search)
    if search.algorithm == "grid":
        yield from _grid(search)
    if search.algorithm == "hyperband":
        yield from _hyperband(search)


def _settings(search: Search, known: Mapping[str, AlgorithmSetting]) -> Iterator[Unfit]:
    for name, value in sorted(search.settings.items()):
        if name not in known:
            text = f"{search.algorithm} has no setting `{name}`"
            said = f"it has {', '.join(sorted(known))}" if known else "leave it out: it has none"
            yield Unfit("settings", text, nearest(name, known) or said, search.algorithm not in _SILENT, name)
        elif not known[name].fits(value):
            text = f"`{name}: {value}` of {search.algorithm} is not {known[name].wants}"
            yield Unfit("settings", text, f"write {known[name].wants}", name=name)


def _spaces(search: Search) -> Iterator[Unfit]:
    algorithm = search.algorithm
    numbers = [each for each in search.spaces if each.number]
    if algorithm == "cmaes" and len(numbers) < 2:
        yield Unfit("algorithm", "cmaes searches two or more numbers, and nothing else", "choose another algorithm")
    elif algorithm in ("cmaes", "sobol") and len(numbers) < len(search.spaces):
        text = f"{algorithm} searches numbers alone, and chooses the others at random"
        yield Unfit("algorithm", text, "choose another algorithm", fails=False)
    for each in numbers:
        if algorithm == "bayesianoptimization" and each.type == "double" and each.min <= 0:
            text = (
                f"bayesianoptimization searches a double on a logarithmic scale, and {each.name} begins at {each.min:g}"
            )
            yield Unfit("parameters", text, "have it begin above 0, or choose another algorithm", name=each.name)
        if (
            each.log
            and algorithm not in (*_LOGARITHMIC, "grid")
            and not (algorithm == "bayesianoptimization" and each.type == "double")
        ):
            text = f"{algorithm} knows no logarithmic scale, and would search {each.name} on a linear one"
            hint = f"choose {', '.join(_LOGARITHMIC)}, or search the logarithm itself"
            yield Unfit("parameters", text, hint, fails=False, name=each.name)
        yield from _step(search, each)


def _step(search: Search, space: Space) -> Iterator[Unfit]:
    step = space.step
    if step is None:
        return
    if search.algorithm not in _STEPS:
        text = f"{search.algorithm} knows no steps, and would choose {space.name} between them"
        yield Unfit("parameters", text, f"leave `step` out, or choose {', '.join(_STEPS)}", False, space.name)
    elif search.algorithm in _MULTIPLES:
        if not math.isfinite(space.min / step) or not math.isfinite(space.max / step):
            return
        least, most = round(space.min / step) * step, round(space.max / step) * step
        # A hundredth of a step is what floating numbers may be off.
        if least < space.min - step / 100 or most > space.max + step / 100:
            text = f"{search.algorithm} chooses multiples of the step, for {space.name} from {least:g} to {most:g}"
            yield Unfit("parameters", text, "have `min` and `max` be multiples of `step`", False, space.name)
    elif search.algorithm == "multivariate-tpe" and space.log and not (space.type == "int" and step == 1):
        text = f"multivariate-tpe knows no steps on a logarithmic scale, and would choose {space.name} between them"
        yield Unfit("parameters", text, "leave `step` out, or choose tpe", False, space.name)


def _grid(search: Search) -> Iterator[Unfit]:
    bare = next((each for each in search.spaces if each.type == "double" and not each.step), None)
    if bare:
        text = f"a grid over {bare.name} needs its `step`"
        yield Unfit("parameters", text, "say it, or choose another algorithm", name=bare.name)
        return
    points = grid_points(search.spaces)
    if search.trials is not None and search.trials > points:
        text = f"{search.trials} trials are more than the {points} points of the grid"
        yield Unfit("trials", text, f"write {points}")


def grid_points(spaces: Sequence[Space]) -> int:
    """The points of a grid, each double of which has a step."""
    return math.prod(map(_values, spaces))


def _values(space: Space) -> int:
    if not space.number:
        return space.values
    if space.type == "int":
        return max(0, int(space.max) - int(space.min)) // int(space.step or 1) + 1
    # As numpy.arange to one step behind the end counts them: the last one goes where rounding has put it past the end.
    step = space.step or 1.0
    if not math.isfinite(steps := (space.max + step - space.min) / step):
        return ENDLESS
    count = math.ceil(steps)
    last = space.min + (count - 1) * ((space.min + step) - space.min)
    return max(0, count - (last > space.max))


def _hyperband(search: Search) -> Iterator[Unfit]:
    settings = search.settings
    for name in ("r_l", "resource_name"):
        if name not in settings:
            text = f"hyperband needs the setting `{name}`"
            hint = "r_l is the most that a trial gets of the parameter resource_name"
            yield Unfit("settings", text, hint, name=name)
    resource = settings.get("resource_name")
    if resource and resource not in {each.name for each in search.spaces}:
        names = [each.name for each in search.spaces if each.type == "int"]
        text = f"resource_name '{resource}' is no parameter"
        yield Unfit("settings", text, nearest(resource, names), name="resource_name")
    elif resource and resource not in {each.name for each in search.spaces if each.type == "int"}:
        text = f"resource_name '{resource}' is no parameter of type int"
        yield Unfit("settings", text, "it gets whole amounts", False, "resource_name")
    known = SETTINGS["hyperband"]
    if "r_l" in settings and all(known[name].fits(settings[name]) for name in ("r_l", "eta") if name in settings):
        least = bracket(float(settings["r_l"]), float(settings.get("eta", "3")))
        if search.parallel < least:
            text = f"hyperband begins with {least} trials at once, and may have {search.parallel}"
            yield Unfit("parallel", text, f"write {least} or more, or a smaller r_l")
    if search.trials is None or search.trials > search.parallel + 1:
        count = "any number of" if search.trials is None else str(search.trials)
        text = (
            f"Katib 0.19 refuses hyperband's second round, which is smaller than it asked for: of {count} trials"
            f" {search.parallel} run, and then it waits without end"
        )
        yield Unfit("trials", text, f"write {search.parallel} or {search.parallel + 1}, or choose another algorithm")
    if search.early_stopping:
        text = "hyperband compares trials that have succeeded, and fails on one that was stopped"
        yield Unfit("earlyStopping", text, "leave it out: trials without prospects get no more anyway", False)


def bracket(most: float, eta: float) -> int:
    """Trials of the first round, where one gets `most` at most."""
    whole = int(eta)
    return int(whole ** int(math.log(most) / math.log(whole)))
