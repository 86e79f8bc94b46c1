"""What both engines have in common, and the text of `platformctl bootstrap`."""

from __future__ import annotations

import pytest

from platform_def import __version__
from platform_def.config.cluster import Delivery
from platform_def.config.platform import ComponentFact
from platform_def.config.words.registered import engines
from platform_def.delivery.deliver import deliver
from platform_def.delivery.setup.bootstrap import bootstrap
from platform_def.errors import ConfigError

from .samples import ARGOCD, CERT_MANAGER, FLUX, GATES, NAMESPACES, component, deployment, ordered

WHOLE = ordered(NAMESPACES, CERT_MANAGER)
BOTH = pytest.mark.parametrize("delivery", [ARGOCD, GATES, FLUX], ids=["argocd", "argocd-gates", "flux"])


def test_without_an_engine_only_what_leads_back_to_the_stack_is_added() -> None:
    [item] = deliver(WHOLE, Delivery(), {}).delivery

    assert str(item) == "ConfigMap kube-public/platform-def"
    assert item.manifest["data"] == {
        "stack": "gpu-prod",
        "cluster": "gpu-prod",
        "path": "dist/gpu-prod",
        "stackFile": "stacks/gpu-prod.yaml",
        "tool": f"platform-def {__version__}",
    }


@BOTH
def test_a_cluster_says_where_it_comes_from(delivery: Delivery) -> None:
    found = deliver(WHOLE, delivery, {})
    [item] = [item for item in found.delivery if item.name == "platform-def"]

    assert item.manifest["data"]["repository"] == delivery.repository
    assert item.manifest["data"]["path"] == f"{delivery.path}/gpu-prod"
    others = [each for component in found.components.values() for each in component.objects]
    assert not any("gpu-prod" in each.text for each in others)


@BOTH
def test_delivery_objects_belong_to_a_component_of_their_own(delivery: Delivery) -> None:
    found = deliver(WHOLE, delivery, {}).delivery

    assert {(item.component, item.part) for item in found} == {("_delivery", "main")}
    assert len({item.key for item in found}) == len(found)


@BOTH
def test_the_order_of_components_changes_no_byte(delivery: Delivery) -> None:
    forward = deliver(ordered(NAMESPACES, CERT_MANAGER), delivery, {}).delivery
    backward = deliver(ordered(CERT_MANAGER, NAMESPACES), delivery, {}).delivery

    assert [item.text for item in forward] == [item.text for item in backward]


@BOTH
@pytest.mark.parametrize(
    "address", ["https://me:word@git.example.com/a.git", "https://token@git.example.com/a.git", "ssh://me:word@host/a"]
)
def test_an_address_with_credentials_is_refused_without_being_repeated(delivery: Delivery, address: str) -> None:
    with pytest.raises(ConfigError) as caught:
        deliver(WHOLE, delivery.model_copy(update={"repository": address}), {})

    assert "holds credentials" in str(caught.value)
    assert address not in str(caught.value)


@BOTH
def test_a_name_that_is_no_label_is_refused(delivery: Delivery) -> None:
    long = component("a" * 63, main=(deployment("a", "a"),))

    with pytest.raises(ConfigError, match="too long"):
        deliver(ordered(long), delivery, {})


@BOTH
@pytest.mark.parametrize(("provided", "refused"), [(False, True), (True, False)])
def test_an_engine_of_the_stack_reads_in_its_own_namespace(delivery: Delivery, provided: bool, refused: bool) -> None:
    name = engines()[delivery.engine].component
    facts = {name: ComponentFact("1", "gitops", provided=provided)}
    rendered = ordered(NAMESPACES, components=facts)

    if refused:
        with pytest.raises(ConfigError, match=f"components.{name} of the stack gpu-prod is in the namespace gitops"):
            deliver(rendered, delivery, {})
    else:
        assert deliver(rendered, delivery, {}).delivery
    assert deliver(rendered, delivery.model_copy(update={"namespace": "gitops"}), {}).delivery


@BOTH
def test_bootstrap_applies_only_what_brings_the_rest(delivery: Delivery) -> None:
    text = bootstrap(WHOLE, delivery)
    marked = [
        item
        for item in deliver(WHOLE, delivery, {}).delivery
        if item.manifest["metadata"]["labels"].get("platform-def/bootstrap") == "true"
    ]

    assert "--selector platform-def/bootstrap=true -f dist/gpu-prod/_delivery" in text
    others = [item for item in marked if item.group != "admissionregistration.k8s.io"]
    assert {item.name for item in others} <= {"platform", "argocd-cm"}
    assert len(others) == (3 if delivery.engine == "argocd" else 2)


def test_bootstrap_installs_the_engine_from_the_stack_where_it_has_it() -> None:
    text = bootstrap(ordered(component("argo-cd", main=(deployment("argocd", "argocd"),))), ARGOCD)

    assert (
        "kubectl apply --server-side --field-manager argocd-controller --recursive -f dist/gpu-prod/argo-cd/main"
        in text
    )


@pytest.mark.parametrize(
    ("delivery", "keys"),
    [
        (ARGOCD, ("username=FILE", "password=FILE")),
        (ARGOCD.model_copy(update={"repository": "git@git.example.com:a.git"}), ("sshPrivateKey=FILE",)),
        (FLUX.model_copy(update={"secret": "git"}), ("username=FILE", "password=FILE")),
        (
            FLUX.model_copy(update={"secret": "git", "repository": "ssh://git@host/a"}),
            ("identity=FILE", "known_hosts=FILE"),
        ),
        (
            FLUX.model_copy(update={"secret": "oci", "repository": "oci://registry.example.com/a"}),
            (".dockerconfigjson=FILE",),
        ),
    ],
)
def test_bootstrap_names_the_keys_of_the_secret(delivery: Delivery, keys: tuple[str, ...]) -> None:
    text = bootstrap(WHOLE, delivery)

    assert all(f"--from-file={key}" in text for key in keys)


def test_bootstrap_without_an_engine_says_what_to_write() -> None:
    with pytest.raises(ConfigError, match="no delivery engine"):
        bootstrap(WHOLE, Delivery())
