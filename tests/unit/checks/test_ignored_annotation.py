"""Which annotations of pods change their proxy: those of the rendered template, and of Istio's programs."""

from __future__ import annotations

from typing import Any

from platform_def.checks.rules.policy.ignored_annotation import IGNORED_ANNOTATION
from platform_def.manifests.rendered import Manifest
from tests.unit.checks.samples import config_map, deployment, found, rendered

READ = "{{ annotation .ObjectMeta `sidecar.istio.io/proxyCPU` `10m` }}"


def told(template: str | None, annotations: dict[str, str], *, inject: str = "true") -> list[tuple[str, str, str]]:
    web: Manifest = deployment()
    metadata: dict[str, Any] = web["spec"]["template"]["metadata"]
    metadata["labels"]["sidecar.istio.io/inject"] = inject
    metadata["annotations"] = annotations
    injector = config_map("istio-sidecar-injector-next", data={"config": template})
    findings = found(IGNORED_ANNOTATION, rendered(web, *([injector] if template else [])))
    return [(each.path, each.text, each.hint) for each in findings]


def test_an_annotation_that_the_template_lacks_is_named_with_one_that_it_has() -> None:
    assert told(READ, {"sidecar.istio.io/proxyCPUs": "1", "sidecar.istio.io/proxyCPU": "1"}) == [
        (
            'spec.template.metadata.annotations["sidecar.istio.io/proxyCPUs"]',
            "the stack's injector does not read sidecar.istio.io/proxyCPUs",
            "did you mean 'sidecar.istio.io/proxyCPU'?",
        )
    ]


def test_what_istios_programs_read_needs_no_place_in_the_template() -> None:
    assert told(READ, {"proxy.istio.io/config": "{}", "sidecar.istio.io/statsInclusionPrefixes": "a"}) == []
    assert told(READ, {"status.sidecar.istio.io/port": "1"}) != []
    assert told(READ, {"readiness.status.sidecar.istio.io/periodSeconds": "1"}) != []


def test_the_cni_plugin_reads_which_interfaces_are_left_out() -> None:
    wanted = {"traffic.sidecar.istio.io/excludeInterfaces": "net1"}

    assert told(READ, wanted) != []
    assert told(f"{READ} --skip-rule-apply", wanted) == []


def test_pods_without_a_proxy_and_stacks_without_the_injector_are_let_be() -> None:
    wanted = {"sidecar.istio.io/logLevel": "debug"}

    assert told(READ, wanted) != []
    assert told(READ, wanted, inject="false") == []
    assert told(None, wanted) == []


def test_annotations_of_other_programs_are_not_asked_about() -> None:
    assert told(READ, {"example.com/logLevel": "debug", "istio.io/rev": "next"}) == []
