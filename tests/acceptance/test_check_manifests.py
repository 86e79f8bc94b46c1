"""`platformctl check -f`: manifests that others made."""

from __future__ import annotations

import pytest

from tests.acceptance.repository import BIN, HEAD, Repository

JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train, namespace: vision}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: two
      template: {spec: {containers: [{name: pytorch, image: "r.example.com/i:1"}]}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: main, image: "r.example.com/i:1"}]}
"""


KUSTOMIZATION = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"


def write(repository: Repository, name: str, text: str) -> str:
    path = repository.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def test_manifests_without_fault_are_taken(repository: Repository) -> None:
    asked = repository.ask("check", "-f", write(repository, "out/pod.yaml", POD))

    assert asked.code == 0
    assert "1 object for Kubernetes 1.36 checked: no findings" in asked.err
    assert "not covered without a stack: " in asked.err


def test_manifests_are_checked_without_cdk8s(repository: Repository) -> None:
    repository.write({"mine.yaml": POD})
    program = (
        "import sys; from platform_def.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: print(*sys.modules, file=sys.stderr)"
    )

    done = repository.call(str(BIN / "python"), "-c", program, "check", "-f", "mine.yaml")

    assert "1 object for Kubernetes" in done.err
    assert {"cdk8s", "constructs", "jsii", "platform_def.components"} & set(done.err.split()) == set()


def test_a_custom_kind_of_the_catalogue_is_checked_without_its_crd(repository: Repository) -> None:
    asked = repository.ask("check", "-f", write(repository, "job.yaml", JOB), "-o", "json", code=1)

    [finding] = asked.json["findings"]
    assert finding["path"] == "spec.pytorchReplicaSpecs.Worker.replicas"
    assert finding["file"].endswith("job.yaml")


def test_a_folder_is_read_whole_and_kustomize_s_own_files_are_left_out(repository: Repository) -> None:
    write(repository, "out/a/pod.yaml", POD)
    write(repository, "out/b/pod.yaml", POD.replace("web", "other"))
    write(repository, "out/kustomization.yaml", f"{KUSTOMIZATION}resources: [a, b]\n")

    asked = repository.ask("check", "-f", str(repository.root / "out"))

    assert "2 objects" in asked.err


def test_patches_and_settings_of_a_kustomization_are_no_objects(repository: Repository) -> None:
    write(repository, "out/base/pod.yaml", POD)
    write(repository, "out/base/settings.yaml", "logLevel: debug\n")
    write(
        repository,
        "out/base/Kustomization",
        "resources: [pod.yaml]\nconfigMapGenerator: [{name: s, files: [a=settings.yaml]}]\n",
    )
    half = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n"
    write(repository, "out/top/half.yaml", half)
    write(repository, "out/top/steps.yaml", "- {op: remove, path: /spec/x}\n")
    patches = "patches: [{path: half.yaml}, {path: ./steps.yaml, target: {kind: Pod}}, {patch: 'kind: Pod'}]\n"
    write(repository, "out/top/kustomization.yaml", f"{KUSTOMIZATION}resources: [../base]\n{patches}")

    asked = repository.ask("check", "-f", str(repository.root / "out"))

    assert "1 object for Kubernetes" in asked.err
    assert "left out, for only tools read it: 4 documents" in asked.err


def test_what_one_kustomization_patches_with_and_another_applies_is_an_object(repository: Repository) -> None:
    write(repository, "out/pod.yaml", POD.replace("image", "imagee"))
    write(repository, "out/kustomization.yaml", f"{KUSTOMIZATION}patchesStrategicMerge: [pod.yaml]\n")
    write(repository, "out/all/kustomization.yaml", f"{KUSTOMIZATION}resources: [../pod.yaml]\n")

    assert "unknown field" in repository.ask("check", "-f", str(repository.root / "out"), code=1).out


def test_a_kustomization_needs_no_kind(repository: Repository) -> None:
    write(repository, "out/pod.yaml", POD)
    write(repository, "out/kustomization.yml", "resources: [pod.yaml]\n")

    assert "1 object for Kubernetes" in repository.ask("check", "-f", str(repository.root / "out")).err


def test_a_kustomization_of_any_shape_leaves_nothing_out(repository: Repository) -> None:
    write(repository, "out/pod.yaml", POD)
    write(
        repository,
        "out/kustomization.yaml",
        f"{KUSTOMIZATION}patches: {{path: pod.yaml}}\ncrds: [[pod.yaml]]\nopenapi: 1\n",
    )

    assert "1 object for Kubernetes" in repository.ask("check", "-f", str(repository.root / "out")).err


def test_what_kustomize_would_make_is_not_taken_for_checked(repository: Repository) -> None:
    write(repository, "out/base/pod.yaml", POD)
    write(repository, "out/base/kustomization.yaml", f"{KUSTOMIZATION}resources: [pod.yaml]\n")
    write(repository, "out/part/kustomization.yaml", "kind: Component\nresources: [../base]\n")
    write(repository, "out/the top/kustomization.yaml", f"{KUSTOMIZATION}resources: [../base]\ncomponents: [../part]\n")

    asked = repository.ask("check", "-f", "out", "-o", "json")

    [command] = asked.json["coverage"]["renderedBy"]
    assert command == "kubectl kustomize './out/the top' | platformctl check -f -"
    assert f"not checked is what these tools make of it:\n  {command}\n" in asked.err
    assert "not checked is" not in repository.ask("check", "-f", "out/base/pod.yaml").err


CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: it\nversion: 1.0.0\n",
    "chart/values.yaml": "replicas: 1\n",
    "chart/templates/it.yaml": "{{- if .Values.replicas }}\n" + POD + "{{- end }}\n",
    "chart/charts/inner/Chart.yaml": "apiVersion: v2\nname: inner\nversion: 1.0.0\n",
}


def test_of_a_chart_its_definitions_are_objects_and_the_rest_is_rendered(repository: Repository) -> None:
    repository.write({**CHART, "chart/crds/it.yaml": POD, "beside/pod.yaml": POD.replace("web", "beside")})

    asked = repository.ask("check", "-f", ".", "-o", "json")

    assert asked.json["coverage"]["objects"] == 2
    assert asked.json["coverage"]["documentsLeftOut"] == len(CHART)
    assert asked.json["coverage"]["renderedBy"] == ["helm template ./chart | platformctl check -f -"]


def test_a_chart_alone_is_no_answer(repository: Repository) -> None:
    repository.write(CHART)

    asked = repository.ask("check", "-f", "chart", code=2)

    assert "chart: no Kubernetes object there" in asked.err
    assert "helm template ./chart | platformctl check -f -" in asked.err
    one = repository.ask("check", "-f", "chart/templates/it.yaml", code=2)
    assert "hint: a template? render it: helm template CHART | platformctl check -f -" in one.err


def test_a_tree_of_many_tools_is_checked_for_its_objects(repository: Repository) -> None:
    template = POD.replace("name: web}", "name: '${APP}'}").replace("r.example.com", "'${REGISTRY}'")
    repository.write({"a/pod.yaml": POD, "a/values.yaml": "replicas: 2\n", "old/pod.yaml": "kind: [\n"})
    repository.write({"flux/pod.yaml": template.replace("'${REGISTRY}'", "${REGISTRY}")})

    asked = repository.ask("check", "-f", ".", "--exclude", "old")

    assert "left out, for they hold no Kubernetes objects: a/values.yaml" in asked.err
    assert "not checked, 1 value with variables that are filled in later: flux/pod.yaml" in asked.err
    assert "2 objects for Kubernetes 1.36 checked: no findings" in asked.err


def test_files_that_programs_read_at_their_start_are_no_objects(repository: Repository) -> None:
    kind = "apiVersion: kind.x-k8s.io/v1alpha4\nkind: Cluster\nnodes: [{role: worker}]\n"
    kubelet = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"

    asked = repository.ask("check", "-f", "-", stdin=f"{kind}---\n{kubelet}---\n{POD}")

    assert "left out, for only tools read it: 2 documents" in asked.err
    assert "no findings" in asked.err


def test_a_kind_that_nobody_knows_is_a_warning(repository: Repository) -> None:
    path = write(repository, "it.yaml", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: it}\n")

    asked = repository.ask("check", "-f", path)

    assert "warning" in asked.out
    assert "its fields are not checked" in asked.out


def test_the_version_of_the_cluster_decides(repository: Repository) -> None:
    old = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata: {name: it}\n"
    path = write(repository, "it.yaml", old)

    assert "no flowcontrol" in repository.ask("check", "-f", path, "--kubernetes", "1.36", code=1).out


FLOW = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata: {name: it}\n"
FLOW += "spec: {priorityLevelConfiguration: {name: it}}\n"


def test_an_upgrade_is_rehearsed_as_a_table(repository: Repository) -> None:
    asked = repository.ask("check", "-f", "-", "--kubernetes", "1.31,1.34", stdin=FLOW, code=1)

    assert [line.split() for line in asked.out.splitlines() if line.startswith(("FlowSchema", "   "))] == [
        ["1.31", "1.34"],
        ["FlowSchema", "it", "schema", "-", "error"],
        ["FlowSchema", "it", "api-deprecated", "warning", "-"],
    ]
    assert "1 object checked for Kubernetes 1.34: 1 error" in asked.err
    document = repository.ask("check", "-f", "-", "--kubernetes", "1.31,1.34", "-o", "json", stdin=FLOW, code=1).json
    assert document["summary"]["1.31"] == {"error": 0, "warning": 1}
    assert [row["line"] for row in document["rows"]] == [1, 1]


def test_the_objects_of_a_stack_are_rehearsed_as_they_are(repository: Repository) -> None:
    files = {"stacks/a.yaml": f"{HEAD}components: {{own: {{path: own}}}}\n", "own/it.yaml": FLOW}
    repository.write({name: text.replace("1.36", "1.31") for name, text in files.items()})

    asked = repository.ask("check", "--kubernetes", "1.31,1.32", code=1)

    assert "  own/it.yaml:1: Kubernetes 1.32 has no flowcontrol" in asked.out
    assert "1 stack checked for Kubernetes 1.31: 1 warning" in asked.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-f", "nowhere"], "nowhere: there is no such file or folder"),
        (["-f", "empty"], "no Kubernetes object there"),
        (["-f", "broken.yaml"], "broken.yaml"),
        (["-f", "text.yaml"], "text.yaml:1: holds something without apiVersion and kind"),
        (["-f", "empty", "--kubernetes", "1.99"], "Kubernetes 1.99 is not known here"),
        (["one", "-f", "empty"], "stacks are named without it"),
        (["-f", "empty", "--kubernetes", "1.36,1.99"], "Kubernetes 1.99 is not known here"),
        (["-f", "empty", "--kubernetes", "1.36,1.37", "-o", "sarif"], "a table of versions is text or json"),
        (["--waivers", "text.yaml"], "--waivers is for manifests"),
        (["--exclude", "old"], "--exclude is for manifests"),
        (["-f", "empty", "--date", "soon"], "write 2027-01-31"),
    ],
)
def test_what_cannot_be_answered_says_why(repository: Repository, words: list[str], said: str) -> None:
    (repository.root / "empty").mkdir()
    write(repository, "broken.yaml", "a: [1\n")
    write(repository, "text.yaml", "just text\n")

    asked = repository.ask("check", *words, code=2)

    assert said in asked.err


def test_standard_input_is_read(repository: Repository) -> None:
    asked = repository.ask("check", "-f", "-", stdin=POD)

    assert asked.code == 0


def test_what_a_cluster_takes_is_no_error_where_only_our_policy_refuses_it(repository: Repository) -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: it}\nstringData: {user: somebody}\n"
    claim = (
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: it}\n"
        "spec: {accessModes: [ReadWriteOnce], storageClassName: theirs, resources: {requests: {storage: 1Gi}}}\n"
    )

    found = repository.ask("check", "-f", "-", "-o", "json", stdin=f"{secret}---\n{claim}").json["findings"]

    assert [(each["rule"], each["severity"]) for each in found] == [("secret-content", "warning")]


def test_what_server_side_apply_alone_refuses_is_no_error_in_what_others_made(repository: Repository) -> None:
    twice = POD.replace('i:1"', 'i:1", env: [{name: A, value: a}, {name: A, value: b}]')
    jobs = JOB.replace("two", "null")

    found = repository.ask("check", "-f", "-", "-o", "json", stdin=f"{twice}---\n{jobs}").json["findings"]

    assert [(each["severity"], each["hint"].partition(": ")[2]) for each in found if each["rule"] == "schema"] == [
        ("warning", "server-side apply refuses the list"),
        ("warning", "server-side apply refuses the null"),
    ]
    repository.write({"stacks/a.yaml": f"{HEAD}components: {{own: {{path: own}}}}\n", "own/it.yaml": twice})
    assert "error: own/it.yaml:4: spec.containers[0].env" in repository.ask("check", code=1).out


def test_an_object_that_stands_in_two_files_may_be_an_alternative(repository: Repository) -> None:
    repository.write({"out/a.yaml": POD, "out/b.yaml": POD})

    assert "warning: out/b.yaml:1: is in out/a.yaml, document 1 as well" in repository.ask("check", "-f", "out").out
    both = repository.ask("check", "-f", "-", stdin=f"{POD}---\n{POD}", code=1)
    assert "error: standard input:6: is in standard input, document 1 as well" in both.out


def test_a_generated_name_is_a_name(repository: Repository) -> None:
    generated = POD.replace("name: web", "generateName: web-")

    assert "no findings" in repository.ask("check", "-f", "-", stdin=f"{generated}---\n{generated}").err


def test_another_release_of_a_known_kind_is_a_warning(repository: Repository) -> None:
    later = "apiVersion: kubeflow.org/v9\nkind: PyTorchJob\nmetadata: {name: it}\nspec: {}\n"

    assert "served as v1, not as kubeflow.org/v9" in repository.ask("check", "-f", "-", stdin=later).out


def test_what_the_operator_s_webhook_fills_in_may_be_left_out(repository: Repository) -> None:
    job = (
        "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: it}\n"
        "spec: {failurePolicy: {rules: [{action: FailJobSet}, {name: other}]}}\n"
    )

    found = repository.ask("check", "-f", "-", "-o", "json", stdin=job, code=1).json["findings"]

    assert [each["path"] for each in found] == ["spec.failurePolicy.rules[1].action"]


TWO = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: first}
dta: {}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: second}
data:
  a: 1
"""


def test_objects_of_one_file_are_told_by_name_and_line(repository: Repository) -> None:
    asked = repository.ask("check", "-f", write(repository, "two.yaml", TWO), code=1)

    assert "two.yaml:4: dta: unknown field" in asked.out
    assert "two.yaml:10: data.a: must be a string" in asked.out
    assert [line for line in asked.out.splitlines() if line[0] != " "] == [
        "ConfigMap default/first (document 1)",
        "ConfigMap default/second (document 2)",
    ]


def test_items_of_a_list_have_lines_too(repository: Repository) -> None:
    listed = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap,\n   metadata: {name: it},\n   dta: {}}\n"

    assert "standard input:6: " in repository.ask("check", "-f", "-", stdin=listed, code=1).out


def test_what_cannot_be_read_hides_no_other_finding(repository: Repository) -> None:
    write(repository, "out/broken.yaml", f"a: [1\n---\n{TWO}")
    write(repository, "out/bytes.yaml", TWO)
    (repository.root / "out/text.json").write_bytes(b"\xff")

    asked = repository.ask("check", "-f", "out", code=2)

    assert "error: dta: unknown field" in asked.out
    assert "  out/broken.yaml:6: ConfigMap default/first" in asked.out
    assert "  out/bytes.yaml:4: ConfigMap default/first" in asked.out
    assert "error: out/broken.yaml:2: " in asked.err
    assert "error: out/text.json:1: not UTF-8" in asked.err


def test_every_form_tells_every_finding_with_its_line(repository: Repository) -> None:
    for form, said in (("sarif", '"startLine": 4'), ("junit", "two.yaml:4"), ("github", "line=4")):
        asked = repository.ask("check", "-f", write(repository, "two.yaml", TWO), "-o", form, code=1)

        assert said in asked.out
        assert "2 errors" in asked.err


WAIVERS = """\
waive:
- {rule: schema, object: ConfigMap default/first, reason: read by a tool of ours, until: 2027-01-31}
- {rule: schema, object: ConfigMap default/second, reason: read by a tool of ours}
"""


def test_waivers_of_a_file_let_findings_pass_until_their_last_day(repository: Repository) -> None:
    words = ["check", "-f", write(repository, "two.yaml", TWO), "--waivers", write(repository, "w.yaml", WAIVERS)]

    assert "no findings" not in (asked := repository.ask(*words)).err
    assert "2 waived" in asked.err
    late = repository.ask(*words, "--date", "2027-02-01", code=1)
    assert "ran out on 2027-01-31" in late.out
    assert "1 error, 1 warning, 1 waived" in late.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("waive: [{rule: schema}]\n", "w.yaml:1: waive[0].object: is missing"),
        ("waive: [{rule: schemas, object: Pod a/b, reason: x}]\n", "did you mean 'schema'?"),
        ("waive: [{rule: schema, object: Pod a/b, reason: x, until: soon}]\n", "write 2027-01-31"),
        ("- a\n", "w.yaml:1"),
    ],
)
def test_a_file_of_waivers_that_is_wrong_is_refused(repository: Repository, text: str, said: str) -> None:
    asked = repository.ask("check", "-f", "-", "--waivers", write(repository, "w.yaml", text), stdin=POD, code=2)

    assert said in asked.err


def test_a_program_is_told_what_could_not_be_read(repository: Repository) -> None:
    answer = repository.ask("check", "-f", "-", "-o", "json", stdin=f"[\n---\n{TWO}", code=2).json

    assert [each["line"] for each in answer["findings"]] == [6, 12]
    assert [each["where"] for each in answer["unreadable"]] == ["standard input:2"]


def test_warnings_fail_where_they_are_asked_to(repository: Repository) -> None:
    untagged = POD.replace("i:1", "i")

    assert repository.ask("check", "-f", "-", stdin=untagged).code == 0
    assert repository.ask("check", "-f", "-", "--fail-on", "warning", stdin=untagged, code=1).code == 1
    assert repository.ask("check", "-f", "-", "--fail-on", "warning", stdin=POD).code == 0


def test_the_output_of_several_clusters_is_not_taken_for_one(repository: Repository) -> None:
    for name in ("one", "two"):
        write(repository, f"dist/{name}/pod.yaml", POD)
        write(repository, f"dist/{name}/index.json", '{"apiVersion": "platform-def/v1"}')

    asked = repository.ask("check", "-f", "dist", code=2)

    assert "dist holds what is meant for 2 clusters (one, two)" in asked.err
    assert "-f dist/one" in asked.err
    assert repository.ask("check", "-f", "dist/one").code == 0


def test_a_list_where_a_map_belongs_is_a_finding(repository: Repository) -> None:
    odd = "apiVersion: v1\nkind: Pod\nmetadata: {name: it}\nspec: [{containers: []}]\n"

    assert "spec: must be a map, not a list" in repository.ask("check", "-f", "-", stdin=odd, code=1).out
