"""The list of training jobs as a page; runs in the cluster, from a ConfigMap, on Python's own library alone.

The gateway says by headers who asks. The API server says, by SubjectAccessReviews, of which namespaces that person may
list which kinds of jobs; only these are read. Answers to reviews are kept for some seconds, jobs never.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import ssl
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import Message
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

GROUP = "kubeflow.org"
REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
EVERYONE, ACCOUNTS = "system:authenticated", "system:serviceaccount:"
SECONDS, WHOLE_SECONDS = 10.0, 40.0
"""How long one request to the API server may take, and all of a page together."""
KEPT_SECONDS, KEPT_ANSWERS = 10.0, 10_000
"""How long an answer about a right is used again, and how many are kept."""
CHUNK, LIMIT, SHOWN = 100, 500, 1000
"""Jobs read at once, jobs read of a kind in a namespace, and jobs on a page."""
AT_ONCE, PAGES_AT_ONCE = 4, 4
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem 1rem }
h1 { font-size: 1.5rem; margin: 0 0 .5rem }
table { border-collapse: collapse; width: 100% }
th, td { border-bottom: 1px solid GrayText; padding: .4rem .6rem; text-align: left; vertical-align: top }
code { font-size: .85em; overflow-wrap: anywhere }
.note { border-left: .25rem solid GrayText; padding-left: .6rem }
""".strip()


class UnavailableError(Exception):
    """The API server did not answer, or not as it has to; the text is for the log alone."""


@dataclass(frozen=True)
class Person:
    """Who asks, as the API server knows people."""

    name: str
    groups: tuple[str, ...]


@dataclass
class JobListing:
    """What a page shows."""

    jobs: list[dict[str, Any]] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    """Kinds of which not all jobs were read, with the namespace."""
    unread: list[str] = field(default_factory=list)
    """Kinds that the program's own account may not read, with the namespace."""
    left_out: int = 0
    """Older jobs that were read and are not on the page."""


def person_of(headers: Message, identity: dict[str, str]) -> Person | None:
    """Who the gateway says that it is; None where it does not say so, or says it twice."""
    found = [_text(each) for each in headers.get_all(identity["userHeader"]) or []]
    if len(found) != 1 or not found[0].startswith(identity["userPrefix"]):
        return None
    name = found[0][len(identity["userPrefix"]) :].strip()
    # No person is one of the cluster's own users, such as its controllers.
    if not name or (name.startswith("system:") and not name.startswith(ACCOUNTS)):
        return None
    said = headers.get_all(identity["groupsHeader"]) or [] if identity["groupsHeader"] else []
    groups = [group.strip() for each in said for group in _text(each).split(",")]
    own = [f"{ACCOUNTS[:-1]}s", f"{ACCOUNTS[:-1]}s:{name.split(':')[2]}"] if name.startswith(ACCOUNTS) else []
    kept = [each for each in groups if each and not each.startswith("system:")]
    return Person(name, tuple(dict.fromkeys([EVERYONE, *own, *kept])))


def _text(header: str) -> str:
    """A header as UTF-8, which the server has read byte by byte; empty where it is none."""
    try:
        return header.encode("latin-1").decode().strip()
    except UnicodeError:
        return ""


def connect(account: Path) -> http.client.HTTPConnection:
    """A connection to the API server; never by a proxy."""
    tls = ssl.create_default_context(cafile=str(account / "ca.crt"))
    # Python 3.13 asks for extensions that authorities of many clusters lack; who signed is checked all the same.
    tls.verify_flags &= ~ssl.VERIFY_X509_STRICT
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"])
    return http.client.HTTPSConnection(host, port, timeout=SECONDS, context=tls)


class Session:
    """Requests to the API server over one connection, until the page is due."""

    def __init__(self, account: Path, due: float):
        self._due = due
        try:
            self._token = (account / "token").read_text().strip()  # it changes within the hour
            self._connection = connect(account)
        except OSError as error:
            raise UnavailableError(f"cannot use the account: {error}") from error

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def call(self, method: str, path: str, body: object = None) -> tuple[int, dict[str, Any]]:
        """Status and answer of one request."""
        if time.monotonic() > self._due:
            raise UnavailableError(f"the API server was too slow: {WHOLE_SECONDS:.0f} seconds for one page")
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        try:
            self._connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = self._connection.getresponse()
            text = answer.read()
            # What is not served at all is refused in plain text.
            found = {} if answer.status == 404 else json.loads(text)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise UnavailableError(f"{method} {path}: {type(error).__name__}: {error}") from error
        return answer.status, found if isinstance(found, dict) else {}


class ListRights:
    """What people may list, as the API server says; an answer is used again for some seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[Person, str, str], tuple[float, bool]] = {}

    def may(self, session: Session, person: Person, plural: str, namespace: str) -> bool:
        """Whether the person may list these jobs in a namespace; `""` is every namespace."""
        asked = (person, plural, namespace)
        with self._lock:
            at, known = self._known.get(asked, (-KEPT_SECONDS, False))
        if time.monotonic() - at < KEPT_SECONDS:
            return known
        found = self._ask(session, person, plural, namespace)
        with self._lock:
            if len(self._known) >= KEPT_ANSWERS:
                self._known.clear()
            self._known[asked] = (time.monotonic(), found)
        return found

    def _ask(self, session: Session, person: Person, plural: str, namespace: str) -> bool:
        attributes = {"verb": "list", "group": GROUP, "resource": plural}
        if namespace:
            attributes["namespace"] = namespace
        spec = {"user": person.name, "groups": [*person.groups], "resourceAttributes": attributes}
        body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}
        status, answer = session.call("POST", REVIEWS, body)
        if status != 201:
            raise UnavailableError(f"cannot ask what a person may do: {status} {answer.get('message', '')}")
        return (answer.get("status") or {}).get("allowed") is True


class Jobs:
    """Reads jobs for people. `plan` names the kinds, and the namespaces unless it is to read all."""

    def __init__(self, plan: dict[str, Any], account: Path):
        self._kinds: list[dict[str, Any]] = plan["kinds"]
        self._namespaces: list[str] | None = plan["namespaces"]
        self._account, self._rights = account, ListRights()

    def seen_by(self, person: Person | None, wanted: str = "") -> JobListing:
        """Jobs that the person may list, newest first; without a person, all that the account reads."""
        due = time.monotonic() + WHOLE_SECONDS
        found = JobListing()
        pool = ThreadPoolExecutor(AT_ONCE)
        try:
            places = self._places(person, wanted, due)
            for part in pool.map(lambda place: self._read(person, place[0], place[1], due), places):
                found.jobs += part.jobs
                found.cut += part.cut
                found.unread += part.unread
        finally:
            pool.shutdown(cancel_futures=True)
        found.jobs.sort(key=lambda each: (each["created"], each["namespace"], each["name"]), reverse=True)
        found.left_out = max(0, len(found.jobs) - SHOWN)
        del found.jobs[SHOWN:]
        return found

    def _places(self, person: Person | None, wanted: str, due: float) -> list[tuple[str, list[dict[str, Any]]]]:
        """Namespaces to look at, `""` for all of them in one, with the kinds to look for."""
        if wanted:
            there = self._namespaces is None or wanted in self._namespaces
            return [(wanted, self._kinds)] if there else []
        if self._namespaces is not None:
            return [(each, self._kinds) for each in self._namespaces]
        with Session(self._account, due) as session:
            whole = [each for each in self._kinds if self._allowed(session, person, each, "")]
            rest = [each for each in self._kinds if each not in whole]
            return [("", whole), *((name, rest) for name in (_namespaces(session) if rest else ()))]

    def _allowed(self, session: Session, person: Person | None, kind: dict[str, Any], namespace: str) -> bool:
        return person is None or self._rights.may(session, person, kind["plural"], namespace)

    def _read(self, person: Person | None, namespace: str, kinds: list[dict[str, Any]], due: float) -> JobListing:
        made = JobListing()
        with Session(self._account, due) as session:
            for kind in kinds:
                if self._allowed(session, person, kind, namespace):
                    _list(session, kind, namespace, made)
        return made


def _namespaces(session: Session) -> list[str]:
    status, answer = session.call("GET", "/api/v1/namespaces")
    if status != 200:
        raise UnavailableError(f"cannot list namespaces: {status} {answer.get('message', '')}")
    return [each["metadata"]["name"] for each in answer.get("items") or []]


def _list(session: Session, kind: dict[str, Any], namespace: str, into: JobListing) -> None:
    """Add the jobs of one kind; a kind that the cluster does not have yet has none."""
    for version in kind["versions"]:
        if _pages(session, kind, version, namespace, into):
            return


def _pages(session: Session, kind: dict[str, Any], version: str, namespace: str, into: JobListing) -> bool:
    """Whether the API server knows the kind in this version."""
    inside = f"/namespaces/{namespace}" if namespace else ""
    path = f"/apis/{GROUP}/{version}{inside}/{kind['plural']}?limit={CHUNK}"
    named = f"{kind['kind']}s in {namespace or 'all namespaces'}"
    following = ""
    for _ in range(LIMIT // CHUNK):
        status, answer = session.call("GET", path + following)
        if status == 404:
            return False
        if status == 403:
            print(f"refused: {answer.get('message', '')!r}", file=sys.stderr, flush=True)
            into.unread.append(named)
            return True
        if status == 410:  # it took so long that the rest of this list is gone
            break
        if status != 200:
            raise UnavailableError(f"GET {path}: {status} {answer.get('message', '')}")
        into.jobs += [row(kind, each) for each in answer.get("items") or []]
        token = (answer.get("metadata") or {}).get("continue")
        if not token:
            return True
        following = f"&continue={quote(token, safe='')}"
    into.cut.append(named)
    return True


def row(kind: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
    """What is said of a job."""
    metadata, status = job["metadata"], job.get("status") or {}
    states = [each.get("type") for each in status.get("conditions") or [] if each.get("status") == "True"]
    # A ChainerJob has the status of its master's Job, which says by a number alone that it runs.
    states = states or (["Running"] if status.get("active") else [])
    return {
        "kind": kind["kind"],
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "state": str(states[-1]) if states else "",
        "created": str(metadata.get("creationTimestamp") or ""),
        "replicas": dict(_replicas(job)),
        "more": f"kubectl -n {metadata['namespace']} describe {kind['plural']}.{GROUP} {metadata['name']}",
    }


def _replicas(job: dict[str, Any]) -> Iterator[tuple[str, dict[str, int]]]:
    """Pods of each type: how many the job asks for, and how many of them run, where its status counts them."""
    status, spec = job.get("status") or {}, job.get("spec") or {}
    counted = status.get("replicaStatuses") or {}
    if "master" in spec:
        yield "master", {"wanted": 1, "active": status.get("active", 0)}
        for name, each in (spec.get("workerSets") or {}).items():
            yield name, {"wanted": each.get("replicas", 1)}
    for name, types in spec.items():
        if name.endswith("ReplicaSpecs") and isinstance(types, dict):
            for each, said in types.items():
                wanted = (said or {}).get("replicas", 1)
                yield each, {"wanted": wanted, "active": (counted.get(each) or {}).get("active", 0)}


def page(found: JobListing, wanted: str, now: datetime) -> str:
    """The page: text of jobs is text, whatever it holds."""
    rows = "\n".join(_row(each, now) for each in found.jobs)
    heads = "".join(f"<th>{each}</th>" for each in ("Namespace", "Kind", "Name", "State", "Age", "Pods", "Read more"))
    body = f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    if not found.jobs:
        body = "<p>There are no training jobs that you may see.</p>"
    there = f'<p>Namespace {escape(wanted)} · <a href="./">all namespaces</a></p>' if wanted else ""
    return _document("Training jobs", "\n".join(filter(None, [there, *map(_note, notes(found)), body])))


def notes(found: JobListing) -> Iterator[str]:
    """What is not on the page."""
    for each in sorted(set(found.cut)):
        yield f"{each}: only the first {LIMIT} by name were read; kubectl lists all of them."
    for each in sorted(set(found.unread)):
        yield f"{each}: this page may not read them, so they are missing."
    if found.left_out:
        yield f"{found.left_out} older jobs are left out: choose a namespace to see more."


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def _row(job: dict[str, Any], now: datetime) -> str:
    space = job["namespace"]
    run = {name: f" ({each['active']} run)" if "active" in each else "" for name, each in job["replicas"].items()}
    pods = ", ".join(f"{name} {each['wanted']}{run[name]}" for name, each in job["replicas"].items())
    cells = [
        f'<a href="./?namespace={escape(quote(space, safe=""))}">{escape(space)}</a>',
        escape(job["kind"]),
        escape(job["name"]),
        escape(job["state"] or "New"),
        f'<time datetime="{escape(job["created"])}">{escape(age(job["created"], now))}</time>',
        escape(pods),
        f"<code>{escape(job['more'])}</code>",
    ]
    return "<tr>" + "".join(f"<td>{each}</td>" for each in cells) + "</tr>"


def age(created: str, now: datetime) -> str:
    """How long ago, in the largest unit that fits; empty where it is not known."""
    try:
        seconds = max(0, int((now - datetime.fromisoformat(created)).total_seconds()))
    except (ValueError, TypeError):
        return ""
    for unit, length in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= length:
            return f"{seconds // length}{unit}"
    return f"{seconds}s"


def _document(title: str, body: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{STYLE}
</style>
</head>
<body>
<h1>{escape(title)}</h1>
{body}
</body>
</html>
"""


class JobRequests(BaseHTTPRequestHandler):
    """One request; `plan`, `jobs` and `room` are those of the program."""

    plan: dict[str, Any]
    jobs: Jobs
    room: threading.BoundedSemaphore
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        """The page at `/`, the same as JSON at `/api`."""
        asked = urlsplit(self.path)
        if asked.path == "/healthz":
            self._say(200, "ok")
        elif asked.path not in ("/", "/api"):
            self._say(404, "There is no such page.")
        else:
            self._answer(asked.path == "/api", asked.query)

    def _answer(self, plain: bool, query: str) -> None:
        identity = self.plan["identity"]
        person = person_of(self.headers, identity) if identity else None
        if identity and person is None:
            self._say(401, "The gateway did not say who you are.")
            return
        wanted = (parse_qs(query).get("namespace") or [""])[0]
        if wanted and not NAMESPACE.fullmatch(wanted):
            self._say(400, "That is no name of a namespace.")
            return
        if not self.room.acquire(timeout=SECONDS):
            self._say(503, "Too many people look at training jobs just now. Try again in a minute.")
            return
        try:
            self._show(self.jobs.seen_by(person, wanted), plain, wanted)
        except UnavailableError as error:
            self._fail(str(error))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._fail(f"an answer that no one expects: {type(error).__name__}: {error}")
        finally:
            self.room.release()

    def _fail(self, cause: str) -> None:
        print(repr(cause), file=sys.stderr, flush=True)
        self._say(503, "The API server does not answer as it has to. Try again in a minute.")

    def _show(self, found: JobListing, plain: bool, wanted: str) -> None:
        if plain:
            content = {"jobs": found.jobs, "notes": [*notes(found)]}
            self._send(200, "application/json", json.dumps(content, indent=1) + "\n")
        else:
            self._send(200, "text/html; charset=utf-8", page(found, wanted, datetime.now(UTC)))

    def _say(self, status: int, text: str) -> None:
        self._send(status, "text/plain; charset=utf-8", text + "\n")

    def _send(self, status: int, kind: str, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "same-origin")
        self.end_headers()
        self.wfile.write(content)

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nothing: the kubelet asks every ten seconds."""


def server(plan: dict[str, Any], account: Path, port: int) -> ThreadingHTTPServer:
    """The server, bound to its port."""
    room = threading.BoundedSemaphore(PAGES_AT_ONCE)
    bound = type("Bound", (JobRequests,), {"plan": plan, "jobs": Jobs(plan, account), "room": room})
    return ThreadingHTTPServer(("", port), bound)


def main(plan: Path, account: Path, port: int) -> None:
    """Answer until the pod ends."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # the first process of a container ignores it otherwise
    server(json.loads(plan.read_text()), account, port).serve_forever()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
