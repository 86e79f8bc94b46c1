"""The program of the page of training jobs, asked over HTTP, against a played API server that knows who may list what."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from platform_def.components.training.training_jobs import job_list

IDENTITY = {"userHeader": "x-user", "userPrefix": "", "groupsHeader": "x-groups"}
KINDS = [
    {"kind": "TFJob", "plural": "tfjobs", "versions": ["v1"]},
    {"kind": "MPIJob", "plural": "mpijobs", "versions": ["v1", "v2beta1"]},
    {"kind": "ChainerJob", "plural": "chainerjobs", "versions": ["v1alpha1"]},
]
EVIL = "<script>alert(1)</script>"


def job(name: str, namespace: str, *states: str, created: str = "2026-01-05T08:00:00Z", **spec: Any) -> dict[str, Any]:
    conditions = [{"type": each.strip("!"), "status": "False" if "!" in each else "True"} for each in states]
    metadata = {"name": name, "namespace": namespace, "creationTimestamp": created}
    return {"metadata": metadata, "spec": spec, "status": {"conditions": conditions}}


class Played:
    """An API server with jobs by version, plural and namespace, and grants by user or group."""

    def __init__(self) -> None:
        self.jobs: dict[tuple[str, str], list[dict[str, Any]]] = {("v1", "tfjobs"): [], ("v2beta1", "mpijobs"): []}
        self.may: set[tuple[str, str, str]] = set()
        """Who (user or group) may list which plural in which namespace; `""` is every one."""
        self.forbidden: set[str] = set()
        """Parts of paths that the program's account may not ask for."""
        self.asked: list[str] = []
        self.reviews: list[dict[str, Any]] = []
        self.garbled = False

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        self.asked.append(path)
        where = urlsplit(path)
        parts = where.path.strip("/").split("/")
        if any(each in path for each in self.forbidden):
            return 403, {"kind": "Status", "message": f"forbidden: {path}"}
        if method == "POST":
            self.reviews.append(body["spec"])
            return 201, {"status": {"allowed": self._allowed(body["spec"])}}
        if parts == ["api", "v1", "namespaces"]:
            names = sorted({each["metadata"]["namespace"] for every in self.jobs.values() for each in every})
            return 200, {"items": [{"metadata": {"name": each}} for each in names]}
        if (parts[2], parts[-1]) not in self.jobs:
            return 404, {"kind": "Status"}
        inside = parts[4] if parts[3] == "namespaces" else ""
        found = [each for each in self.jobs[(parts[2], parts[-1])] if inside in ("", each["metadata"]["namespace"])]
        query = parse_qs(where.query)
        start, size = int(query.get("continue", ["0"])[0]), int(query["limit"][0])
        rest = {"continue": str(start + size)} if start + size < len(found) else {}
        return 200, {"metadata": rest, "items": found[start : start + size]}

    def _allowed(self, spec: dict[str, Any]) -> bool:
        asked = spec["resourceAttributes"]
        assert asked["verb"] == "list"
        assert asked["group"] == "kubeflow.org"
        who = {spec["user"], *spec["groups"]}
        spaces = {"", asked.get("namespace", "")}
        return any((each, asked["resource"], space) in self.may for each in who for space in spaces)


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[int]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Played]:
    played = Played()

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")
            assert self.headers["Authorization"] == "Bearer token"
            status, found = played.answer(self.command, self.path, body)
            # A real one says in plain text that it does not serve a version.
            content = b"404 page not found\n" if status == 404 else json.dumps(found).encode()
            content = b"<html>" if played.garbled else content
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815 - the name by which the library calls it

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Answers)) as port:
        monkeypatch.setattr(job_list, "connect", lambda _: http.client.HTTPConnection("127.0.0.1", port, timeout=5))
        yield played


class Page:
    """The program, asked by people."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.headers: dict[str, str] = {}

    def get(self, path: str = "/", *headers: tuple[str, str]) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest("GET", path)
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        self.headers = dict(answer.getheaders())
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def of(self, user: str, query: str = "", groups: str = "") -> Any:
        more = [("x-groups", groups)] if groups else []
        status, text = self.get(f"/api{query}", ("x-user", user), *more)
        assert status == 200, text
        return json.loads(text)

    def names(self, user: str, query: str = "", groups: str = "") -> list[str]:
        return [each["name"] for each in self.of(user, query, groups)["jobs"]]


@contextmanager
def page_of(folder: Path, **plan: Any) -> Iterator[Page]:
    (folder / "token").write_text("token\n")
    whole = {"kinds": KINDS, "namespaces": ["team-vision", "team-language"], "identity": IDENTITY, **plan}
    with serving(job_list.server(whole, folder, 0)) as port:
        yield Page(port)


@pytest.fixture
def page(api: Played, tmp_path: Path) -> Iterator[Page]:
    with page_of(tmp_path) as made:
        yield made


@pytest.fixture
def two_teams(api: Played) -> Played:
    api.jobs[("v1", "tfjobs")] = [job("eyes", "team-vision", "Created"), job("words", "team-language", "Created")]
    api.may = {("li@example.com", "tfjobs", "team-vision"), ("linguists", "tfjobs", "team-language")}
    return api


class Text(HTMLParser):
    """Tags of a page, its text, and its links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.said: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for key, value in attrs if key == "href" and value]

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def test_a_member_of_one_team_sees_the_jobs_of_that_team_alone(two_teams: Played, page: Page) -> None:
    assert page.names("li@example.com") == ["eyes"]
    assert page.names("li@example.com", "?namespace=team-language") == []
    assert not [each for each in two_teams.asked if "team-language/tfjobs" in each]


def test_groups_of_the_header_count(two_teams: Played, page: Page) -> None:
    assert page.names("mo@example.com", groups="system:authenticated,linguists") == ["words"]
    assert two_teams.reviews[-1]["groups"] == ["system:authenticated", "linguists"]


def test_a_person_without_rights_sees_nothing_and_nothing_is_read(two_teams: Played, page: Page) -> None:
    status, text = page.get("/", ("x-user", "guest@example.com"))

    assert status == 200
    assert "There are no training jobs that you may see." in text
    assert "eyes" not in text
    assert not [each for each in two_teams.asked if "kubeflow.org" in each]


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("x-user", "")],
        [("x-user", "li@example.com"), ("x-user", "boss@example.com")],
        [("x-user", "system:admin")],
        [("x-user", "system:kube-controller-manager")],
        [("x-user", "\xff\xfe")],
    ],
    ids=["none", "empty", "two", "an administrator", "a controller", "no text"],
)
def test_who_is_not_said_to_be_a_person_is_refused(
    two_teams: Played, page: Page, headers: list[tuple[str, str]]
) -> None:
    two_teams.may = {(each, "tfjobs", "") for each in ("", "system:admin", "li@example.com", "system:authenticated")}
    status, _ = page.get("/", *headers)

    assert status == 401
    assert two_teams.asked == []


def test_groups_of_the_cluster_itself_are_no_ones(two_teams: Played, page: Page) -> None:
    two_teams.may = {("system:masters", "tfjobs", "")}

    assert page.names("li@example.com", groups="system:masters, system:nodes") == []
    assert {group for each in two_teams.reviews for group in each["groups"]} == {"system:authenticated"}


def test_accounts_of_the_cluster_have_their_groups(two_teams: Played, page: Page) -> None:
    two_teams.may = {("system:serviceaccounts:team-vision", "tfjobs", "team-vision")}

    assert page.names("system:serviceaccount:team-vision:trainer") == ["eyes"]


def test_the_prefix_of_the_header_is_no_part_of_the_name(two_teams: Played, tmp_path: Path) -> None:
    with page_of(tmp_path, identity={**IDENTITY, "userPrefix": "oidc:"}) as page:
        assert page.names("oidc:li@example.com") == ["eyes"]
        assert page.get("/", ("x-user", "li@example.com"))[0] == 401
    assert {each["user"] for each in two_teams.reviews} == {"li@example.com"}


def test_a_right_is_asked_again_after_some_seconds(
    two_teams: Played, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = page.names("li@example.com")
    asked = len(two_teams.reviews)
    kept = page.names("li@example.com")
    unasked = len(two_teams.reviews)
    two_teams.may.clear()
    monkeypatch.setattr(job_list, "KEPT_SECONDS", 0.0)

    assert before == kept == ["eyes"]
    assert asked == unasked
    assert page.names("li@example.com") == []


def test_answers_about_rights_do_not_pile_up(two_teams: Played, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_list, "KEPT_ANSWERS", 3)
    for each in range(5):
        page.names(f"person-{each}@example.com")

    assert page.names("li@example.com") == ["eyes"]
    assert len(two_teams.reviews) >= 20


def test_text_of_jobs_is_text(api: Played, page: Page) -> None:
    api.jobs[("v1", "tfjobs")] = [
        job(EVIL, "team-vision", EVIL, created=EVIL, tfReplicaSpecs={EVIL: {"replicas": EVIL}})
    ]
    api.may = {("li@example.com", "tfjobs", "team-vision")}
    status, text = page.get("/", ("x-user", "li@example.com"))
    seen = Text(text)

    assert status == 200
    assert "script" not in seen.tags
    assert seen.said.count(EVIL) >= 2
    assert "script" not in page.headers["Content-Security-Policy"]
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert page.headers["Cache-Control"] == "no-store"


def test_a_name_of_no_namespace_is_refused_and_not_repeated(two_teams: Played, page: Page) -> None:
    status, text = page.get("/?namespace=..%2F..%2Fsecrets%3Cscript%3E", ("x-user", "li@example.com"))

    assert status == 400
    assert "script" not in text
    assert two_teams.asked == []


def test_a_row_says_state_pods_and_where_to_read_more(api: Played, page: Page) -> None:
    made = job(
        "eyes", "team-vision", "Created", "!Running", "Succeeded", tfReplicaSpecs={"PS": {}, "Worker": {"replicas": 3}}
    )
    made["status"]["replicaStatuses"] = {"Worker": {"active": 2}, "PS": {}}
    api.jobs[("v1", "tfjobs")] = [made, job("new", "team-vision", created="2026-01-04T08:00:00Z")]
    api.jobs[("v2beta1", "mpijobs")] = [job("ring", "team-vision", "Running", created="2026-02-01T00:00:00Z")]
    api.may = {("li@example.com", each, "team-vision") for each in ("tfjobs", "mpijobs")}
    found = page.of("li@example.com")["jobs"]
    seen = Text(page.get("/", ("x-user", "li@example.com"))[1])

    assert [(each["kind"], each["name"], each["state"]) for each in found] == [
        ("MPIJob", "ring", "Running"),
        ("TFJob", "eyes", "Succeeded"),
        ("TFJob", "new", ""),
    ]
    assert found[1]["replicas"] == {"PS": {"wanted": 1, "active": 0}, "Worker": {"wanted": 3, "active": 2}}
    assert "PS 1 (0 run), Worker 3 (2 run)" in seen.said
    assert "kubectl -n team-vision describe tfjobs.kubeflow.org eyes" in seen.said
    assert "./?namespace=team-vision" in seen.links


def test_ages_are_in_the_largest_unit_that_fits() -> None:
    now = datetime(2026, 1, 5, 8, tzinfo=UTC)
    ages = {"2026-01-02T07:00:00Z": "3d", "2026-01-05T05:59:00Z": "2h", "2026-01-05T07:59:00Z": "1m"}

    assert {each: job_list.age(each, now) for each in ages} == ages
    assert job_list.age("2026-01-05T08:00:09Z", now) == "0s"
    assert job_list.age("yesterday", now) == job_list.age("2026-01-05", now) == ""


@pytest.mark.parametrize(
    ("status", "state", "run"),
    [
        ({}, "", 0),
        ({"active": 1}, "Running", 1),
        ({"succeeded": 1, "conditions": [{"type": "Complete", "status": "True"}]}, "Complete", 0),
        ({"active": 1, "conditions": [{"type": "Failed", "status": "True"}]}, "Failed", 1),
    ],
)
def test_a_chainer_job_is_as_the_job_of_its_master(
    api: Played, page: Page, status: dict[str, Any], state: str, run: int
) -> None:
    spec = {"backend": "mpi", "master": {"template": {}}, "workerSets": {"gpu": {"replicas": 2, "template": {}}}}
    api.jobs[("v1alpha1", "chainerjobs")] = [{**job("mnist", "team-vision"), "spec": spec, "status": status}]
    api.may = {("li@example.com", "chainerjobs", "team-vision")}

    (found,) = page.of("li@example.com")["jobs"]

    assert (found["kind"], found["state"]) == ("ChainerJob", state)
    assert found["replicas"] == {"master": {"wanted": 1, "active": run}, "gpu": {"wanted": 2}}
    assert f"master 1 ({run} run), gpu 2" in Text(page.get("/", ("x-user", "li@example.com"))[1]).said


def test_a_list_that_is_cut_says_so(api: Played, page: Page) -> None:
    api.jobs[("v1", "tfjobs")] = [job(f"job-{each:04}", "team-vision", "Running") for each in range(620)]
    api.may = {("li@example.com", "tfjobs", "team-vision")}
    found = page.of("li@example.com")

    assert len(found["jobs"]) == 500
    assert found["notes"] == ["TFJobs in team-vision: only the first 500 by name were read; kubectl lists all of them."]
    assert found["notes"][0] in Text(page.get("/", ("x-user", "li@example.com"))[1]).said


def test_exactly_as_many_as_are_read_are_not_cut(api: Played, page: Page) -> None:
    api.jobs[("v1", "tfjobs")] = [job(f"job-{each:04}", "team-vision") for each in range(500)]
    api.may = {("li@example.com", "tfjobs", "team-vision")}
    found = page.of("li@example.com")

    assert (len(found["jobs"]), found["notes"]) == (500, [])


def test_older_jobs_than_the_page_holds_are_counted(api: Played, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_list, "SHOWN", 2)
    days = [job(f"day-{each}", "team-vision", created=f"2026-01-0{each}T00:00:00Z") for each in range(1, 6)]
    api.jobs[("v1", "tfjobs")] = days
    api.may = {("li@example.com", "tfjobs", "team-vision")}
    found = page.of("li@example.com")

    assert [each["name"] for each in found["jobs"]] == ["day-5", "day-4"]
    assert found["notes"] == ["3 older jobs are left out: choose a namespace to see more."]


def test_jobs_that_its_account_may_not_read_are_named(two_teams: Played, page: Page) -> None:
    two_teams.may = {("boss@example.com", "tfjobs", "")}
    two_teams.forbidden = {"team-vision/tfjobs"}
    found = page.of("boss@example.com")

    assert [each["name"] for each in found["jobs"]] == ["words"]
    assert found["notes"] == ["TFJobs in team-vision: this page may not read them, so they are missing."]


def test_without_the_right_to_ask_it_shows_nothing(
    two_teams: Played, page: Page, capfd: pytest.CaptureFixture[str]
) -> None:
    two_teams.forbidden = {"subjectaccessreviews"}
    status, text = page.get("/", ("x-user", "li@example.com"))

    assert status == 503
    assert text == "The API server does not answer as it has to. Try again in a minute.\n"
    assert "cannot ask what a person may do: 403" in capfd.readouterr().err


def test_an_answer_that_is_no_json_is_503_without_a_trace(two_teams: Played, page: Page) -> None:
    two_teams.garbled = True
    status, text = page.get("/", ("x-user", "li@example.com"))

    assert (status, "Traceback" in text, "html" in text) == (503, False, False)


def test_an_api_server_that_is_away_is_503_without_a_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)) as gone:
        pass
    monkeypatch.setattr(job_list, "connect", lambda _: http.client.HTTPConnection("127.0.0.1", gone, timeout=5))
    with page_of(tmp_path) as page:
        status, text = page.get("/", ("x-user", "li@example.com"))
        healthy = page.get("/healthz")[0]
    logged = capfd.readouterr().err

    assert (status, healthy) == (503, 200)
    assert "Connection" not in text
    assert "ConnectionRefusedError" in logged
    assert "Traceback" not in text + logged


def test_without_its_token_it_is_503(two_teams: Played, page: Page, tmp_path: Path) -> None:
    (tmp_path / "token").unlink()

    assert page.get("/", ("x-user", "li@example.com"))[0] == 503
    assert two_teams.asked == []


def test_a_page_that_takes_too_long_is_given_up(two_teams: Played, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_list, "WHOLE_SECONDS", -1.0)

    assert page.get("/", ("x-user", "li@example.com"))[0] == 503
    assert two_teams.asked == []


def test_everywhere_a_person_is_asked_about_namespace_by_namespace(two_teams: Played, tmp_path: Path) -> None:
    with page_of(tmp_path, namespaces=None) as page:
        assert page.names("li@example.com") == ["eyes"]
        assert page.names("mo@example.com", groups="linguists") == ["words"]
        assert page.names("mo@example.com", "?namespace=team-vision", groups="linguists") == []


def test_everywhere_one_who_may_list_all_costs_one_list_a_kind(two_teams: Played, tmp_path: Path) -> None:
    two_teams.may = {("boss@example.com", each, "") for each in ("tfjobs", "mpijobs", "chainerjobs")}
    with page_of(tmp_path, namespaces=None) as page:
        names = page.names("boss@example.com")
    read = [each for each in two_teams.asked if each.startswith("/apis/kubeflow.org")]

    assert sorted(names) == ["eyes", "words"]
    assert len(read) == 4, "TFJobs, ChainerJobs, and MPIJobs in two versions"
    assert "/api/v1/namespaces" not in two_teams.asked


def test_without_people_it_shows_what_its_account_reads(two_teams: Played, tmp_path: Path) -> None:
    with page_of(tmp_path, identity=None) as page:
        status, text = page.get("/api")

    assert status == 200
    assert {each["name"] for each in json.loads(text)["jobs"]} == {"words", "eyes"}
    assert two_teams.reviews == []


def test_other_paths_are_not_there(two_teams: Played, page: Page) -> None:
    assert page.get("/plan.json", ("x-user", "li@example.com"))[0] == 404
    assert page.get("/healthz")[0] == 200
    assert two_teams.asked == []
