"""One run reports all that can be judged of a stack, and nothing that is only concluded from something wrong."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from platform_def.config.platform import Platform
from platform_def.config.reads import independently, note, observed
from platform_def.errors import ConfigError, Problem
from platform_def.pipeline.resolve.doubts import Doubts
from tests.unit.pipeline.repository import HEAD, refused, write

KATIB = "katib: {certificates: katib, ui: {access: administrators}}"
IMAGE = 'image: "r.example.com/i:1", command: [a]'
POOL = "nodePools: [{name: train, nodes: 2, selector: {pool: train}, gpu: {model: t4, perNode: 4}}]\n"
DATABASE = "needs a SQL database"


def told(root: Path, text: str, head: str = HEAD) -> list[str]:
    """What is reported, each with its line."""
    problems = refused(write(root, {"stacks/a.yaml": head + text}))
    return [f"{problem.where.line if problem.where else 0}: {problem.text}" for problem in problems]


def says(lines: list[str], *words: str) -> bool:
    """Whether there is a line with each of these, and no other line."""
    return len(lines) == len(words) and all(any(word in line for line in lines) for word in words)


@pytest.mark.parametrize(
    "first", ["template: gpu-jobb", "template: gpu-job, colour: red", "template: gpu-job, workers: x"]
)
def test_a_job_after_a_wrong_one_is_told_with_its_own_line_and_number(tmp_path: Path, first: str) -> None:
    jobs = f"jobs:\n  - {{name: one, {IMAGE}, {first}}}\n  - {{name: two, {IMAGE}, template: gpu-job, team: nobody}}\n"
    lines = told(tmp_path, jobs)

    assert "5: jobs[1] (two): team 'nobody' is not in teams" in lines
    assert [line for line in lines if "two" in line and not line.startswith("5: jobs[1] (two): ")] == []
    assert any(line.startswith("4: jobs[0]") for line in lines)


def test_a_model_after_a_wrong_one_is_told_with_its_own_line_and_number(tmp_path: Path) -> None:
    model = "template: serve, model: {path: /m}, image: 'r.example.com/i:1'"
    lines = told(tmp_path, f"serving:\n  - {{name: one, template: non}}\n  - {{name: two, {model}, team: nobody}}\n")

    assert any(line.startswith("5: serving[1]") for line in lines)
    assert not any("serving[0] (two)" in line for line in lines)


def test_needs_are_told_beside_wrong_fields_of_others_and_of_the_component_itself(tmp_path: Path) -> None:
    katib = KATIB.replace("katib: {", "katib: {colour: red, ")
    lines = told(tmp_path, f"components:\n  training-operator: {{colour: red}}\n  {katib}\n")

    assert says(
        lines,
        "4: components.training-operator.colour",
        "5: components.katib.colour",
        f"5: components.katib: {DATABASE}",
    )


def test_needs_that_depend_on_a_field_in_doubt_are_not_told(tmp_path: Path) -> None:
    """Katib's certificates decide whether it needs cert-manager."""
    lines = told(tmp_path, f"components: {{{KATIB.replace('certificates: katib', 'certificates: katibb')}}}\n")

    assert says(lines, "components.katib.certificates: one of")


@pytest.mark.parametrize("mysql", ["mysql: {release: 1.0}", "mysql: {workloads: 3, release: none}", "mysqll: {}"])
def test_a_provider_that_is_written_wrong_is_not_missed(tmp_path: Path, mysql: str) -> None:
    lines = told(tmp_path, f"components: {{{KATIB}, {mysql}}}\n")

    assert not any(DATABASE in line for line in lines)
    assert any(f"components.{mysql.partition(':')[0]}" in line or "release" in line for line in lines)


def test_a_provider_that_cannot_work_is_not_missed(tmp_path: Path) -> None:
    lines = told(tmp_path, "components:\n  dex: {}\n  oauth2-proxy: {}\n")

    assert any("no host at which people could reach Dex" in line for line in lines)
    assert not any("oauth2-proxy" in line for line in lines)
    assert says(told(tmp_path, "components:\n  oauth2-proxy: {}\n"), "oauth2-proxy: needs an identity provider")


def test_a_component_of_ones_own_that_is_written_wrong_is_not_missed(tmp_path: Path) -> None:
    own = "own: {path: stacks/x, provides: {sqlDatabase: {}}, serves: [PyTorchJob.kubeflow.org]}"
    needs = "other: {path: apps/other, namespace: other, requires: [own]}"
    job = f"jobs: [{{name: j, template: pytorch-ddp, {IMAGE}, gpusPerWorker: 0}}]\n"
    lines = told(tmp_path, f"components: {{{KATIB}, {own}, {needs}}}\n{job}")

    assert says(lines, "components.own.path")


def test_what_lies_outside_and_is_written_wrong_is_not_missed(tmp_path: Path) -> None:
    lines = told(tmp_path, f"external: {{sqlDatabase: {{engine: mysql}}}}\ncomponents: {{{KATIB}}}\n")

    assert lines
    assert not any(DATABASE in line for line in lines)


def test_who_needs_something_of_a_component_that_lacks_something_itself_is_not_told_a_second_time(
    tmp_path: Path,
) -> None:
    """Katib cannot be asked what it serves; that hides nothing of who has nothing to do with it."""
    trial = f"trial: {{template: gpu-job, {IMAGE}, args: ['${{depth}}'], gpusPerWorker: 0}}"
    search = "objective: {metric: loss, type: minimize}, parameters: [{name: depth, type: int, min: 2, max: 12}]"
    job = f"jobs: [{{name: j, template: experiment, {trial}, {search}, team: none}}]\n"
    lines = told(tmp_path, f"components: {{{KATIB}}}\n{job}")

    assert any(f"components.katib: {DATABASE}" in line for line in lines)
    assert any("team 'none' is not in teams" in line for line in lines)
    assert not any("serves no Experiment" in line for line in lines)


@pytest.mark.parametrize(
    ("wrong", "hidden", "seen"),
    [
        ("teams: [{name: 3}]\n", "is not in teams", "is not in nodePools"),
        ("nodePools: [{name: 3}]\n", "is not in nodePools", "is not in teams"),
        ("storage: {a: {driver: none}}\n", "nothing", "is not in teams"),
        ("cluster: 3\n", "nothing", "is not in teams"),
    ],
)
def test_a_wrong_part_of_the_stack_hides_only_what_depends_on_it(
    tmp_path: Path, wrong: str, hidden: str, seen: str
) -> None:
    job = f"jobs: [{{name: j, template: gpu-job, {IMAGE}, team: none, pool: none}}]\n"
    head = "apiVersion: platform-def/v1\n" if wrong.startswith("cluster") else HEAD
    lines = told(tmp_path, wrong + job, head)

    assert any(seen in line for line in lines)
    assert not any(hidden in line for line in lines)


@pytest.mark.parametrize(
    ("field", "is_told"), [("colour: red", True), ("releas: 1.19.6", False), ("version: 1", False)]
)
def test_a_release_is_judged_unless_it_is_in_doubt(tmp_path: Path, field: str, is_told: bool) -> None:
    lines = told(tmp_path, f"components: {{cert-manager: {{{field}}}}}\n", HEAD.replace("1.36", "1.28"))

    assert any("works with Kubernetes" in line for line in lines) == is_told
    assert any("unknown field" in line for line in lines)


def test_a_version_of_kubernetes_in_doubt_judges_no_release(tmp_path: Path) -> None:
    head = HEAD.replace('"1.36"', "1.28")
    lines = told(tmp_path, f"components: {{cert-manager: {{}}}}\n{POOL}", head)

    assert says(lines, "cluster.kubernetes")


def test_a_file_that_is_not_there_is_told_once(tmp_path: Path) -> None:
    job = "jobs: [{name: j, template: workflow, team: vision, file: none.yaml}]\nteams: [{name: vision}]\n"
    lines = told(tmp_path, f"components: {{argo-workflows: {{ui: {{enabled: false}}}}}}\n{job}")

    assert says(lines, "none.yaml: is not there")


@pytest.mark.parametrize(
    ("path", "reads", "part"),
    [
        (("teams",), {"teams", "namespaces"}, ()),
        (("teams", 1, "podSecurity"), {"teams[1].podSecurity", "namespaces"}, ("teams", 1, "pod_security")),
        (("nodePools", 0), {"nodePools[0]", "resource:*"}, ("node_pools", 0)),
        (("nodePools", 0, "rdma"), {"nodePools[0].rdma", "resource:*"}, ("node_pools", 0, "rdma")),
        (("nodePools", 0, "gpu"), {"nodePools[0].gpu"}, ("node_pools", 0, "gpu")),
        (("storage", "a", "className"), {"storage.a.className"}, ("storage", "a", "class_name")),
        (("cluster", "kubernetes"), {"cluster", "kubernetes"}, ()),
        (("delivery", "engine"), {"delivery"}, ()),
    ],
)
def test_a_part_of_a_fact_is_in_doubt_by_itself(
    path: tuple[str | int, ...], reads: set[str], part: tuple[str | int, ...]
) -> None:
    doubts = Doubts()
    doubts.of_stack([path])

    assert doubts.reads == reads
    assert set(doubts.parts) == ({part} if part else set())
    assert doubts.cover(["node_pools", "gateway"]) == (part[:1] == ("node_pools",))


@pytest.mark.parametrize(
    ("path", "doubted"),
    [
        (("ingress",), True),
        (("ingress", "tls", "secret"), True),
        (("ingress", "httpPort"), True),
        (("ingress", "furtherHosts", 0), False),
        (("ingress", "host"), False),
        (("ingress", "colour"), False),
    ],
)
def test_what_is_built_for_all_hosts_is_in_doubt_with_the_rest_of_the_ingress(
    path: tuple[str | int, ...], doubted: bool
) -> None:
    doubts = Doubts()
    doubts.of_stack([path])
    with observed() as reads:
        assert Platform().door.kind == "none"

    assert doubts.touched(reads) is doubted


def test_answers_are_given_as_long_as_nothing_in_doubt_was_read_for_them() -> None:
    doubts = Doubts(reads={"teams"})

    def answer(name: str) -> Iterator[Problem]:
        note(name)
        yield Problem(name)

    def failing(error: Exception) -> Iterator[Problem]:
        note("teams")
        yield Problem("of teams")
        raise error

    answers = [answer("storage"), answer("teams"), answer("uses")]
    assert [each.text for each in doubts.sure(independently(answers))] == ["storage", "uses"]
    assert [each.text for each in doubts.sure(chain(answer("storage"), answer("teams"), answer("uses")))] == ["storage"]
    assert doubts.sure(failing(KeyError("a"))) == []
    with pytest.raises(ConfigError):
        doubts.sure(failing(ConfigError("a")))
    with pytest.raises(KeyError):
        Doubts(reads={"uses"}).sure(failing(KeyError("a")))


def test_an_entry_of_the_components_that_is_no_map_is_known_by_its_name(tmp_path: Path) -> None:
    lines = told(tmp_path, f"components:\n  mysql: 3\n  {KATIB}\n  keda: {{release: 9}}\n")

    assert len(lines) == 2
    assert "4: components.mysql: a map is wanted, not 3" in lines
    assert any("6: components.keda" in line for line in lines)


@pytest.mark.parametrize("head", ["jobs", "serving"])
def test_an_item_that_is_no_map_is_told_once_and_hides_no_other(tmp_path: Path, head: str) -> None:
    lines = told(tmp_path, f"{head}:\n  - 3\n  - {{name: two, template: nonne}}\n")

    assert len(lines) == 2
    assert f"4: {head}[0]: a map is wanted, not 3" in lines
    assert f"5: {head}[1]: unknown template 'nonne'" in lines


def test_a_component_that_reads_a_wrong_pool_is_asked_about_the_others(tmp_path: Path) -> None:
    cards = "gpu: {model: a100-80gb, perNode: 8, mig: {strategy: mixed, layout: {7g.80gb: 2}}}"
    pools = f"nodePools:\n  - {{name: a, gpu: {{model: 3}}}}\n  - {{name: b, selector: {{a: b}}, {cards}}}\n"
    lines = told(tmp_path, f"{pools}components: {{nvidia-device-plugin: {{}}}}\n")

    assert any("5: nodePools: pool b: " in line for line in lines)
    assert not any("pool a" in line or "shares" in line for line in lines)


def test_a_job_of_an_unknown_template_is_judged_by_its_names(tmp_path: Path) -> None:
    first = "{name: one, template: gpu-jobb, team: none, pool: none}"
    lines = told(tmp_path, f"{POOL}jobs:\n  - {first}\n  - {{name: one, template: gpu-job, {IMAGE}, pool: train}}\n")

    assert "5: jobs[0]: unknown template 'gpu-jobb'" in lines
    assert "5: jobs[0] (one): team 'none' is not in teams" in lines
    assert "5: jobs[0] (one): pool 'none' is not in nodePools" in lines
    assert "6: jobs[1]: two jobs are called 'one'" in lines


def test_a_job_without_an_image_is_judged_by_the_rest(tmp_path: Path) -> None:
    lines = told(tmp_path, f"{POOL}jobs: [{{name: j, template: gpu-job, pool: train, gpusPerWorker: 5, team: none}}]\n")

    assert "4: jobs[0].image: is missing" in lines
    assert "4: jobs[0] (j): a node of pool train offers 4, not 5" in lines
    assert "4: jobs[0] (j): team 'none' is not in teams" in lines
    assert not any("unknown" in line for line in lines)


def test_a_quota_is_judged_pool_by_pool_and_number_by_number(tmp_path: Path) -> None:
    wrong = "  - {name: wrong, gpu: {model: t4, perNode: x}}\n  - {name: cpu}\n"
    pools = f"{POOL.replace('nodePools: [', 'nodePools:' + chr(10) + '  - ').replace(']', '')}{wrong}"
    quota = "{gpus: {wrong: 3, trainn: 1, cpu: 1}, mig: {1g.10gb: {cpu: 2}}}"
    lines = told(tmp_path, f"{pools}teams: [{{name: t, quota: {quota}}}]\n")

    assert says(
        lines,
        "5: nodePools[1].gpu.perNode: a whole number is wanted, not 'x'",
        "teams[0].quota.gpus: pool 'trainn' is not in nodePools",
        "teams[0].quota.gpus: pool cpu has no whole GPUs",
        "teams[0].quota.mig.1g.10gb: pool cpu has no MIG devices",
    )


def test_a_gateway_that_the_stack_does_not_have_is_told_beside_one_that_cannot_be_asked(tmp_path: Path) -> None:
    lines = told(
        tmp_path,
        "gateway: emissary\ningress: {kind: cloud, host: A_b, httpPort: 80}\ncomponents: {istio-ingress-gateway: {}}\n",
    )

    assert "3: gateway: emissary is not among the components" in lines
    assert "4: ingress.host: 'A_b' is not a DNS name: lower-case letters, digits, '-' and '.'" in lines
    assert any("ingress: httpPort are ports of the nodes" in line for line in lines)


def test_what_is_read_for_a_hint_hides_no_answer(tmp_path: Path) -> None:
    """Components that could offer GPUs are asked with all pools."""
    pools = f"{POOL[:-2]}, {{name: wrong, selector: {{pool: wrong}}, gpu: {{model: t4, perNode: x}}}}]\n"
    job = f"jobs: [{{name: j, template: gpu-job, {IMAGE}, pool: train}}]\n"
    lines = told(tmp_path, pools + job)

    assert any("nodePools[1].gpu.perNode" in line for line in lines)
    assert any("jobs[0] (j): nothing in the stack offers nvidia.com/gpu" in line for line in lines)


def test_kinds_of_storage_are_judged_one_by_one(tmp_path: Path) -> None:
    entries = "storage: {a: {driver: existing, accessModes: [x]}}\n"
    lines = told(tmp_path, f"{entries}storageKinds: {{shared: a, fast: b}}\n")

    assert any("storage.a.accessModes" in line for line in lines)
    assert "4: storageKinds.fast: storage 'b' is not in the stack; entries: a" in lines


@pytest.mark.parametrize(("name", "is_told"), [("mysq", True), ("mysql", False), ("external", False)])
def test_a_use_of_what_the_stack_does_not_have_is_told_beside_a_provider_that_is_wrong(
    tmp_path: Path, name: str, is_told: bool
) -> None:
    lines = told(tmp_path, f"uses: {{sqlDatabase: {name}}}\ncomponents: {{mysql: {{release: 1.0}}, {KATIB}}}\n")

    assert any("components.mysql" in line for line in lines)
    assert any(f"components.katib: uses {name} as a SQL database" in line for line in lines) == is_told


def test_a_job_on_a_pool_that_there_is_not_is_judged_by_what_needs_no_pool(tmp_path: Path) -> None:
    team = "teams: [{name: vision, quota: {gpus: 1}}]\n"
    asks = "team: vision, datasets: [d], rdma: true, gpusPerWorker: 16, workers: 8, migProfile: 1g.10gb"
    lines = told(tmp_path, f"{POOL}{team}jobs: [{{name: j, template: gpu-job, {IMAGE}, pool: trian, {asks}}}]\n")

    assert says(
        lines,
        "5: jobs[0] (j): pool 'trian' is not in nodePools",
        "5: jobs[0] (j): team vision has no dataset 'd'",
    )


def test_datasets_of_an_unknown_team_are_not_told(tmp_path: Path) -> None:
    job = f"jobs: [{{name: j, template: gpu-job, {IMAGE}, team: none, datasets: [d], gpusPerWorker: 0}}]\n"

    assert says(told(tmp_path, job), "jobs[0] (j): team 'none' is not in teams")


def test_twins_by_selector_are_told_beside_a_pool_without_a_name(tmp_path: Path) -> None:
    pools = "nodePools: [{name: a, selector: {x: z}}, {name: b, selector: {x: z}}, {name: C}]\n"

    assert says(told(tmp_path, pools), "nodePools[2].name: 'C' is not a name", "nodePools[1].selector: pools a and b")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("team: vision, member: ada@example.com", "ada@example.com is none of its members, in team 'vision'"),
        (
            "team: vision, member: bo@example.com",
            "bo@example.com has no quota, so no namespace of their own, in team 'vision'",
        ),
        ("member: li@example.com", "a member is a team's: it names no `team:`"),
    ],
)
def test_a_job_of_no_members_namespace_is_told(tmp_path: Path, said: str, text: str) -> None:
    members = "members: [{name: li@example.com, quota: {gpus: 1}}, {name: bo@example.com}]"
    teams = f"components: {{kubeflow-roles: {{}}}}\nteams: [{{name: vision, {members}}}]\n"
    lines = told(tmp_path, f"{teams}jobs: [{{name: one, {IMAGE}, template: gpu-job, gpusPerWorker: 0, {said}}}]\n")

    assert any(line.endswith(f"jobs[0] (one): {text}") for line in lines), lines
