"""Each command as a user meets it: what it prints where, its exit code, and what it leaves on the disk."""

from __future__ import annotations

import json
import re
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
import typer

from platform_def import __version__
from platform_def.apis.crd import crd
from platform_def.cli.main import app
from platform_def.pipeline.output.lock import lock
from platform_def.yaml import load
from tests.acceptance.repository import HEAD, PLATFORMCTL, PROJECT, SMALL, Repository

WRONG_OBJECT = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: wrong, namespace: kube-system}
data: {count: 3}
"""
"""A cluster refuses it: data is text."""


def commands() -> dict[str, Any]:
    """Every command by the words that call it."""
    found: dict[str, Any] = {}

    def walk(words: str, command: Any) -> None:
        inner = getattr(command, "commands", None)
        if inner is None:
            found[words] = command
        for name, each in (inner or {}).items():
            walk(f"{words} {name}", each)

    walk("platformctl", typer.main.get_command(app))
    return found


# --- help and usage


@pytest.mark.parametrize("words", sorted(commands()))
def test_help_ends_with_two_examples(words: str) -> None:
    epilog = commands()[words].epilog or ""
    examples = [line for line in epilog.splitlines() if f"{words} " in f"{line} "]

    assert epilog.strip().startswith("Examples:")
    assert len(examples) >= 2
    assert max(map(len, epilog.splitlines())) <= 76, "the help would wrap the line"


def test_help_is_for_people_and_goes_to_stdout(repository: Repository) -> None:
    done = repository.run("synth", "--help")

    assert "platformctl synth --check" in done.out.splitlines()[-1]
    assert done.err == ""


def test_the_module_runs_as_the_command_does(repository: Repository) -> None:
    assert repository.call("python", "-m", "platform_def", "--version").out == f"platformctl {__version__}\n"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("synht", "synth"),
        ("synth on", "one"),
        ("check tow", "two"),
        ("explain tow cluster", "two"),
        ("explain one clustre.name", "cluster"),
        ("explain one nodePools.trian.gpu", "train"),
        ("explain one components.training-operatr.replicas", "training-operator"),
        ("explain one components.training-operator.replica", "replicas"),
        ("explain one Deployment/training-operatr", "Deployment/training-operator"),
        ("list component", "components"),
        ("crd export training-operatr --out crds", "training-operator"),
    ],
)
def test_an_unknown_name_gets_the_nearest_known_one(synthesised: Repository, words: str, hint: str) -> None:
    done = synthesised.ask(*words.split(), code=2)

    assert hint in done.err
    assert done.out == ""


def test_outside_of_a_repository_nothing_is_made(repository: Repository) -> None:
    for words in (["synth"], ["check"], ["synth", "--check"], ["explain", "a", "cluster"], ["bootstrap", "a"]):
        done = repository.ask(*words, code=2)

        assert "platformctl init" in done.err
    assert list(repository.root.iterdir()) == []


def test_a_reader_that_goes_away_is_no_error(repository: Repository) -> None:
    with subprocess.Popen([PLATFORMCTL, "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()

        assert process.stderr.read() == b""


# --- init, synth, check


@pytest.mark.parametrize("engine", ["argocd", "flux"])
def test_what_init_writes_synthesises_and_passes_its_own_check(repository: Repository, engine: str) -> None:
    run = repository.run if engine == "argocd" else repository.ask
    done = run("init", ".", "--stack", "gpu-prod", "--engine", engine)
    written = {path for path in repository.files(".") if not path.startswith("dist/")}

    assert {"stacks/gpu-prod.yaml", "cdk8s.yaml", ".github/workflows/platform.yaml", "README.md"} <= written
    assert sorted(done.out.split()) == sorted(written)
    assert "files added" in run("synth").err
    assert "no findings" in run("check").err
    assert "is current" in run("synth", "--check").err
    assert engine in run("bootstrap", "gpu-prod").out.lower().replace(" ", "")


def test_init_overwrites_nothing(repository: Repository) -> None:
    repository.write({"README.md": "mine"})

    done = repository.ask("init", ".", code=2)

    assert "README.md" in done.err
    assert repository.files(".") == {"README.md": b"mine"}


@pytest.mark.parametrize(("option", "value"), [("--stack", "../x"), ("--stack", "Main"), ("--engine", "helm")])
def test_init_refuses_odd_names(repository: Repository, option: str, value: str) -> None:
    done = repository.ask("init", "new", option, value, code=2)

    assert option in done.err
    assert list(repository.root.iterdir()) == []


def test_piped_synth_prints_one_line_without_escape_codes(small: Repository) -> None:
    done = small.run("synth", environment={"TERM": "xterm-256color", "FORCE_COLOR": "1"})

    assert done.out == ""
    assert re.fullmatch(r"1 stack, 2 components, \d+ objects: \d+ files added in \d+\.\d s\n", done.err)


def test_a_second_synth_says_that_nothing_has_changed(built: Repository) -> None:
    before = built.files()
    built.ask("synth")

    assert "nothing has changed" in built.ask("synth").err
    assert built.files() == before


def test_synth_reports_in_json(small: Repository) -> None:
    first, second = small.ask("synth", "-o", "json"), small.ask("synth", "-o", "json")

    assert first.json.keys() == {"stacks", "components", "objects", "warnings", "seconds", "files"}
    assert first.json["files"].keys() == {"added", "changed", "removed", "edited", "foreign"}
    assert "a/index.json" in first.json["files"]["added"]
    assert second.json["files"] == {"added": [], "changed": [], "removed": [], "edited": [], "foreign": []}
    assert first.err == second.err == ""


def test_check_reports_findings_in_json_and_ends_with_1(small: Repository) -> None:
    small.write({"stacks/b.yaml": f"{HEAD}components: {{wrong: {{path: apps}}}}\n", "apps/wrong.yaml": WRONG_OBJECT})

    done = small.run("check", "-o", "json", code=1)
    finding = next(each for each in done.json["findings"] if each["severity"] == "error")

    assert done.json["summary"]["error"] == 1
    assert finding["object"] == "ConfigMap kube-system/wrong"
    assert "apps/wrong.yaml" in json.dumps(finding)
    assert not (small.root / "dist").exists()


def test_an_error_found_stops_the_write_unless_told_otherwise(built: Repository) -> None:
    before = built.files()
    built.write({"apps/greeter/wrong.yaml": WRONG_OBJECT})

    done = built.ask("synth", code=1)

    assert "apps/greeter/wrong.yaml" in done.err
    assert "--no-check" in done.err
    assert built.files() == before
    built.ask("synth", "--no-check")
    assert built.files() != before


def test_problems_of_all_stacks_come_together_with_their_lines(built: Repository) -> None:
    before = built.files()
    built.write({
        "stacks/two.yaml": f"{SMALL}gatway: none\nteams: [{{nam: x}}]\n",
        "stacks/three.yaml": "apiVersion: platform-def/v1\ncluster:\n  kubernetes: 1.36\n",
    })  # fmt: skip

    done = built.ask("synth", code=2)

    assert "stacks/three.yaml:3: cluster.kubernetes" in done.err
    assert "stacks/two.yaml:4: gatway: unknown field\n  hint: did you mean 'gateway'?" in done.err
    assert "stacks/two.yaml:5: teams[0].nam: unknown field" in done.err
    assert built.files() == before


# --- dist/: whose files, what changed


def test_check_lists_what_is_missing_stale_and_edited(built: Repository) -> None:
    built.ask("synth")
    missing, edited = sorted(built.files())[:2]
    stale = "two/training-operator/main/kubeflow/deployment.apps-training-operator.yaml"
    (built.root / "dist" / missing).unlink()
    (built.root / "dist" / edited).write_text("edited")
    built.write({"stacks/two.yaml": SMALL.replace("{}", "{replicas: 2}")})

    done = built.ask("synth", "--check", code=1)
    shape = built.ask("synth", "--check", "-o", "json", code=1).json

    assert f"missing: dist/{missing}" in done.out.splitlines()
    assert f"edited: dist/{edited}" in done.out.splitlines()
    assert f"stale: dist/{stale}" in done.out.splitlines()
    assert "run platformctl synth" in done.err
    assert shape["current"] is False
    assert missing in shape["missing"]
    assert stale in shape["stale"]
    assert shape["edited"] == [edited]


def test_check_of_a_current_dist_has_the_same_shape(built: Repository) -> None:
    current = {"current": True, "missing": [], "stale": [], "edited": [], "foreign": []}

    assert built.ask("synth", "--check", "-o", "json").json == current
    built.ask("synth")
    assert built.ask("synth", "--check", "-o", "json").json == current


def test_an_edited_file_is_put_right_and_named(built: Repository) -> None:
    before = built.files()
    name = "two/namespaces/main/_cluster/namespace-kubeflow.yaml"
    (built.root / "dist" / name).write_text("kind: Namespace\n")

    done = built.ask("synth")

    assert f"{name} had been edited by hand" in done.err
    assert built.files() == before


def test_a_foreign_file_is_named_and_left(built: Repository) -> None:
    built.write({"dist/two/notes.txt": "mine"})

    assert "two/notes.txt" in built.ask("synth").err
    assert built.files()["two/notes.txt"] == b"mine"
    assert "two/notes.txt" in built.ask("synth", "--check", "-o", "json").json["foreign"]


def test_without_an_index_files_are_adopted_only_when_asked(built: Repository) -> None:
    before = built.files()
    (built.root / "dist/two/index.json").unlink()
    (built.root / "dist/two/namespaces/main/_cluster/namespace-kubeflow.yaml").write_text("mine")
    changed = built.files()

    refused = built.ask("synth", code=2)

    assert "--adopt" in refused.err
    assert built.files() == changed
    built.ask("synth", "--adopt")
    assert built.files() == before


def test_a_stack_without_a_file_leaves_dist(built: Repository) -> None:
    (built.root / "stacks/two.yaml").unlink()

    check = built.ask("synth", "--check", code=1)
    built.ask("synth")

    assert "stale: dist/two/index.json" in check.out
    assert sorted(path.name for path in (built.root / "dist").iterdir()) == ["one"]


def test_synth_of_one_stack_touches_no_other(built: Repository) -> None:
    before = built.files()
    (built.root / "stacks/one.yaml").unlink()
    built.write({"stacks/two.yaml": SMALL.replace("{}", "{replicas: 2}"), "dist/one/notes.txt": "mine"})
    (built.root / "overlays/one/training-operator/kustomization.yaml").unlink()
    (built.root / "overlays/one/training-operator").rmdir()
    (built.root / "overlays/one").rmdir()

    built.ask("synth", "two")
    after = built.files()

    changed = {path for path in (*before, *after) if before.get(path) != after.get(path)}

    assert "two/index.json" in changed
    assert {path for path in changed if not path.startswith("two/")} == {"one/notes.txt"}


def test_another_folder_can_be_written(built: Repository) -> None:
    before = built.files()

    built.ask("synth", "--out", "build/elsewhere")

    assert built.files("build/elsewhere") == before
    assert built.files() == before


@pytest.mark.parametrize("out", [".", "..", "stacks", "overlays/one"])
def test_what_is_read_is_never_written_to(built: Repository, out: str) -> None:
    before = built.files(".")

    assert "lie in each other" in built.ask("synth", "--out", out, code=2).err
    assert built.files(".") == before


@pytest.mark.parametrize("words", ["synth --out a-file", "init a-file", "crd export --out a-file", "init a-file/x"])
def test_a_file_where_a_folder_is_wanted_is_named(small: Repository, words: str) -> None:
    small.write({"a-file": "mine"})

    assert "a-file" in small.ask(*words.split(), code=2).err
    assert small.files(".")["a-file"] == b"mine"


# --- two runs at once


def test_a_second_run_says_who_is_at_work(small: Repository) -> None:
    small.run("synth")
    small.write({"stacks/a.yaml": SMALL.replace("{}", "{replicas: 2}")})
    before = small.files()

    with lock(small.root / ".platformctl"):
        done = small.run("synth", "--wait", "0", code=2)

    assert re.search(r"another run \(process \d+ on .+\) is at work here", done.err)
    assert small.files() == before


def test_a_second_run_waits_for_the_first(small: Repository) -> None:
    with lock(small.root / ".platformctl"):
        second = subprocess.Popen(
            [PLATFORMCTL, "synth", "--wait", "60"], cwd=small.root, env=small.environment, stderr=subprocess.PIPE
        )
        assert second.stderr is not None
        said = second.stderr.readline().decode()
    rest = second.stderr.read().decode()
    second.stderr.close()

    assert said.startswith("waiting for another run (process")
    assert second.wait(60) == 0
    assert "files added" in rest


# --- explain, list, schema, bootstrap, crd


def explained(repository: Repository, *words: str) -> dict[str, Any]:
    rows = repository.ask("explain", *words, "-o", "json").json
    assert len(rows) == 1
    return dict(rows[0])


def test_explain_prints_the_chain_of_files_and_lines(synthesised: Repository) -> None:
    found = explained(synthesised, "one", "components.training-operator.replicas")

    assert found["value"] == 3
    assert found["from"] == "stacks/base/shared.yaml:3 → stacks/one.yaml:8"
    assert found["type"] == "whole number"
    assert "leader election" in found["about"]


def test_explain_knows_defaults(synthesised: Repository) -> None:
    assert explained(synthesised, "two", "components.training-operator.replicas")["value"] == 1
    assert explained(synthesised, "two", "cluster.dnsDomain")["from"] == "default"


def test_explain_finds_list_items_by_name_and_by_number(synthesised: Repository) -> None:
    by_name = explained(synthesised, "one", "nodePools.train.gpu.model")
    by_number = explained(synthesised, "one", "nodePools[0].gpu.model")

    assert by_name["value"] == by_number["value"] == "t4"
    assert by_name["from"] == "stacks/one.yaml:5"


def test_explain_knows_the_fields_of_jobs(synthesised: Repository) -> None:
    assert explained(synthesised, "one", "jobs.hello.workers")["value"] == 2


def test_explain_says_who_made_an_object(synthesised: Repository) -> None:
    found = explained(synthesised, "one", "Deployment/training-operator")

    assert found["object"] == "Deployment kubeflow/training-operator"
    assert found["component"] == "training-operator"
    assert "Deployment(training-operator)" in found["made by"]
    assert found["overlays"] == "overlays/one/training-operator"


def test_explain_names_the_file_of_an_application_s_object(synthesised: Repository) -> None:
    assert explained(synthesised, "one", "ConfigMap/greeter/greeting")["made by"] == "apps/greeter/greeting.yaml"


def test_explain_in_text_is_readable_without_unicode(synthesised: Repository) -> None:
    done = synthesised.run(
        "explain", "one", "components.training-operator.replicas", environment={"PYTHONIOENCODING": "ascii"}
    )

    assert "stacks/one.yaml:8" in done.out


@pytest.mark.parametrize("what", ["components", "stacks", "templates", "apis"])
def test_list_prints_one_line_an_entry(synthesised: Repository, what: str) -> None:
    found = synthesised.ask("list", what, "-o", "json").json

    lines = synthesised.ask("list", what).out.splitlines()

    assert [line.split()[0] for line in lines] == list(found)
    assert {
        "components": "training-operator", "stacks": "two", "templates": "pytorch-ddp", "apis": "pytorchjobs.kubeflow.org"
    }[what] in found  # fmt: skip


@pytest.fixture(scope="module")
def schema(synthesised: Repository) -> Any:
    return synthesised.ask("schema").json


def complaints(schema: Any, text: str) -> list[str]:
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(load(text, file="x"))]


def test_the_schema_is_one(schema: Any) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize(
    "path", sorted((PROJECT / "stacks").rglob("*.yaml")), ids=lambda path: str(path.relative_to(PROJECT / "stacks"))
)
def test_the_schema_accepts_the_repository_s_own_stacks(schema: Any, path: Path) -> None:
    assert complaints(schema, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}gatway: none\n",
        'apiVersion: platform-def/v1\ncluster: {kubernets: "1.36"}\n',
        f"{HEAD}components: {{training-operator: {{replica: 2}}}}\n",
        f'{HEAD}components: {{training-operator: {{release: "0.0.1"}}}}\n',
        f"{HEAD}jobs: [{{template: pytorch-ddp, name: x, image: y, wrkers: 1}}]\n",
    ],
)
def test_the_schema_refuses_what_synth_refuses(schema: Any, text: str) -> None:
    assert complaints(schema, text)


def test_bootstrap_needs_an_engine(synthesised: Repository) -> None:
    assert "engine" in synthesised.ask("bootstrap", "two", code=2).err


def test_crds_exported_and_imported_are_the_same(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.ask("crd", "export", "training-operator", "--out", "crds")
    folder = next(path for path in sorted((repository.root / "crds").iterdir()))
    exported = {path.name: load(path.read_text(), file=path.name) for path in folder.iterdir()}

    done = repository.ask("crd", "import", str(folder), "--out", "imported_apis")
    monkeypatch.syspath_prepend(repository.root)
    modules = [import_module(path.removesuffix(".py").replace("/", ".")) for path in done.out.split()]
    again = {f"{each.name}.yaml": crd(each) for module in modules for each in module.DEFINITIONS}

    assert set(again) == set(exported)
    assert again == exported


def test_crds_are_read_from_standard_input(repository: Repository) -> None:
    repository.ask("crd", "export", "training-operator", "--out", "crds")
    text = next((repository.root / "crds").rglob("*.yaml")).read_text()

    assert "TypedDict" in repository.ask("crd", "import", "-", stdin=text).out
    assert "no CustomResourceDefinition" in repository.ask("crd", "import", "-", code=2, stdin=WRONG_OBJECT).err
