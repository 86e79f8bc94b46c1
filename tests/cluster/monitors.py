"""The Prometheus operator under a stack's account and flags, and what it makes of the stack's monitors, rules and routes."""

from __future__ import annotations

import base64
import gzip
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from platform_def.yaml import load
from tests.cluster.client import Manifest
from tests.cluster.control_plane import ControlPlane
from tests.cluster.pods import Program
from tests.cluster.waves import apply_in_waves, refusals

OPERATOR = "prometheus-operator"
HOME = "monitoring"
CHECK_SECONDS = 60.0
_SECRETS = {"slack": "url", "hook": "url", "mail": "password", "pager": "routingKey", "central": "username"}


@dataclass(frozen=True)
class Operator(Program):
    """The operator with what it makes."""

    def secret(self, name: str) -> Mapping[str, bytes]:
        """What a Secret of its namespace holds; nothing before it is there."""
        body = self.control_plane.api.get(f"/api/v1/namespaces/{HOME}/secrets/{name}").body
        return {key: base64.b64decode(value) for key, value in body.get("data", {}).items()}

    def prometheus(self) -> str:
        """Prometheus' configuration."""
        found = self.secret("prometheus-k8s")
        return gzip.decompress(found["prometheus.yaml.gz"]).decode() if found else ""

    def alertmanager(self) -> str:
        """Alertmanager's configuration."""
        found = self.secret("alertmanager-main-generated")
        return gzip.decompress(found["alertmanager.yaml.gz"]).decode() if found else ""

    def rules(self) -> dict[str, str]:
        """Rule files by name, as Prometheus finds them."""
        path = f"/api/v1/namespaces/{HOME}/configmaps/prometheus-k8s-rulefiles-0"
        found: dict[str, str] = self.control_plane.api.get(path).body.get("data", {})
        return found

    def stateful_sets(self, names: Iterable[str]) -> list[Manifest]:
        """The StatefulSets of these names, once all are there."""
        path = f"/apis/apps/v1/namespaces/{HOME}/statefulsets"
        found: dict[str, Manifest] = {}

        def there() -> bool:
            listed = self.control_plane.api.get(path).body["items"]
            found.update({each["metadata"]["name"]: {**each, "kind": "StatefulSet"} for each in listed})
            return {*names} <= found.keys()

        self.wait(there, "it has made both servers")
        return [found[each] for each in names]

    def ready(self) -> bool:
        """Whether all of it is there that the stack's objects ask for."""
        asked = {"Prometheus": self.prometheus, "Alertmanager": self.alertmanager, "PrometheusRule": self.rules}
        kinds = {each["kind"] for each in self.objects}
        return all(made() for kind, made in asked.items() if kind in kinds)


def start_operator(
    control_plane: ControlPlane, programs: Mapping[str, Path], objects: Sequence[Manifest], *, more: Sequence[str] = ()
) -> Operator:
    """Store the objects, without webhooks that nothing would answer, and start the operator of them.

    `more` are flags for ports that another program has here.
    """
    kept = [each for each in objects if "Webhook" not in each["kind"]]
    results = apply_in_waves(control_plane.api, [*kept, *_given()])
    assert not refusals(results), "\n".join(refusals(results))
    operator = Operator(control_plane, objects, OPERATOR, OPERATOR)
    operator.start(programs[OPERATOR], [*operator.spec["args"], *more])
    operator.wait(operator.ready, "it has made the configuration of both servers")
    return operator


def _given() -> list[Manifest]:
    """What the stack says that the cluster has already; the values are no one's."""
    return [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": name, "namespace": HOME},
            "stringData": {key: "https://hooks.example.com/any", "password": "any"},
        }
        for name, key in _SECRETS.items()
    ]


def scraped(config: str) -> set[str]:
    """The monitors that Prometheus' configuration has a job for, as `kind/namespace/name`."""
    found = cast("dict[str, Any]", load(config.encode(), file="prometheus.yaml"))
    return {each["job_name"].rpartition("/")[0] for each in found["scrape_configs"]}


def checked(promtool: Path, operator: Operator, folder: Path) -> str:
    """What promtool says of the configuration with its rules and files, which lie in a folder of the test's."""
    for part in ("config", "rules/prometheus-k8s-rulefiles-0", "certs", "secrets"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for name, text in operator.rules().items():
        (folder / "rules" / "prometheus-k8s-rulefiles-0" / name).write_text(text)
    text = operator.prometheus()
    for file in sorted(set(re.findall(r"(/\S+)", "\n".join(re.findall(r"_file: (\S+)", text))))):
        assert file.startswith(("/etc/prometheus/", "/var/run/secrets/")), file
        here = folder / file.lstrip("/")
        here.parent.mkdir(parents=True, exist_ok=True)
        here.write_bytes(operator.control_plane.pki.authority.read_bytes())
        text = text.replace(f"_file: {file}\n", f"_file: {here}\n")
    text = text.replace("/etc/prometheus/rules/", f"{folder}/rules/")
    (folder / "config" / "prometheus.yaml").write_text(text)
    return _said([promtool, "check", "config", "--lint=all", "--lint-fatal", folder / "config" / "prometheus.yaml"])


def receivers(amtool: Path, config: Path, **labels: str) -> set[str]:
    """To whom Alertmanager sends an alert with these labels, by their names in the stack."""
    pairs = [f"{key}={value}" for key, value in labels.items()]
    said = _said([amtool, "config", "routes", "test", f"--config.file={config}", *pairs])
    return {each.rpartition("/")[2] for each in said.strip().splitlines()[-1].split(",")}


def read_by_alertmanager(amtool: Path, config: Path) -> str:
    """What amtool says of a configuration."""
    return _said([amtool, "check-config", config])


def _said(command: Sequence[object]) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=CHECK_SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
