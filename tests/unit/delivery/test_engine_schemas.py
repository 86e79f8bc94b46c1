"""What is delivered, held against the engines' own schemas: an unknown field would be dropped without a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from platform_def.checks.rules.server.schema import SCHEMA
from platform_def.config.cluster import Delivery
from platform_def.config.objects import Drift
from platform_def.crds.catalogue import api_of
from platform_def.crds.model import Api
from platform_def.delivery import kinds
from platform_def.delivery.deliver import deliver
from platform_def.manifests.rendered import RenderedStack
from tests.unit.checks.samples import found, rendered

from .samples import ARGOCD, CERT_MANAGER, EMISSARY, FLUX, GATES, JOB, NAMESPACES, TRAINING, body, component, ordered

OCI = FLUX.model_copy(update={"repository": "oci://registry.example.com/platform", "secret": "pull"})
ENGINES = pytest.mark.parametrize(
    "delivery", [ARGOCD, GATES, FLUX, OCI], ids=["argocd", "argocd-gates", "flux", "flux-oci"]
)
CLAIM = body("v1", "PersistentVolumeClaim", "data", "a", spec={})
HOOK = body("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "hook", webhooks=[{}])
DRIFTS = (
    Drift(HOOK["apiVersion"], HOOK["kind"], "hook", ("/webhooks/0/clientConfig/caBundle",)),
    Drift(HOOK["apiVersion"], HOOK["kind"], "hook", (), "ca-injector"),
)
WHOLE = ordered(
    *(NAMESPACES, CERT_MANAGER, EMISSARY, TRAINING),
    component("a", main=(CLAIM, HOOK), drifting=DRIFTS),
    jobs={"faces": (JOB,)},
)
"""All that makes a difference to an engine."""


def delivered(delivery: Delivery) -> RenderedStack:
    objects = [item.manifest for item in deliver(WHOLE, delivery, {"faces": "vision"}).delivery]
    return rendered(*objects, platform=WHOLE.platform.with_facts(delivery=delivery.engine))


@ENGINES
def test_the_engine_knows_every_field_that_it_is_given(delivery: Delivery) -> None:
    stack = delivered(delivery)

    assert [(each.place, each.path, each.text) for each in found(SCHEMA, stack)] == []


@ENGINES
def test_every_period_has_a_number_and_a_unit(delivery: Delivery) -> None:
    objects = delivered(delivery).components["app"].objects
    periods = [period for item in objects for period in named(item.manifest, PERIODS)]

    assert periods
    assert [each for each in periods if not re.fullmatch(r"(\d+(s|m|h))+", each)] == []


PERIODS = ("duration", "maxDuration", "interval", "retryInterval", "timeout")


def named(value: Any, names: tuple[str, ...]) -> Iterator[Any]:
    """The values of some fields, wherever they stand."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key in names:
            yield inner
        yield from named(inner, names)


@pytest.mark.parametrize(
    "api", [each for each in vars(kinds).values() if isinstance(each, Api)], ids=lambda api: api.kind
)
def test_the_kinds_of_the_engines_are_those_of_the_catalogue(api: Api[Any]) -> None:
    typed = api_of(api.group, api.kind, api.version)

    assert typed is not None
    assert (typed.plural, typed.namespaced) == (api.plural, api.namespaced)
