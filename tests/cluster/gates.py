"""What a stack routes, behind a real gateway: Emissary's compiler and Envoy, or API server, istiod and Envoy.

Played: DNS and kube-proxy, Emissary's other programs, which hand objects and configuration on, and for Istio what
`mesh.py` names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from platform_def.constructs import Route
from platform_def.manifests.rendered import RenderedStack
from tests.cluster.client import Manifest
from tests.cluster.compiler import IN_MODULE, annotated, compiled, envoy_beside, handed_on, located, obtain_compiler
from tests.cluster.conftest import or_skip
from tests.cluster.control_plane import ControlPlane
from tests.cluster.door import SERVERS, Door, envoy_program, start_servers
from tests.cluster.mesh import Mesh, start_mesh
from tests.cluster.route_requests import REFUSED
from tests.cluster.sandbox import Sandbox
from tests.cluster.snapshots import snapshot
from tests.cluster.stacks import crds_of
from tests.cluster.who import start_who
from tests.unit.constructs.samples import built

HTTP = 8080


@contextmanager
def emissary(
    root: Path, objects: Sequence[Manifest], places: Mapping[tuple[str, int], tuple[str, int]], *, proxy: Path | None
) -> Iterator[tuple[Sandbox, Door]]:
    """Emissary 3.10 with some objects; `places` are addresses behind Services (`name.namespace`, port)."""
    compiler = or_skip(lambda: obtain_compiler(IN_MODULE))
    envoy = envoy_beside(compiler)
    read = [
        each
        for each in objects
        if str(each["apiVersion"]).startswith("getambassador.io/") or each["kind"] in ("IngressClass", "Service")
    ]
    ingresses = [handed_on(each) for each in objects if each["kind"] == "Ingress"]
    (configuration,) = compiled(compiler, [[*read, *annotated(read), *ingresses]], certificates=root)
    known = {(f"{name}.{home}", 80): place for (home, name), place in SERVERS.items()}
    (root / "envoy.json").write_text(json.dumps(located(configuration, {**known, **places})))
    with Sandbox() as sandbox:
        start_servers(sandbox, root, envoy=envoy)
        who = start_who(sandbox, root, program=proxy, refused=REFUSED)
        argv = [str(envoy), "-c", str(root / "envoy.json"), "--log-level", "error", "--concurrency", "1"]
        sandbox.start("envoy", argv, log=root / "envoy.log")
        sandbox.forward(root / "http.sock", port=HTTP)
        yield sandbox, Door(root / "http.sock", who.token)


@contextmanager
def istio(
    stack: RenderedStack,
    objects: Sequence[Manifest],
    binaries: Mapping[str, Path],
    *,
    istiod: Path,
    proxy: Path | None,
) -> Iterator[tuple[ControlPlane, Mesh]]:
    """Istio with some objects of a stack, and a route of its own by which it is seen to answer."""
    envoy = or_skip(envoy_program)
    probe = built(lambda self: Route(self, "plain", path="/plain/", service="a"), platform=stack.platform)
    routes = {"plain": [each.manifest for each in probe.objects]}
    with ControlPlane(binaries, data=snapshot(binaries, crds_of(objects))) as control_plane, control_plane.explaining():
        yield control_plane, start_mesh(control_plane, objects, routes, istiod=istiod, envoy=envoy, oauth2_proxy=proxy)
