"""A private authority reaches every container of a component."""

from __future__ import annotations

from pathlib import Path

from platform_def.checks.engine import check
from platform_def.manifests.paths import containers, pods
from tests.unit.pipeline.repository import HEAD, stack, write


def test_every_container_finds_the_authorities_where_it_is_told_to_look(tmp_path: Path) -> None:
    write(tmp_path, {"stacks/a.yaml": HEAD + "components: {training-operator: {caBundle: corporate}}\n"})

    rendered = stack(tmp_path)

    found = 0
    for item in rendered.objects():
        for _, pod in pods(item.manifest):
            assert {"name": "private-ca", "configMap": {"name": "corporate"}} in pod["volumes"]
        for _, container in containers(item.manifest):
            found += 1
            variables = {each["name"]: each["value"] for each in container["env"] if "value" in each}
            [mount] = [each for each in container["volumeMounts"] if each["name"] == "private-ca"]
            assert variables["SSL_CERT_DIR"].split(":") == [mount["mountPath"], "/etc/ssl/certs"]
            assert mount["readOnly"] is True
    assert found
    assert [finding.text for finding in check(rendered) if "private-ca" in finding.text] == []
