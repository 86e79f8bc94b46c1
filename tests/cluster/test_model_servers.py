"""Models of scikit-learn and XGBoost, out of a store with an authority of its own, answer by KServe's own servers.

Real: servers and fetcher of KServe 0.20, whose code is in its Go module and whose packages are on PyPI, with what the
stack renders for them: the runtime's arguments, the store's address, authority and names of keys; SeaweedFS. Played: what
KServe's webhook makes of that (`test_kserve.py` has the real one), the kubelet, and images. No gateway is asked.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from platform_def.components.serving.kserve.releases import PYTHON_SERVER
from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.conftest import or_skip
from tests.cluster.control_plane import until
from tests.cluster.controllers import START_SECONDS
from tests.cluster.door import Door
from tests.cluster.environments import obtain
from tests.cluster.fed import unfed
from tests.cluster.machines import PROGRAMS
from tests.cluster.pki import Serving, serving
from tests.cluster.sandbox import Sandbox
from tests.cluster.scrape import differences, read, unserved
from tests.cluster.stacks import rendered_stack
from tests.cluster.tools import module_folder

pytestmark = [pytest.mark.cluster, pytest.mark.own_network]

HOST, PORT = "127.0.0.1", 8333
STACK = f"""\
apiVersion: platform-def/v1
cluster: {{kubernetes: "1.36", existing: [Secret kserve/models]}}
external:
  objectStore: {{host: {HOST}, port: {PORT}, credentials: {{existing: models}}, ca: {{configMap: store-ca, key: cabundle.crt}}}}
components:
  cert-manager: {{}}
  kserve: {{}}
teams: [{{name: vision}}]
serving:
  - {{template: serve, name: flowers, team: vision, model: flowers/1, format: sklearn, runtime: kserve-sklearnserver}}
  - {{template: serve, name: trees, team: vision, model: trees/1, format: xgboost, runtime: kserve-xgbserver}}
"""
ASKED = [[1.0, 0.5, 0.25, 0.0], [-1.0, 0.5, 0.25, 0.0]]
"""What `programs/models/trained.py` has asked its models."""
MOUNT = 'mount -t tmpfs none /mnt && mkdir /mnt/models && mount --bind "$1" /mnt/models && shift && exec "$@"'
"""The pod's volume of the model."""
SERVERS = {"flowers": "sklearnserver", "trees": "xgbserver"}


@dataclass(frozen=True)
class Bench:
    """The store, the models in it, and what the stack renders."""

    sandbox: Sandbox
    folder: Path
    stack: RenderedStack
    python: Path
    source: Path
    authority: Path
    keys: Mapping[str, str]

    def variables(self, *, authority: str = "cabundle.crt") -> dict[str, str]:
        """What KServe's webhook gives the container that fetches, by the rendered configuration."""
        said = self.configuration("credentials")["s3"]
        fetcher = self.configuration("storageInitializer")
        assert (said["s3AccessKeyIDName"], said["s3SecretAccessKeyName"]) == tuple(self.keys)
        place = self.folder / "ca"
        place.mkdir(exist_ok=True)
        (place / authority).write_bytes(self.authority.read_bytes())
        return {
            "AWS_ACCESS_KEY_ID": self.keys[said["s3AccessKeyIDName"]],
            "AWS_SECRET_ACCESS_KEY": self.keys[said["s3SecretAccessKeyName"]],
            "AWS_ENDPOINT_URL": f"{'https' if said['s3UseHttps'] == '1' else 'http'}://{said['s3Endpoint']}",
            "AWS_DEFAULT_REGION": said["s3Region"],
            "S3_USE_HTTPS": said["s3UseHttps"],
            "S3_VERIFY_SSL": said["s3VerifySSL"],
            "CA_BUNDLE_CONFIGMAP_NAME": fetcher["caBundleConfigMapName"],
            "CA_BUNDLE_VOLUME_MOUNT_POINT": str(place),
        }

    def configuration(self, key: str) -> dict[str, Any]:
        """A key of `inferenceservice-config`."""
        (found,) = (each for each in self.objects("kserve", "ConfigMap") if key in each["data"])
        told: dict[str, Any] = json.loads(found["data"][key])
        return told

    def objects(self, component: str, kind: str) -> list[Manifest]:
        """Objects of a component."""
        return [each.manifest for each in self.stack.components[component].objects if each.manifest["kind"] == kind]

    def ends(self, name: str, argv: Sequence[str], env: Mapping[str, str]) -> tuple[int, str]:
        """Run a program to its end; how it ends, and what it has said."""
        log = self.folder / f"{name}.log"
        self.sandbox.start(name, [*argv], log=log, env=env)
        until(lambda: name in self.sandbox.ended(), seconds=START_SECONDS, what=f"{name} ends")
        return self.sandbox.ended()[name], log.read_text(errors="replace")

    def fetched(self, name: str, env: Mapping[str, str]) -> tuple[int, str]:
        """Fetch a served model into a folder of its name; how that ends."""
        (service,) = self.objects(name, "InferenceService")
        address = service["spec"]["predictor"]["model"]["storageUri"]
        (self.folder / name).mkdir(exist_ok=True)
        program = self.source / "storage-initializer" / "scripts" / "initializer-entrypoint"
        # Pods do not have authorities of this machine.
        words = ["env", "-u", "AWS_CA_BUNDLE", str(self.python), str(program), address, "/mnt/models"]
        return self.ends(f"fetch-{name}", self.mounted(name, words), env)

    def mounted(self, name: str, words: Sequence[str]) -> list[str]:
        """A command that sees a model's folder where pods do."""
        return ["unshare", "--mount", "sh", "-c", MOUNT, "sh", str(self.folder / name), *words]


@pytest.fixture
def bench(programs: Mapping[str, Path], tmp_path: Path) -> Iterator[Bench]:
    """A store that answers."""
    python, weed = or_skip(lambda: obtain("kserve")), programs["weed"]
    source = or_skip(lambda: module_folder("kserve-manager")) / "python"
    stack = rendered_stack(tmp_path / "stack", STACK, name="models")
    made = serving(tmp_path / "pki", [HOST])
    keys = {"accessKey": secrets.token_hex(12), "secretKey": secrets.token_hex(12)}
    with Sandbox() as sandbox:
        start_store(sandbox, tmp_path, weed, made, keys)
        yield Bench(sandbox, tmp_path, stack, python, source, made.authority, keys)


def start_store(sandbox: Sandbox, folder: Path, weed: Path, made: Serving, keys: Mapping[str, str]) -> None:
    """SeaweedFS with one key that may everything; a port of its own is moved from that of the models' servers."""
    identity = {"name": "models", "credentials": [dict(keys)], "actions": ["Admin"]}
    (folder / "identities.json").write_text(json.dumps({"identities": [identity]}))
    (folder / "data").mkdir()
    flags = {
        "dir": str(folder / "data"),
        "ip": HOST,
        "volume.port": "8180",
        "volume.max": "0",
        "master.volumeSizeLimitMB": "64",
        "s3.port": str(PORT),
        "s3.config": str(folder / "identities.json"),
        "s3.cert.file": str(made.certificate),
        "s3.key.file": str(made.key),
    }
    argv = [str(weed), "-logtostderr=true", "server", "-s3", *(f"-{key}={value}" for key, value in flags.items())]
    sandbox.start("weed", argv, log=folder / "weed.log", env={"HOME": str(folder)})


def trained(bench: Bench) -> dict[str, Any]:
    """What the models that are put into the store answer where they were trained."""
    argv = [str(bench.python), str(PROGRAMS / "models" / "trained.py"), f"https://{HOST}:{PORT}", str(bench.authority)]
    code, said = bench.ends("trained", argv, bench.variables())
    assert code == 0, said
    told: dict[str, Any] = json.loads(said.splitlines()[-1])
    return told


@pytest.mark.parametrize("name", [*SERVERS])
def test_a_model_answers_as_it_did_where_it_was_trained_and_is_counted(
    bench: Bench, name: str, programs: Mapping[str, Path]
) -> None:
    said = trained(bench)
    assert "CERTIFICATE_VERIFY_FAILED" in said["stranger"]
    code, told = bench.fetched(name, bench.variables())
    assert code == 0, told
    (service,) = bench.objects(name, "InferenceService")
    chosen = service["spec"]["predictor"]["model"]["runtime"]
    (runtime,) = (
        each for each in bench.objects("kserve", "ClusterServingRuntime") if each["metadata"]["name"] == chosen
    )
    (container,) = runtime["spec"]["containers"]
    args = [each.replace("{{.Name}}", name) for each in container["args"]]
    argv = bench.mounted(name, [str(bench.python), "-m", SERVERS[name], *args])
    log = bench.folder / "server.log"
    bench.sandbox.start("server", argv, log=log, env={"PYTHONPATH": str(bench.source / SERVERS[name])})
    bench.sandbox.forward(bench.folder / "server.sock", port=8080)
    door, body = Door(bench.folder / "server.sock", ""), json.dumps({"instances": ASKED}).encode()

    def answers() -> bool:
        assert "server" not in bench.sandbox.ended(), log.read_text(errors="replace")
        try:
            return door.get(f"/v1/models/{name}").status == 200
        except OSError:
            return False

    until(answers, seconds=START_SECONDS, what="the server answers")
    pages, annotations = [], runtime["spec"]["annotations"]
    assert annotations["prometheus.kserve.io/port"] == "8080"
    for _ in range(2):
        answer = door.get(
            f"/v1/models/{name}:predict", method="POST", body=body, headers={"content-type": "application/json"}
        )
        pages.append(read(door.get(annotations["prometheus.kserve.io/path"]).text))

    assert answer.asked["predictions"] == pytest.approx(said[f"{name}/1"])
    # Nothing has been explained.
    assert unserved(pages[-1], [PYTHON_SERVER]) <= {"request_explain_seconds"}
    added = " has no labels ['inference_service']"  # by the PodMonitor
    assert [each for each in differences(pages[-1], [PYTHON_SERVER]) if not each.endswith(added)] == []
    fed = {"kserve-models": pages}
    assert unfed("kserve", fed, others="request_*", engine=programs["prometheus-engine"]) == []


def test_a_model_is_not_fetched_without_the_authority_of_the_store(bench: Bench) -> None:
    trained(bench)
    env = {key: value for key, value in bench.variables().items() if not key.startswith("CA_BUNDLE")}
    code, told = bench.fetched("trees", env)

    assert code != 0
    assert "CERTIFICATE_VERIFY_FAILED" in told
