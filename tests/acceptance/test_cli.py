"""Each command as a user meets it: what it prints where, its exit code, and what it leaves on the disk."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest

from platform_def import __version__
from platform_def.cli.app import app
from tests.acceptance.repository import HEAD, PLATFORMCTL, SMALL, Repository

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

    walk("platformctl", app)
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
        ("explain one components.training-operatr.threads", "training-operator"),
        ("explain one components.training-operator.thread", "threads"),
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


def test_code_hosts_show_every_file_of_dist_in_a_pull_request(repository: Repository) -> None:
    repository.ask("init", ".", "--stack", "gpu-prod")
    repository.call("git", "init", "--quiet")
    index, deployment = "dist/gpu-prod/index.json", "dist/gpu-prod/kueue/main/kueue-system/deployment.apps-kueue.yaml"
    folding = ("linguist-generated", "gitlab-generated", "diff")
    attributes = repository.call("git", "check-attr", *folding, "--", index, deployment).out.splitlines()

    assert attributes == [f"{path}: {name}: unspecified" for path in (index, deployment) for name in folding]


def test_init_overwrites_nothing(repository: Repository) -> None:
    repository.write({"README.md": "mine", ".gitignore": "*.pyc\n/.venv/\n"})
    done = repository.ask("init", ".")

    assert "README.md is there already and stays as it is\n" in done.err
    assert ".gitignore is there already and stays as it is; add to it:\n  /.platformctl/\n  /.cdk8s/\n" in done.err
    assert "README.md" not in done.out.split()
    assert (repository.root / "README.md").read_text() == "mine"
    assert "files added" in repository.ask("synth").err


@pytest.mark.parametrize(
    ("path", "said"),
    [("requirements.txt", "has a requirements.txt of its own"), ("stacks/other.yml", "has stacks already: other.yml")],
)
def test_init_writes_nothing_where_the_new_repository_could_not_work(
    repository: Repository, path: str, said: str
) -> None:
    repository.write({path: "mine"})

    assert said in repository.ask("init", ".", code=2).err
    assert repository.files(".") == {path: b"mine"}


def test_a_second_init_says_that_there_is_a_stack(repository: Repository) -> None:
    repository.ask("init", ".", "--stack", "gpu-prod")

    assert "has stacks already: gpu-prod.yaml" in repository.ask("init", ".", code=2).err


@pytest.mark.parametrize("words", [("synth", "--out", ".git/x"), ("init", ".git"), ("crd", "export", "--out", ".git")])
def test_nothing_is_written_into_the_folder_of_git(small: Repository, words: tuple[str, ...]) -> None:
    small.call("git", "init", "--quiet")
    before = small.files(".git")

    assert "lies in .git, the folder of git itself" in small.ask(*words, code=2).err
    assert small.files(".git") == before


@pytest.mark.parametrize("out", ["apps/greeter/dist", "apps"])
def test_the_output_may_not_be_in_a_folder_of_the_users(built: Repository, out: str) -> None:
    assert f"--out {out} and apps/greeter/ lie in each other" in built.ask("synth", "--out", out, code=2).err


@pytest.mark.parametrize("folder", ["stacks", "dist/a/namespaces", "deep/below/here"])
def test_the_repository_is_found_from_a_folder_of_it(small: Repository, folder: str) -> None:
    small.ask("synth")
    below = small.root / folder
    below.mkdir(parents=True, exist_ok=True)

    assert "is current" in Repository(below).ask("synth", "--check").err
    assert Repository(below).ask("list", "stacks").out.startswith("a ")
    assert not (below / ".platformctl").exists()


def test_it_is_not_looked_for_above_a_repository_of_git(small: Repository) -> None:
    small.write({"other/README.md": "of others"})
    inner = Repository(small.root / "other")
    inner.call("git", "init", "--quiet")

    assert "stacks/ is not there" in inner.ask("synth", code=2).err


def test_a_folder_of_other_stacks_is_no_repository(repository: Repository) -> None:
    repository.write({"stacks/web.yaml": "services: {web: {image: nginx}}\n", "below/README.md": ""})

    assert "stacks/ is not there" in Repository(repository.root / "below").ask("synth", code=2).err


def test_a_file_below_stacks_that_nobody_reads_is_told(small: Repository) -> None:
    small.write({"stacks/europe/b.yaml": SMALL, "stacks/c.YAML": SMALL})

    for words in (["synth"], ["check"], ["synth", "--check"]):
        done = small.ask(*words)
        said = done.out + done.err

        assert "warning: it is not read: no stack extends it" in said
        assert "stacks/europe/b.yaml" in said
        assert "stacks/c.YAML" in said
        for note in small.root.glob(".platformctl/last-*.json"):
            note.unlink()


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

    assert first.json.keys() == {
        "stacks",
        "components",
        "objects",
        "warnings",
        "seconds",
        "files",
        "deleted",
        "replaced",
        "removals",
        "keptJobs",
    }
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


def test_synth_lists_what_overlays_take_out(small: Repository) -> None:
    overlay = """\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - patch: |-
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata: {name: kubeflow-training-view, annotations: {platform-def/delete: nobody looks}}
      $patch: delete
"""
    small.write({"overlays/a/training-operator/kustomization.yaml": overlay})
    place = "overlays/a/training-operator/kustomization.yaml:8"

    assert f"{place}: the overlay takes ClusterRole kubeflow-training-view out: nobody looks" in small.ask("synth").err
    assert small.ask("synth", "-o", "json", "--no-cache").json["deleted"] == [
        {"object": "ClusterRole kubeflow-training-view", "reason": "nobody looks", "where": place}
    ]


@pytest.mark.parametrize("words", ["synth", "synth --check", "check", "list stacks", "explain a cluster.name"])
def test_a_wrong_stack_is_json_where_json_is_asked_for(small: Repository, words: str) -> None:
    small.write({"stacks/a.yaml": SMALL.replace("components", "componnts")})

    done = small.ask(*words.split(), "-o", "json", code=2)

    assert done.json == {
        "problems": [
            {
                "file": "stacks/a.yaml",
                "line": 3,
                "text": "componnts: unknown field",
                "hint": "did you mean 'components'?",
            }
        ]
    }
    assert "stacks/a.yaml:3: componnts: unknown field" in done.err
    assert small.ask(*words.split(), code=2).out == ""


def test_findings_that_stop_a_write_are_json_where_json_is_asked_for(small: Repository) -> None:
    small.write({"stacks/b.yaml": f"{HEAD}components: {{wrong: {{path: apps}}}}\n", "apps/wrong.yaml": WRONG_OBJECT})

    assert small.ask("synth", "-o", "json", code=1).json == small.ask("check", "-o", "json", code=1).json


ODD = "\\x1b[2J\\u202e\\u200b"
"""As YAML spells characters that clear a screen, turn text round, or take no room."""


@pytest.mark.parametrize(
    "stack",
    [
        f'{HEAD}"a{ODD}b": 1\n',
        f'{HEAD}gateway: "a{ODD}b"\n',
        f'{HEAD}components: {{"a{ODD}b": {{}}}}\n',
        f'{HEAD}components: {{x: {{path: "a{ODD}b"}}}}\n',
        f'{HEAD}extends: ["a{ODD}b"]\n',
        f'{HEAD}teams: [{{name: "a{ODD}b"}}]\n',
        f'{HEAD}teams: [{{name: "a\\nerror: b"}}]\n',
    ],
)
def test_no_message_hides_or_obeys_what_a_stack_holds(small: Repository, stack: str) -> None:
    small.write({"stacks/a.yaml": stack})

    for words in (["synth"], ["check"]):
        said = small.ask(*words, code=2).err

        assert said.replace("\n", "").isprintable()
        assert not any(line.startswith("error: b") for line in said.splitlines())


def test_names_of_foreign_files_are_visible(built: Repository) -> None:
    built.write({"dist/two/a\x1b[2J\u202e\nb.yaml": ""})

    done = built.ask("synth", "--check", code=1)

    assert "foreign: dist/two/a\\x1b[2J\\u202e\\nb.yaml" in done.out.splitlines()
    assert done.err.replace("\n", "").isprintable()


# --- completion


@pytest.mark.parametrize(
    ("words", "offered", "others"),
    [
        ("synth ", ["one", "two"], ["base", "shared"]),
        ("check o", ["one"], ["two"]),
        ("synth one ", ["two"], ["one"]),
        ("bootstrap t", ["two"], ["one"]),
        ("explain ", ["api", "one", "two"], []),
        ("explain one components.tr", ["components.training-operator"], ["components.greeter"]),
        ("explain one Dep", ["Deployment/training-operator"], ["ConfigMap/greeting"]),
        ("explain one node", ["nodePools"], ["node_pools"]),
        ("explain api pytorch", ["pytorchjobs"], ["deployments"]),
        ("explain api deploy", ["deployments"], ["pytorchjobs"]),
        ("waves t", ["two"], ["one"]),
        ("graph one train", ["training-operator", "training-operator/crds"], ["greeter/main"]),
        ("crd export train", ["training-operator"], ["emissary"]),
        ("list st", ["stacks"], ["components"]),
    ],
)
def test_a_shell_is_offered_what_there_is(
    synthesised: Repository, words: str, offered: list[str], others: list[str]
) -> None:
    line = f"platformctl {words}"
    environment = {
        "_PLATFORMCTL_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }

    found = [line.partition(",")[2] for line in synthesised.run(environment=environment).out.splitlines()]

    assert set(offered) <= set(found)
    assert not set(others) & set(found)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_script_that_asks_the_program(repository: Repository, shell: str) -> None:
    done = repository.run("completion", shell)

    assert f"_PLATFORMCTL_COMPLETE={shell}_complete" in done.out
    assert "platformctl" in done.out


def test_bash_offers_what_there_is(synthesised: Repository) -> None:
    asks = 'source <(platformctl completion bash) && COMP_WORDS=(platformctl synth "") COMP_CWORD=2'
    offers = '_platformctl_completion platformctl && printf "%s\\n" "${COMPREPLY[@]}"'
    done = synthesised.call("bash", "-c", f"{asks} && {offers}")

    assert {"one", "two"} <= {*done.out.split()}


def test_a_shell_is_offered_nothing_where_there_is_nothing(repository: Repository) -> None:
    for words in ("synth ", "explain x "):
        environment = {"_PLATFORMCTL_COMPLETE": "bash_complete", "COMP_WORDS": f"platformctl {words}"}
        done = repository.run(environment={**environment, "COMP_CWORD": str(len(words.split(" ")))})

        assert "error" not in done.err
