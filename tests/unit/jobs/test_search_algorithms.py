"""What Katib's algorithms refuse, cannot search, or pass over, and what they take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

import pytest

from platform_def.apis.kubeflow.katib_algorithms import ENDLESS, SETTINGS, Search, Space, bracket, grid_points, unfit
from platform_def.jobs.tuning.search import AlgorithmName

LR = Space("lr", "double", 0.01, 0.1)
DEPTH = Space("depth", "int", 2, 8)
HOW = Space("how", "categorical", values=2)
BOTH = (LR, DEPTH)


def told(
    algorithm: str,
    settings: Mapping[str, str] | None = None,
    *,
    spaces: Sequence[Space] = BOTH,
    trials: int | None = 6,
    parallel: int = 3,
    early_stopping: bool = False,
) -> list[tuple[str, bool]]:
    """What is said to be wrong: about what, and whether the search fails."""
    search = Search(algorithm, settings or {}, spaces, trials, parallel, early_stopping)
    return [(each.about, each.fails) for each in unfit(search)]


def test_settings_of_every_algorithm_that_the_template_offers_are_known() -> None:
    assert SETTINGS.keys() == {*get_args(AlgorithmName)}


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("random", {"random_state": "4294967295"}),
        ("tpe", {"gamma": "0.25", "prior_weight": "1", "n_EI_candidates": "24", "random_state": "0"}),
        ("multivariate-tpe", {"n_startup_trials": "0", "n_ei_candidates": "24"}),
        ("bayesianoptimization", {"base_estimator": "RF", "n_initial_points": "5", "acq_func": "EI"}),
        ("bayesianoptimization", {"acq_optimizer": "lbfgs"}),
        ("cmaes", {"sigma": "0.3", "restart_strategy": "bipop", "random_state": "-1"}),
        ("sobol", {}),
    ],
)
def test_what_an_algorithm_knows_is_let_be(algorithm: str, settings: dict[str, str]) -> None:
    assert told(algorithm, settings) == []


@pytest.mark.parametrize(
    ("algorithm", "settings", "fails"),
    [
        ("random", {"seed": "1"}, True),
        ("random", {"random_state": "-1"}, True),
        ("random", {"random_state": "4294967296"}, True),
        ("random", {"random_state": "1.5"}, True),
        ("tpe", {"gamma": "1"}, True),
        ("tpe", {"gamma": "much"}, True),
        ("tpe", {"n_ei_candidates": "24"}, True),
        ("tpe", {"n_EI_candidates": "0"}, True),
        ("multivariate-tpe", {"n_EI_candidates": "24"}, True),
        ("bayesianoptimization", {"base_estimator": "rf"}, True),
        ("cmaes", {"restart_strategy": "None"}, True),
        ("cmaes", {"population": "9"}, False),
        ("sobol", {"random_state": "1"}, False),
    ],
)
def test_a_setting_that_an_algorithm_does_not_take(algorithm: str, settings: dict[str, str], fails: bool) -> None:
    assert told(algorithm, settings) == [("settings", fails)]


@pytest.mark.parametrize(
    ("algorithm", "spaces", "found"),
    [
        ("cmaes", (LR,), [("algorithm", True)]),
        ("cmaes", (*BOTH, HOW), [("algorithm", False)]),
        ("sobol", (LR, HOW), [("algorithm", False)]),
        ("bayesianoptimization", (Space("lr", "double", 0, 1),), [("parameters", True)]),
        ("bayesianoptimization", (Space("depth", "int", 0, 8),), []),
        ("bayesianoptimization", (Space("lr", "double", 0.1, 1, log=True),), []),
        ("bayesianoptimization", (Space("depth", "int", 1, 8, log=True),), [("parameters", False)]),
        ("bayesianoptimization", (Space("lr", "double", 0.1, 1, 0.1),), [("parameters", False)]),
        ("cmaes", (Space("lr", "double", 0.1, 1, log=True), DEPTH), [("parameters", False)]),
        ("sobol", (Space("lr", "double", 0.1, 1, 0.1),), []),
        ("tpe", (Space("lr", "double", 0.1, 1, 0.1),), []),
        ("tpe", (Space("depth", "int", 2, 8, 2, log=True),), []),
        ("tpe", (Space("depth", "int", 1, 8, 4),), [("parameters", False)]),
        ("random", (Space("lr", "double", 0.0001, 0.1, 0.001, log=True),), [("parameters", False)]),
        ("multivariate-tpe", (Space("depth", "int", 1, 8, 4),), []),
        ("multivariate-tpe", (Space("lr", "double", 0.1, 1, 0.1, log=True),), [("parameters", False)]),
    ],
)
def test_a_space_that_an_algorithm_cannot_search_or_searches_otherwise(
    algorithm: str, spaces: Sequence[Space], found: list[tuple[str, bool]]
) -> None:
    assert told(algorithm, spaces=spaces) == found


def test_a_grid_has_steps_and_no_more_trials_than_points() -> None:
    whole = Space("lr", "double", 0.01, 0.05, 0.01)

    assert told("grid", spaces=(LR,)) == [("parameters", True)]
    assert told("grid", spaces=(whole,), trials=5) == []
    assert told("grid", spaces=(whole,), trials=6) == [("trials", True)]
    assert told("grid", spaces=(whole, HOW), trials=10) == []


@pytest.mark.parametrize(
    ("space", "points"),
    [
        (Space("a", "int", 2, 8), 7),
        (Space("a", "int", 2, 9, 3), 3),
        (Space("a", "double", 0.0, 1.0, 0.25), 5),
        (Space("a", "double", 0.0, 1.0, 0.3), 4),
        # numpy.arange goes to 0.4 here; what lies past the end is not counted.
        (Space("a", "double", 0.1, 0.3, 0.1), 3),
        (HOW, 2),
        (Space("a", "int", 0, 1e30, 2), int(1e30) // 2 + 1),
        (Space("a", "double", 0.0, 1e308, 1e-300), ENDLESS),
    ],
)
def test_points_of_a_grid_are_counted_as_katib_counts_them(space: Space, points: int) -> None:
    assert grid_points([space]) == points


HALVING = {"r_l": "9", "eta": "3", "resource_name": "depth"}


def test_hyperband_makes_one_round_and_one_trial_more() -> None:
    """`_make_child_bracket` of Katib 0.19 answers with a third of what is asked for, and the suggestion client takes
    nothing but that number; asked for one it answers with one."""
    assert bracket(9, 3) == 9
    assert told("hyperband", HALVING, trials=9, parallel=9) == []
    assert told("hyperband", HALVING, trials=10, parallel=9) == []
    assert told("hyperband", HALVING, trials=11, parallel=9) == [("trials", True)]
    assert told("hyperband", HALVING, trials=None, parallel=9) == [("trials", True)]
    assert told("hyperband", HALVING, trials=8, parallel=8) == [("parallel", True)]


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"resource_name": "lr"}, [("settings", False)]),
        ({"resource_name": "epochs"}, [("settings", True)]),
        ({"eta": "1"}, [("settings", True)]),
        ({"r_l": "0"}, [("settings", True)]),
        ({"s_max": "2"}, [("settings", False)]),
    ],
)
def test_hyperband_needs_a_resource_and_how_much_of_it(changed: dict[str, str], found: list[tuple[str, bool]]) -> None:
    assert told("hyperband", HALVING | changed, trials=9, parallel=9) == found


def test_hyperband_compares_trials_that_were_not_stopped() -> None:
    assert told("hyperband", HALVING, trials=9, parallel=9, early_stopping=True) == [("earlyStopping", False)]


def test_an_algorithm_that_is_not_known_is_not_judged() -> None:
    assert told("enas", {"controller_hidden_size": "64"}, spaces=()) == []
