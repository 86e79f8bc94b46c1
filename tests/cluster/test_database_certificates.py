"""SQL servers of the catalogue serve TLS by the certificate that the stack has made for them.

Real: Debian's PostgreSQL and MariaDB with the words of dist/, as the tests' kubelet runs containers, and their own clients, which check
the certificate. Played: cert-manager, and images; MySQL's programs are MariaDB's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cluster import pki
from tests.cluster.backups import said, secret
from tests.cluster.client import Manifest
from tests.cluster.flow_stores import has_mariadb, mysql, postgres_folder, postgresql, python
from tests.cluster.flows import FlowBench, flow_bench

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.own_network,
    pytest.mark.skipif(postgres_folder() is None, reason="no PostgreSQL: apt-get install postgresql"),
    pytest.mark.skipif(not has_mariadb(), reason="no MariaDB: apt-get install mariadb-server"),
]

STACK = """\
apiVersion: platform-def/v1
cluster: {kubernetes: "1.36"}
nodePools:
  - {name: cpu, nodes: 2, selector: {pool: cpu}}
storage:
  shared: {driver: existing, accessModes: [ReadWriteOnce, ReadWriteMany], default: true}
components:
  cert-manager: {}
  postgresql: {certificate: {}}
  mysql: {certificate: {}}
"""
IMAGES = {"postgresql": "docker.io/library/postgres:17", "mysql": "docker.io/library/mysql:8"}
ASKS = {
    "postgresql": """\
printf %s "$AUTHORITY" > /tmp/ca.crt
export PGPASSWORD=$FULL PGSSLMODE=verify-full PGSSLROOTCERT=/tmp/ca.crt
psql -XAt -h postgresql.postgresql.svc.cluster.local -U postgres \\
  -c 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()' 2> /tmp/error || { grep -qi certificate /tmp/error && echo refused; }
""",
    "mysql": """\
printf %s "$AUTHORITY" > /tmp/ca.crt
MYSQL_PWD=$FULL mariadb --host=mysql.mysql.svc.cluster.local --user=root --ssl-ca=/tmp/ca.crt --ssl-verify-server-cert \\
  --skip-column-names --execute='SELECT @@have_ssl' 2> /tmp/error || { grep -qi certificate /tmp/error && echo refused; }
""",
}
ANSWERS = {"postgresql": "t\n", "mysql": "YES\n"}
REFUSED = "refused\n"


@pytest.fixture(scope="module")
def authorities(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pki.Serving]:
    """What cert-manager has made, by the server."""
    root = tmp_path_factory.mktemp("certificates")
    return {name: pki.serving(root / name, [f"{name}.{name}.svc.cluster.local"]) for name in ANSWERS}


@pytest.fixture(scope="module")
def running(
    authorities: Mapping[str, pki.Serving], programs: Mapping[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[FlowBench]:
    """The cluster with both servers."""

    def taken(item: Manifest) -> Manifest | None:
        if item["kind"] != "Certificate":
            return None if item["kind"] == "Issuer" else item
        home, spec = item["metadata"]["namespace"], item["spec"]
        assert f"{home}.{home}.svc.cluster.local" in spec["dnsNames"]
        return pki.certificate(authorities[home], home, spec["secretName"])

    images = {**python(), **postgresql(), **mysql()}
    root = tmp_path_factory.mktemp("servers")
    with flow_bench(root, programs, STACK, components=[*ANSWERS], images=images, taken=taken) as bench:
        yield bench


@pytest.mark.parametrize("name", [*ANSWERS])
def test_a_client_that_checks_the_server_is_served(
    running: FlowBench, authorities: Mapping[str, pki.Serving], name: str
) -> None:
    assert asked(running, name, authorities[name]) == ANSWERS[name]


@pytest.mark.parametrize("name", [*ANSWERS])
def test_a_client_that_knows_another_authority_goes_no_further(
    running: FlowBench, authorities: Mapping[str, pki.Serving], name: str
) -> None:
    (other,) = (made for server, made in authorities.items() if server != name)

    assert asked(running, name, other) == REFUSED


def asked(running: FlowBench, name: str, authority: pki.Serving) -> str:
    """What the server's own client says, which knows one authority."""
    password = secret(running, name, f"{name}-root", "password")
    env = [{"name": "FULL", "value": password}, {"name": "AUTHORITY", "value": authority.authority.read_text()}]
    return said(running, ASKS[name], namespace=name, spec={}, image=IMAGES[name], env=env)
