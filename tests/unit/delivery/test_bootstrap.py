"""The text of `platformctl bootstrap`: commands that one can copy, in order, without a credential."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import Any

import pytest

from platform_def.capabilities import Identity
from platform_def.components.delivery.flux.words import ENGINE
from platform_def.config.capability import Provision
from platform_def.config.cluster import Delivery, Ingress
from platform_def.config.platform import ComponentFact
from platform_def.config.words.registered import engines
from platform_def.delivery.setup.bootstrap import bootstrap
from platform_def.manifests.rendered import Manifest

from .samples import ARGOCD, CERT_MANAGER, FLUX, NAMESPACES, body, component, deployment, ordered

WHOLE = ordered(NAMESPACES, CERT_MANAGER)
BOTH = pytest.mark.parametrize("delivery", [ARGOCD, FLUX], ids=["argocd", "flux"])


def text(delivery: Delivery, **fields: Any) -> str:
    return bootstrap(WHOLE, delivery.model_copy(update=fields))


def commands(delivery: Delivery, **fields: Any) -> list[str]:
    """Lines that are for a shell."""
    return [line.strip() for line in text(delivery, **fields).splitlines() if line.startswith("   kubectl")]


@BOTH
def test_the_steps_say_what_goes_where_and_from_where(delivery: Delivery) -> None:
    words = " ".join(text(delivery, revision="v1").split())

    assert "applies dist/gpu-prod to the cluster gpu-prod" in words
    assert "from https://git.example.com/platform.git, revision v1." in words


@BOTH
def test_the_namespace_is_made_first_and_the_repository_handed_over_before_one_watches(delivery: Delivery) -> None:
    found = commands(delivery, namespace="gitops")

    assert found[0] == "kubectl create namespace gitops"
    assert found[-2].startswith("kubectl apply --server-side")
    assert found[-1].startswith("kubectl -n gitops get ")
    assert not any("argocd " in line or "flux-system" in line for line in found if line.startswith("kubectl -n"))


@BOTH
def test_every_command_stands_in_a_line_of_its_own_that_is_indented_alike(delivery: Delivery) -> None:
    lines = [line for line in text(delivery, secret="git").splitlines() if "kubectl" in line or "# install" in line]

    assert len(lines) > 4
    assert [line for line in lines if not line.startswith("   ") or line.startswith("    ")] == []


def test_what_the_engine_applies_later_it_owns_from_the_first_day() -> None:
    assert "--field-manager argocd-controller" in commands(ARGOCD)[-2]
    assert "--field-manager kustomize-controller" in commands(FLUX)[-2]


def test_argo_cd_is_installed_by_hand_and_waited_for() -> None:
    assert "install Argo CD 3.2 or newer" in text(ARGOCD)
    assert [line for line in commands(ARGOCD) if "rollout status" in line] == [
        "kubectl -n argocd rollout status deployment/argocd-repo-server",
        "kubectl -n argocd rollout status statefulset/argocd-application-controller",
    ]


def test_flux_is_installed_by_its_own_command_and_waited_for() -> None:
    assert "flux install --namespace flux-system --components source-controller,kustomize-controller" in text(FLUX)
    [waits] = [line for line in commands(FLUX) if "rollout status" in line]
    assert waits.split()[-2:] == ["deployment/source-controller", "deployment/kustomize-controller"]


@pytest.mark.parametrize(("delivery", "name"), [(ARGOCD, "argo-cd"), (FLUX, "flux")])
def test_an_engine_of_the_stack_is_applied_part_by_part_instead(delivery: Delivery, name: str) -> None:
    engine = component(name, crds=(deployment("a", "a"),), main=(deployment("b", "b"),))

    found = bootstrap(ordered(engine), delivery)

    parts = [line.split()[-1] for line in found.splitlines() if line.startswith("   kubectl apply")][:-1]
    assert parts == [f"dist/gpu-prod/{name}/crds", f"dist/gpu-prod/{name}/main"]
    assert "install Argo CD" not in found
    assert "flux install" not in found


def test_an_engine_of_the_stack_has_its_configuration_already() -> None:
    engine = component("flux", main=(deployment("b", "b"),))
    found = bootstrap(ordered(engine), FLUX)

    assert "1. Apply Flux in the namespace flux-system." in found
    assert "patch deployment" not in found
    assert "rollout status deployment/source-controller deployment/kustomize-controller" in found
    assert "ServiceMonitor" not in found


def test_an_argo_cd_of_the_stack_is_applied_under_its_own_field_manager() -> None:
    found = bootstrap(ordered(component("argo-cd", main=(deployment("b", "b"),))), ARGOCD)

    assert (
        "kubectl apply --server-side --field-manager argocd-controller --recursive -f dist/gpu-prod/argo-cd/main"
        in found
    )
    assert "kubectl apply --server-side --field-manager kustomize-controller --recursive -f" in bootstrap(
        ordered(component("flux", main=(deployment("b", "b"),))), FLUX
    )


def test_a_route_to_the_engine_is_left_to_it_for_its_gateway_comes_later() -> None:
    route = body("getambassador.io/v3alpha1", "Mapping", "argocd-server", "argocd")
    found = bootstrap(ordered(component("argo-cd", main=(deployment("b", "b"),), after=(route,))), ARGOCD)

    assert "dist/gpu-prod/argo-cd/main" in found
    assert "dist/gpu-prod/argo-cd/after" not in found


def test_hosts_of_ssh_are_named_to_an_argo_cd_of_the_stack() -> None:
    by_ssh = ARGOCD.model_copy(update={"repository": "git@git.example.com:a.git"})
    own, others = ordered(component("argo-cd", main=(deployment("b", "b"),))), WHOLE

    assert ["knownHosts" in bootstrap(each, by_ssh) for each in (own, others)] == [True, False]


@BOTH
def test_an_engine_of_somebody_else_is_not_touched(delivery: Delivery) -> None:
    fact = {engines()[delivery.engine].component: ComponentFact("", "gitops", provided=True)}
    first = bootstrap(ordered(NAMESPACES, components=fact), delivery).partition("\n2. ")[0]

    ours = [line.split()[:4] for line in first.splitlines() if line.startswith("   kubectl") and "secret" not in line]
    assert {tuple(words) for words in ours} == {("kubectl", "-n", "gitops", "rollout")}
    assert [flag for flag in ENGINE.flags if (flag in first) != (delivery is FLUX)] == []


def test_a_monitor_of_the_engine_is_told_of_where_nobody_serves_it_yet() -> None:
    monitor = body("monitoring.coreos.com/v1", "ServiceMonitor", "a", "flux-system")
    engine = component("flux", main=(deployment("b", "b"), monitor))

    assert "serves no ServiceMonitors yet has kubectl say so" in bootstrap(ordered(engine), FLUX)


def test_watching_shows_the_kinds_of_the_engine() -> None:
    assert commands(ARGOCD)[-1].endswith("get applications")
    assert commands(FLUX)[-1].endswith("get gitrepositories,kustomizations")
    artifacts = commands(FLUX, repository="oci://registry.example.com/a")
    assert artifacts[-1].endswith("get ocirepositories,kustomizations")


@pytest.mark.parametrize(
    ("repository", "kind"),
    [
        ("https://git.example.com/a.git", "git"),
        ("git@git.example.com:a.git", "git"),
        ("oci://registry.example.com/a", "oci"),
    ],
)
def test_argo_cd_finds_credentials_by_type_address_and_label(repository: str, kind: str) -> None:
    secret, label = commands(ARGOCD, repository=repository)[3:5]

    assert f"--from-literal=type={kind} --from-literal=url={repository} " in secret
    assert label.endswith("label secret platform-repository argocd.argoproj.io/secret-type=repository")


@pytest.mark.parametrize(("repository", "told"), [("git@git.example.com:a.git", True), ("https://a.example", False)])
def test_hosts_of_ssh_must_be_known_to_argo_cd(repository: str, told: bool) -> None:
    assert ("argocd-ssh-known-hosts-cm" in text(ARGOCD, repository=repository)) == told


def test_a_folder_needs_no_credentials() -> None:
    found = text(ARGOCD, repository="file:///srv/a")

    assert "needs no credentials" in found
    assert "create secret" not in found


def test_flux_without_a_secret_is_told_so() -> None:
    assert "`delivery.secret` names none" in text(FLUX)
    assert "create secret" not in text(FLUX)


@pytest.mark.parametrize(
    ("repository", "kind"),
    [
        ("https://git.example.com/a.git", "generic"),
        ("git@git.example.com:a.git", "generic"),
        ("oci://registry.example.com/a", "docker-registry"),
    ],
)
def test_flux_gets_the_secret_that_the_stack_names(repository: str, kind: str) -> None:
    [secret] = [line for line in commands(FLUX, secret="pull", repository=repository) if "secret" in line]

    assert secret.startswith(f"kubectl -n flux-system create secret {kind} pull --from-file=")


@BOTH
def test_files_of_credentials_are_explained(delivery: Delivery) -> None:
    found = text(delivery, secret="git")

    assert "They are never committed:" in found
    assert found.index("FILE stands for a file elsewhere") < found.index("=FILE")


def pod(**fields: Any) -> Manifest:
    spec = {"template": {"spec": {"containers": [{"name": "a", "image": "a:1"}], **fields}}}
    return body("apps/v1", "Deployment", "web", "vision", spec=spec)


def test_what_the_stack_names_and_does_not_make_is_listed_before_it_is_handed_over() -> None:
    keys = [{"name": each, "valueFrom": {"secretKeyRef": {"name": "db", "key": each}}} for each in ("user", "password")]
    maybe = {"name": "x", "valueFrom": {"secretKeyRef": {"name": "perhaps", "key": "x", "optional": True}}}
    container = {"name": "a", "image": "a:1", "env": [*keys, maybe]}
    claim = body("v1", "PersistentVolumeClaim", "data", "vision", spec={"storageClassName": "fast"})
    web = pod(containers=[container], priorityClassName="system-cluster-critical", serviceAccountName="default")

    found = bootstrap(ordered(NAMESPACES, component("web", main=(web, claim))), FLUX)

    listed = [line.strip() for line in found.splitlines() if line.startswith("   * ")]
    assert listed == [
        "* Secret vision/db with password, user, for Deployment vision/web",
        "* StorageClass fast, for PersistentVolumeClaim vision/data",
    ]
    assert found.index("* Secret vision/db") < found.index("2. Hand the repository over")


def test_nothing_is_listed_where_nothing_is_wanted() -> None:
    assert "does not make" not in text(ARGOCD)


@pytest.mark.parametrize(
    ("ingress", "wanted"),
    [
        (Ingress(kind="metallb", addresses=["10.0.0.1-10.0.0.9"]), "MetalLB with an address pool of 10.0.0.1-10.0.0.9"),
        (Ingress(kind="cloud"), "something that gives LoadBalancer Services an address"),
        (Ingress(kind="nodePort"), ""),
    ],
)
def test_who_gives_the_gateway_its_address_is_named(ingress: Ingress, wanted: str) -> None:
    found = bootstrap(ordered(NAMESPACES, ingress=ingress), ARGOCD)

    assert (wanted in found) if wanted else ("does not make" not in found)


def test_flux_is_told_to_take_up_what_mends_a_part_at_once() -> None:
    [patched] = [line for line in commands(FLUX) if " patch " in line]
    operations = json.loads(shlex.split(patched)[-1])

    assert [each["value"] for each in operations] == [
        "--feature-gates=CancelHealthCheckOnNewRevision=true",
        "--requeue-dependency=5s",
    ]
    assert {(each["op"], each["path"]) for each in operations} == {("add", "/spec/template/spec/containers/0/args/-")}
    assert not [line for line in commands(ARGOCD) if " patch " in line]


@BOTH
@pytest.mark.parametrize(
    ("repository", "scan"),
    [
        ("git@git.example.com:a.git", "`ssh-keyscan git.example.com`"),
        ("ssh://git@git.example.com:2222/a.git", "`ssh-keyscan -p 2222 git.example.com`"),
    ],
)
def test_the_key_of_a_host_is_asked_for_at_its_port(delivery: Delivery, repository: str, scan: str) -> None:
    assert scan in text(delivery, repository=repository, secret="git")


@BOTH
def test_a_key_of_ssh_is_taken_as_it_is_made(delivery: Delivery) -> None:
    found = text(delivery, repository="git@git.example.com:a.git", secret="git")

    assert "a private key as ssh-keygen makes it" in found
    assert "without a newline" not in found


def test_argo_cd_looks_private_authorities_up_by_the_host_without_its_port() -> None:
    own = bootstrap(
        ordered(component("argo-cd", main=(deployment("b", "b"),))),
        ARGOCD.model_copy(update={"repository": "oci://registry.example.com:5000/a"}),
    )

    assert "argocd-tls-certs-cm, below `registry.example.com`" in own
    assert "{certificates: {registry.example.com: ...}}" in own
    assert "{certificates:" not in text(ARGOCD)


def test_the_secret_of_another_address_is_made_anew() -> None:
    assert "delete this Secret and create it again" in text(ARGOCD)


def test_flux_gets_the_authority_of_a_registry_where_the_stack_names_one() -> None:
    oci = "oci://registry.example.com/a"

    assert "kubectl -n flux-system create secret generic site --from-file=ca.crt=FILE" in commands(
        FLUX, repository=oci, ca_secret="site"
    )
    assert "`delivery.caSecret`" in text(FLUX, repository=oci)
    assert "--from-file=ca.crt=FILE" in text(FLUX, secret="git")


IDENTITY = Identity(
    issuer="https://ml.example.com/dex", kubectl_client="kubectl", user_claim="upn", groups_claim="teams"
)
FOR_PEOPLE = """
People use kubectl under their own names once the API server has these flags:

   --oidc-issuer-url=https://ml.example.com/dex
   --oidc-client-id=kubectl
   --oidc-username-claim=upn
   --oidc-username-prefix=-
   --oidc-groups-claim=teams

Where a private authority signed the certificate of that address, also --oidc-ca-file. Each person
installs the plug-in oidc-login, and adds a user to their kubeconfig:

   kubectl config set-credentials oidc --exec-api-version=client.authentication.k8s.io/v1 \
--exec-interactive-mode=IfAvailable --exec-command=kubectl --exec-arg=oidc-login --exec-arg=get-token \
--exec-arg=--oidc-issuer-url=https://ml.example.com/dex --exec-arg=--oidc-client-id=kubectl \
--exec-arg=--oidc-extra-scope=email --exec-arg=--oidc-extra-scope=profile --exec-arg=--oidc-extra-scope=groups
"""


def test_people_are_told_how_kubectl_knows_them_where_the_issuer_has_a_client_for_it() -> None:
    def told(identity: Identity) -> str:
        platform = WHOLE.platform.model_copy(update={"provisions": (Provision.of(identity, "dex"),)})
        return bootstrap(replace(WHOLE, platform=platform), FLUX)

    assert told(IDENTITY) == text(FLUX) + FOR_PEOPLE
    assert told(IDENTITY.model_copy(update={"kubectl_client": None})) == text(FLUX)
