"""A component that stands twice: names of its own, and one owner of what both share."""

from __future__ import annotations

from typing import Any

from platform_def.config.platform import ComponentFact, Platform
from platform_def.constructs import Account, Deployment, Service, port
from tests.unit.constructs.samples import objects

BOTH = Platform(
    components={
        "sample": ComponentFact("1", "here", component="sample"),
        "sample-b": ComponentFact("1", "here", component="sample"),
        "sample-c": ComponentFact("1", "here", provided=True, component="sample"),
    }
)


def build(component: Any) -> None:
    """A workload named after the component, and one that is not."""
    for upstream in ("sample-server", "gateway"):
        name = component.named(upstream)
        Account(component, name)
        Deployment(
            component,
            name,
            pod={"serviceAccountName": name, "containers": [{"name": "app", "image": "example.com/app:1"}]},
        )
        Service(component, name, ports=[port("http", 80)])


def test_the_first_instance_has_upstreams_names() -> None:
    made = objects(build, platform=BOTH)

    assert {name for kind, name in made if kind == "Deployment"} == {"sample-server", "gateway"}
    labels = made["Deployment", "gateway"]["metadata"]["labels"]
    assert labels["app.kubernetes.io/instance"] == "sample"


def test_a_second_instance_shares_no_name_and_no_selector_with_the_first() -> None:
    first, second = objects(build, platform=BOTH), objects(build, platform=BOTH, name="sample-b")

    assert not first.keys() & second.keys()
    assert {name for kind, name in second if kind == "Deployment"} == {"sample-b-server", "sample-b-gateway"}
    for made in (first, second):
        for (kind, name), manifest in made.items():
            if kind == "Service":
                assert manifest["spec"]["selector"] == made["Deployment", name]["spec"]["selector"]["matchLabels"]
    assert (
        first["Service", "sample-server"]["spec"]["selector"]
        != second["Service", "sample-b-server"]["spec"]["selector"]
    )


def test_stack_files_call_a_workload_the_same_in_every_instance() -> None:
    workloads = {"sample-server": {"containers": {"app": {"env": {"X": "1"}}}}}
    made = objects(build, platform=BOTH, name="sample-b", workloads=workloads)

    (container,) = made["Deployment", "sample-b-server"]["spec"]["template"]["spec"]["containers"]
    assert container["env"] == [{"name": "X", "value": "1"}]


def test_one_instance_renders_what_all_share() -> None:
    found: dict[str, bool] = {}
    for name in ("sample", "sample-b"):
        objects(lambda component: found.update({component.name: component.first}), platform=BOTH, name=name)

    assert found == {"sample": True, "sample-b": False}


def test_where_no_instance_bears_the_components_name_the_first_by_name_renders_what_all_share() -> None:
    platform = Platform(
        components={name: ComponentFact("1", "here", component="sample") for name in ("inner", "outer")}
    )
    found: dict[str, bool] = {}
    for name in ("inner", "outer"):
        objects(lambda component: found.update({component.name: component.first}), platform=platform, name=name)

    assert found == {"inner": True, "outer": False}
