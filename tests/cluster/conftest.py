"""Fixtures that give tests a real API server; its logs are shown when a test fails.

Without the programs, or without a network of their own, tests are skipped with the reason. Where CI=true they fail, but
for programs that it could not build in its time and that `tools.py` lets it leave out.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn, TypeVar

import pytest

from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.engine_crds import engine_crds
from tests.cluster.sandbox import own_network_allowed
from tests.cluster.snapshots import Boot, snapshot
from tests.cluster.stacks import Stacks, crds_of, stack_names
from tests.cluster.tools import API_SERVER, KUBERNETES, TOOLS, LeftOutError, MissingToolError, Say, obtain
from tests.renders.store import Store

T = TypeVar("T")

_RUNNING = pytest.StashKey[list[ControlPlane]]()


class Programs(Mapping[str, Path]):
    """Programs by name; one that is missing is built when a test asks for it, Kubernetes' own together."""

    def __init__(self, say: Say) -> None:
        self._say = say

    def __getitem__(self, name: str) -> Path:
        if name not in TOOLS:
            raise KeyError(name)
        names = KUBERNETES if name in KUBERNETES else (name,)
        return or_skip(lambda: obtain(names, say=self._say))[name]

    def __iter__(self) -> Iterator[str]:
        return iter(TOOLS)

    def __len__(self) -> int:
        return len(TOOLS)


@pytest.fixture(scope="session")
def binaries(pytestconfig: pytest.Config) -> Mapping[str, Path]:
    """etcd and kube-apiserver, built when the cache has none."""
    return or_skip(lambda: obtain(API_SERVER, say=voice(pytestconfig)))


@pytest.fixture(scope="session")
def programs(pytestconfig: pytest.Config) -> Mapping[str, Path]:
    """The programs of `tools.py`, each built when it is asked for."""
    return Programs(voice(pytestconfig))


@pytest.fixture(scope="session")
def oauth2_proxy(pytestconfig: pytest.Config) -> Path | None:
    """oauth2-proxy; None where it cannot be had, and a stand-in decides in its place."""
    try:
        return obtain(("oauth2-proxy",), say=voice(pytestconfig))["oauth2-proxy"]
    except MissingToolError:
        return None


@pytest.fixture(scope="session")
def cluster(binaries: Mapping[str, Path]) -> Iterator[ControlPlane]:
    """An API server without CRDs that tests share; each uses names of its own."""
    with ControlPlane(binaries) as control_plane:
        yield control_plane


@pytest.fixture
def boot(binaries: Mapping[str, Path], request: pytest.FixtureRequest) -> Iterator[Boot]:
    """Starts API servers of the test's own, gone when it ends."""
    with ExitStack() as stack:

        def start(
            crds: Sequence[Manifest] = (), *, flags: tuple[str, ...] = (), servers: Mapping[str, Path] = binaries
        ) -> ControlPlane:
            data = snapshot(servers, crds) if crds else None
            control_plane = stack.enter_context(ControlPlane(servers, data=data, flags=flags))
            show_logs(request, control_plane)
            return control_plane

        yield start


@pytest.fixture(scope="session")
def manifests() -> Stacks:
    """The objects of every stack, by `dist/NAME` and `coverage/NAME`."""
    return Stacks(Store())


@pytest.fixture(scope="session")
def known_crds(manifests: Mapping[str, list[Manifest]]) -> list[Manifest]:
    """CRDs that a cluster may have without the stack bringing them: those of what can only be provided, those of all
    stacks, and of the GitOps engines."""
    from platform_def.components.catalogue import BUILT_IN
    from platform_def.crds.catalogue import components_with_apis, newest_definitions
    from platform_def.crds.crd import crd

    provided = sorted(set(components_with_apis()) - set(BUILT_IN))
    foreign = [crd(each) for name in provided for each in newest_definitions(name, "")]
    return [*foreign, *or_skip(engine_crds), *(crd for objects in manifests.values() for crd in crds_of(objects))]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with the parameter `stack` runs once for every stack."""
    if "stack" in metafunc.fixturenames:
        metafunc.parametrize("stack", stack_names())


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What needs a network of its own is skipped where it can have none; in CI that is a failure."""
    if item.get_closest_marker("own_network") and not own_network_allowed():
        _missing("this system allows no network namespaces, which the addresses of Services and pods need")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the servers' logs below a failure."""
    report = yield
    if report.failed:
        for control_plane in item.stash.get(_RUNNING, []):
            report.sections.append(("logs of the control plane", control_plane.logs()))
    return report


def show_logs(request: pytest.FixtureRequest, *control_planes: ControlPlane) -> None:
    """Have these servers' logs shown when the test fails."""
    request.node.stash.setdefault(_RUNNING, []).extend(control_planes)


def or_skip(get: Callable[[], T]) -> T:
    """What needs programs, or a skip with the reason; where CI=true a failure, unless CI may leave the program out."""
    try:
        return get()
    except LeftOutError as error:
        pytest.skip(str(error))
    except MissingToolError as error:
        _missing(str(error))


def _missing(reason: str) -> NoReturn:
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI needs the cluster tests: {reason}")
    pytest.skip(reason)


def voice(config: pytest.Config) -> Callable[[str], None]:
    """Prints past pytest's capture: a build takes minutes, and silence looks like a hang."""
    capture = config.pluginmanager.getplugin("capturemanager")

    def say(line: str) -> None:
        with capture.global_and_fixture_disabled():
            print(line, flush=True)

    return say


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What jobs trained, and why those of other templates did not."""
    passed = terminalreporter.getreports("passed")
    trained = [str(text) for report in passed for name, text in report.user_properties if name == "trained"]
    if trained:
        from tests.cluster.not_trained import NOT_TRAINED

        terminalreporter.section("what trained")
        for line in (*trained, *(f"not {template}: {why}" for template, why in NOT_TRAINED.items())):
            terminalreporter.write_line(line)
