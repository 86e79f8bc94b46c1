# ruff: noqa: ARG002, N802 - the names of Katib's calls, and what gRPC hands over
"""A stand-in for Katib's suggestion services, which no registry of packages has: Katib's own calls, answered by optuna.

`suggests.py` serves the port at which Katib's controller asks for parameters. It knows the algorithms tpe, multivariate-tpe,
random and grid, of which it takes some settings, by Katib's names; a grid is gone through in order.
"""

from __future__ import annotations

import socket
from concurrent import futures
from itertools import product

import grpc
import optuna
from calls import types_of_katib

PORT = 6789
pb, services = types_of_katib()
SAMPLERS = {
    "tpe": optuna.samplers.TPESampler,
    "multivariate-tpe": optuna.samplers.TPESampler,
    "random": optuna.samplers.RandomSampler,
    "grid": optuna.samplers.RandomSampler,
}
SETTINGS = {
    "tpe": {"random_state": "seed", "n_EI_candidates": "n_ei_candidates"},
    "multivariate-tpe": {
        "random_state": "seed",
        "n_startup_trials": "n_startup_trials",
        "n_ei_candidates": "n_ei_candidates",
    },
    "random": {"random_state": "seed"},
    "grid": {"random_state": "seed"},
}
"""optuna's name of each setting, all of which are whole numbers."""


class Suggests(services.SuggestionServicer):
    """One search: Katib starts a pod of it for each experiment."""

    def __init__(self) -> None:
        self._study = None
        self._asked = {}
        """Trials of the study that have not been told, by their words."""

    def ValidateAlgorithmSettings(self, request, context):
        """Say no to an algorithm or a setting that is not known here."""
        algorithm = request.experiment.spec.algorithm
        name = algorithm.algorithm_name
        if name not in SAMPLERS:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"unknown algorithm {name}")
        for each in algorithm.algorithm_settings:
            if each.name not in SETTINGS[name]:
                context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"unknown setting {each.name}")
        return pb.ValidateAlgorithmSettingsReply()

    def GetSuggestions(self, request, context):
        """Tell the study what came of its trials, and ask it for the next ones."""
        spec = request.experiment.spec
        if self._study is None:
            self._study = begun(spec)
        for each in request.trials:
            self._told(each, spec.objective.objective_metric_name)
        reply = pb.GetSuggestionsReply()
        for _ in range(request.current_request_number):
            asked = self._study.ask()
            words = {each.name: value(asked, each) for each in spec.parameter_specs.parameters}
            self._asked.setdefault(tuple(sorted(words.items())), []).append(asked)
            made = reply.parameter_assignments.add()
            for name, text in words.items():
                made.assignments.add(name=name, value=text)
        return reply

    def _told(self, trial, metric: str) -> None:
        words = tuple(sorted((each.name, each.value) for each in trial.spec.parameter_assignments.assignments))
        state = trial.status.condition
        if state not in (pb.TrialStatus.SUCCEEDED, pb.TrialStatus.EARLYSTOPPED, pb.TrialStatus.FAILED):
            return
        found = [each.value for each in trial.status.observation.metrics if each.name == metric]
        for asked in self._asked.pop(words, []):
            if found and state != pb.TrialStatus.FAILED:
                self._study.tell(asked, float(found[0]))
            else:
                self._study.tell(asked, state=optuna.trial.TrialState.FAIL)


def begun(spec):
    """A study for the objective; of a grid it knows all points beforehand."""
    name = spec.algorithm.algorithm_name
    words = {SETTINGS[name][each.name]: int(each.value) for each in spec.algorithm.algorithm_settings}
    if name == "multivariate-tpe":
        words["multivariate"] = True
    direction = "minimize" if spec.objective.type == pb.MINIMIZE else "maximize"
    study = optuna.create_study(direction=direction, sampler=SAMPLERS[name](**{"seed": 0, **words}))
    if name == "grid":
        parameters = spec.parameter_specs.parameters
        for point in product(*(each.feasible_space.list for each in parameters)):
            study.enqueue_trial({each.name: word for each, word in zip(parameters, point, strict=True)})
    return study


def value(asked, parameter) -> str:
    """What the study chose for a parameter, as text."""
    space = parameter.feasible_space
    if parameter.parameter_type in (pb.CATEGORICAL, pb.DISCRETE):
        return str(asked.suggest_categorical(parameter.name, list(space.list)))
    log = space.distribution == pb.LOG_UNIFORM
    if parameter.parameter_type == pb.INT:
        return str(
            asked.suggest_int(parameter.name, int(space.min), int(space.max), step=int(space.step or 1), log=log)
        )
    step = float(space.step) if space.step else None
    return str(asked.suggest_float(parameter.name, float(space.min), float(space.max), step=step, log=log))


def main() -> None:
    """Serve for ever."""
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    services.add_SuggestionServicer_to_server(Suggests(), server)
    # Here the Services of others keep this port at their addresses.
    server.add_insecure_port(f"{socket.gethostbyname(socket.gethostname())}:{PORT}")
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main()
