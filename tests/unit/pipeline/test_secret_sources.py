"""Where a Secret of a component comes from: one of five ways, each refused where the stack cannot serve it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from platform_def.errors import PlatformError
from platform_def.manifests.rendered import RenderedStack
from platform_def.pipeline.synth import Rendered
from platform_def.yaml import dump
from tests.unit.pipeline.repository import synthesise, write

HEAD = 'apiVersion: platform-def/v1\ncluster: {kubernetes: "1.36"}\n'
FLUX = "delivery: {engine: flux, repository: 'https://git.example.com/platform'}\n"
ARGOCD = FLUX.replace("flux", "argocd")
BOTH = "external-secrets: {provided: true}, sealed-secrets: {provided: true}"
CIPHER = "ENC[AES256_GCM,data:3yQ=,iv:bm8gaXY=,tag:bm8gdGFn,type:str]"


def sealed(**changes: Any) -> dict[str, Any]:
    made = {
        "apiVersion": "bitnami.com/v1alpha1",
        "kind": "SealedSecret",
        "metadata": {"name": "root", "namespace": "mysql"},
        "spec": {"encryptedData": {"password": "QUJD" * 40}},
    }
    return made | changes


def sops(**changes: Any) -> dict[str, Any]:
    made = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "root", "namespace": "mysql"},
        "data": {"password": CIPHER},
        "sops": {"mac": CIPHER, "version": "3.9.0", "age": [{"recipient": "age1xyz"}]},
    }
    return made | changes


def rendered(root: Path, source: str, *, more: str = "", files: dict[str, str] | None = None) -> Rendered:
    text = f"{HEAD}{more}components:\n  mysql: {{root: {source}}}\n  external-secrets: {{provided: true}}\n"
    text += "  sealed-secrets: {provided: true}\n"
    return synthesise(write(root, {"stacks/a.yaml": text, **(files or {})}))


def built(root: Path, source: str, *, more: str = "", files: dict[str, str] | None = None) -> RenderedStack:
    made = rendered(root, source, more=more, files=files)
    assert made.findings["a"] == ()
    return made.stacks[0]


def refused(root: Path, source: str, *, more: str = "", files: dict[str, str] | None = None) -> str:
    with pytest.raises(PlatformError) as caught:
        rendered(root, source, more=more, files=files)
    return str(caught.value)


def one(stack: RenderedStack, kind: str) -> dict[str, Any]:
    (item,) = (item for item in stack.components["mysql"].objects if item.kind == kind)
    return item.manifest


def mounted(stack: RenderedStack) -> Any:
    return one(stack, "StatefulSet")["spec"]["template"]["spec"]["volumes"][0]["secret"]


def given(stack: RenderedStack) -> Any:
    (server,) = (each for each in stack.platform.provisions if each.kind == "sqlDatabase")
    return server.data["administrator"]


def test_one_that_exists_is_mounted_by_its_name_and_keys(tmp_path: Path) -> None:
    stack = built(tmp_path, "{existing: boss, keys: {password: root-password}}")

    assert mounted(stack) == {
        "secretName": "boss",
        "items": [{"key": "root-password", "path": "password"}],
        "defaultMode": 0o440,
    }
    assert given(stack) == {"secret": "boss", "key": "root-password", "username": "root"}


def test_one_of_a_store_is_fetched_under_the_components_own_keys(tmp_path: Path) -> None:
    source = "{externalSecret: {store: vault, path: prod/mysql}, keys: {password: root-password}}"
    made = rendered(tmp_path, source)
    (stack,), (finding,) = made.stacks, made.findings["a"]
    spec = one(stack, "ExternalSecret")["spec"]

    assert spec["secretStoreRef"] == {"kind": "ClusterSecretStore", "name": "vault"}
    assert spec["data"] == [{"secretKey": "password", "remoteRef": {"key": "prod/mysql", "property": "root-password"}}]
    assert mounted(stack)["items"] == [{"key": "password", "path": "password"}]
    assert given(stack)["key"] == "password"
    assert finding.text == "names the ClusterSecretStore 'vault', which does not exist"


def test_the_stacks_store_is_the_one_unless_said(tmp_path: Path) -> None:
    more = "external: {secretStore: {store: company-vault}}\n"
    stack = built(tmp_path, "{externalSecret: {path: prod/mysql}}", more=more)

    assert one(stack, "ExternalSecret")["spec"]["secretStoreRef"]["name"] == "company-vault"


def test_no_store_is_told(tmp_path: Path) -> None:
    said = refused(tmp_path, "{externalSecret: {path: prod/mysql}}")

    assert "error: stacks/a.yaml:4: components.mysql: needs a secret store, and nothing in the stack gives one" in said


def test_a_store_without_external_secrets_is_told(tmp_path: Path) -> None:
    text = f"{HEAD}components:\n  mysql: {{root: {{externalSecret: {{store: vault, path: x}}}}}}\n"
    with pytest.raises(PlatformError) as caught:
        synthesise(write(tmp_path, {"stacks/a.yaml": text}))

    assert str(caught.value) == (
        "error: stacks/a.yaml:4: components.mysql.root: externalSecret: the stack has no External Secrets, which fetches "
        "it\n  hint: add `external-secrets: {provided: true}` where the cluster has it, or choose another source"
    )


def test_a_sealed_one_is_rendered_as_it_lies_there(tmp_path: Path) -> None:
    stack = built(tmp_path, "{sealed: secrets/root.yaml}", files={"secrets/root.yaml": dump(sealed())})

    assert one(stack, "SealedSecret")["spec"] == sealed()["spec"]
    assert mounted(stack)["secretName"] == given(stack)["secret"] == "root"


def test_one_sealed_for_everywhere_goes_where_it_is_needed(tmp_path: Path) -> None:
    metadata = {"name": "root", "annotations": {"sealedsecrets.bitnami.com/cluster-wide": "true"}}
    files = {"root.yaml": dump(sealed(metadata=metadata))}
    stack = built(tmp_path, "{sealed: root.yaml}", files=files)

    assert one(stack, "SealedSecret")["metadata"]["namespace"] == "mysql"
    assert one(stack, "SealedSecret")["metadata"]["annotations"] == metadata["annotations"]


def test_an_encrypted_one_is_opened_by_flux(tmp_path: Path) -> None:
    stack = built(tmp_path, "{sops: root.enc.yaml}", more=FLUX, files={"root.enc.yaml": dump(sops())})
    (part,) = (item for item in stack.delivery if item.name == "mysql-main")

    assert one(stack, "Secret")["data"] == {"password": CIPHER}
    assert one(stack, "Secret")["sops"] == sops()["sops"]
    assert part.manifest["spec"]["decryption"] == {"provider": "sops", "secretRef": {"name": "sops-keys"}}
    assert not any("decryption" in item.manifest.get("spec", {}) for item in stack.delivery if item is not part)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (ARGOCD, "sops: Argo CD applies the file as it is: Flux alone opens it"),
        ("", "sops: no engine decrypts the file"),
    ],
)
def test_another_engine_does_not_open_it(tmp_path: Path, more: str, why: str) -> None:
    said = refused(tmp_path, "{sops: root.enc.yaml}", more=more, files={"root.enc.yaml": dump(sops())})

    assert why in said
    assert "hint: write `sealed:` or `externalSecret:`, or have Flux deliver: `delivery: {engine: flux}`" in said


SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "root"}, "stringData": {"password": "x"}}


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (SECRET, "holds a Secret, and no SealedSecret"),
        (sealed(spec={"encryptedData": {}}), "holds a SealedSecret without `encryptedData`"),
        (sealed(spec={"encryptedData": {"password": "hunter2"}}), "the value of password is not sealed"),
        (
            sealed(spec={"encryptedData": {"password": "QUJD" * 40}, "template": {"data": {"user": "x"}}}),
            "its template holds values in the clear",
        ),
        (sealed(metadata={}), "holds an object without a name"),
        (sealed(metadata={"name": "root", "namespace": "other"}), "holds no SealedSecret for the namespace mysql"),
        (sealed(spec={"encryptedData": {"pass": "QUJD" * 40}}), "the Secret for mysql has no password"),
        ("just text", "holds something that is no object of Kubernetes"),
    ],
)
def test_what_is_not_sealed_is_refused(tmp_path: Path, document: Any, why: str) -> None:
    said = refused(tmp_path, "{sealed: root.yaml}", files={"root.yaml": dump(document)})

    assert why in said
    assert "stacks/a.yaml:4" in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (SECRET, "it is not encrypted by SOPS"),
        (sops(data={"password": "aHVudGVyMg=="}), "the value of password is not encrypted"),
        (sops(stringData={"token": "hunter2"}), "the value of token is not encrypted"),
        (sops(data={}), "it holds no values"),
        (sops(sops={"mac": "x"}), "it is not encrypted by SOPS"),
        (sops(kind=CIPHER), "and no Secret"),
        (sealed(), "holds a SealedSecret, and no Secret"),
    ],
)
def test_what_is_not_encrypted_is_refused(tmp_path: Path, document: Any, why: str) -> None:
    said = refused(tmp_path, "{sops: root.yaml}", more=FLUX, files={"root.yaml": dump(document)})

    assert why in said
    assert "aHVudGVyMg==" not in said


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../outside.yaml", "../outside.yaml is outside the repository"),
        ("link.yaml", "link.yaml is outside the repository"),
        (".git/x.yaml", ".git/x.yaml is in a hidden folder"),
        ("nowhere.yaml", "nowhere.yaml is not there, or is no file"),
        ("secrets", "secrets is not there, or is no file"),
        ("empty.yaml", "empty.yaml holds no Secret"),
        ("two.yaml", "two.yaml holds Secrets of 2 names"),
        ("broken.yaml", "broken.yaml:2: "),
    ],
)
def test_files_that_cannot_be_one_are_refused(tmp_path: Path, path: str, why: str) -> None:
    root = tmp_path / "repository"
    files = {
        "../outside.yaml": dump(sealed()),
        ".git/x.yaml": dump(sealed()),
        "secrets/x": "",
        "empty.yaml": "---\n",
        "broken.yaml": "a: 1\n  b: [\n",
        "two.yaml": dump(sealed()) + "---\n" + dump(sealed(metadata={"name": "b", "namespace": "mysql"})),
    }
    root.mkdir()
    (root / "link.yaml").symlink_to(tmp_path / "outside.yaml")

    said = refused(root, f"{{sealed: {path}}}", files=files)

    assert f"error: stacks/a.yaml:4: components.mysql.root: {why}" in said


def test_what_somebody_gives_is_read_too(tmp_path: Path) -> None:
    shares = "shares: {notes: {credentials: {sealed: notes.yaml}}}"
    more = f"external: {{sqlDatabase: {{engine: mysql, host: db.example.com, port: 3306, {shares}}}}}\n"

    assert "external.sqlDatabase.shares.notes.credentials: notes.yaml is not there" in refused(
        tmp_path, "{generate: {}}", more=more
    )


def test_a_changed_file_changes_what_is_rendered(tmp_path: Path) -> None:
    files = {"root.yaml": dump(sealed())}
    first = one(built(tmp_path, "{sealed: root.yaml}", files=files), "SealedSecret")
    files = {"root.yaml": dump(sealed(spec={"encryptedData": {"password": "REVG" * 40}}))}

    assert one(built(tmp_path, "{sealed: root.yaml}", files=files), "SealedSecret") != first


def test_one_way_must_be_named(tmp_path: Path) -> None:
    assert "name one of existing, externalSecret, sealed, sops, generate" in refused(tmp_path, "{}")
    assert "name one of" in refused(tmp_path, "{existing: a, sealed: b}")
