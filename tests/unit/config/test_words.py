"""Words of stack files that are components': registered by their owners, gathered, and in no model by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from platform_def.components.catalogue import BUILT_IN
from platform_def.config.cluster import Delivery, Ingress
from platform_def.config.component import ComponentConfig
from platform_def.config.pools import NodePool
from platform_def.config.secrets import SecretSource
from platform_def.config.stack import Stack
from platform_def.config.storage import Provisioned
from platform_def.config.words import registered
from platform_def.config.words.generate import index_text
from platform_def.config.words.registered import default_layer, drivers, engines, layers, schedulers
from platform_def.config.written.explain import docs_of, with_inner
from tests.unit.apis.test_facts_once import written

CONFIG = Path(registered.__file__).parents[1]
GENERIC = frozenset(
    {
        *("gateway-api", "mysql", "namespaces", "postgresql", "profiles", "snapshot-controller"),
        *("training-jobs", "workspaces"),
    }
)
"""Names of components that are words of Kubernetes, of databases that many programs serve, or of stack files."""
SHORT = ("argo", "argocd", "ceph-csi", "kai", "knative", "kubeflow", "minio", "ray", "seldon", "sealed secret")
"""How people call products whose component has a longer name."""
ALLOWED = {
    "storage/entries.py": "an entry is its driver's own form: its defaults and its docs speak of that driver",
}
"""Files of config that may name products, and why."""
OTHERS = {
    "kai-scheduler": ("components/queues/kai_scheduler/", "components/training/kuberay_operator/", "jobs/ray/"),
}
"""Where the name of a scheduler is another word as well: of its own objects, or a setting of KubeRay's."""


def test_the_index_of_words_is_current() -> None:
    assert registered.FILE.read_text(encoding="utf-8") == index_text(), "run `make docs`"


@pytest.mark.parametrize("name", sorted({*BUILT_IN, *SHORT} - GENERIC))
def test_no_model_of_stack_files_names_a_product(name: str) -> None:
    called = re.compile(rf"(?<![a-z]){name.replace('-', '[-_ ]?')}(?![a-z])", re.IGNORECASE)
    found = {file for file, text in files() if called.search(text)}

    assert found <= ALLOWED.keys(), f"register the word in words.py of {name}"


@pytest.mark.parametrize("name", sorted(name for name, each in schedulers().items() if name != each.gangs))
def test_the_name_of_a_scheduler_is_written_once(name: str) -> None:
    owner = BUILT_IN[schedulers()[name].component].partition(".component:")[0]
    home = f"{owner.removeprefix('platform_def.').replace('.', '/')}/words.py"
    found = [file for file, text in written() if text == name and not file.startswith(OTHERS.get(name, ()))]

    assert [file for file in found if file != home] == []
    assert home in [file for file, text in written() if text == name]


def test_a_note_is_about_a_field_that_there_is() -> None:
    fields = {
        f"{model.__name__}.{name}": text
        for model in with_inner([Stack, ComponentConfig, SecretSource])
        for name, text in docs_of(model).items()
    }

    for field, said in registered._read()["notes"].items():
        assert field in fields
        assert fields[field].endswith(" ".join(said.values()))


def test_a_driver_of_every_storage_entry_is_registered() -> None:
    wanted = {word for model in below(Provisioned) for word in driver_of(model)}

    assert wanted == drivers().keys()
    assert {each.component for each in drivers().values()} <= BUILT_IN.keys()


def test_a_stack_may_say_registered_words_and_no_others() -> None:
    gpu = {"model": "t4", "perNode": 1, "sharing": {"mode": "vgpu", "layer": "hami"}}

    assert NodePool.from_file({"name": "a", "gpu": gpu}).gpu
    assert NodePool.from_file({"name": "a", "scheduler": "kai-scheduler"}).scheduler in schedulers()
    assert Delivery.from_file({"engine": "flux", "repository": "https://example.com/a"}).engine in engines()
    assert default_layer() in layers()
    for model, data in (
        (NodePool, {"name": "a", "scheduler": "volcano"}),
        (NodePool, {"name": "a", "gpu": {**gpu, "sharing": {"mode": "vgpu", "layer": "other"}}}),
        (Delivery, {"engine": "fleet"}),
        (Ingress, {"kind": "other"}),
    ):
        with pytest.raises(ValidationError, match="Input should be"):
            model.from_file(data)


def files() -> Iterator[tuple[str, str]]:
    """Every file of config but the index, with its text."""
    for file in sorted(CONFIG.rglob("*.py")):
        yield file.relative_to(CONFIG).as_posix(), file.read_text(encoding="utf-8")


def below(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """Models that are made from one."""
    for each in model.__subclasses__():
        yield each
        yield from below(each)


def driver_of(model: type[BaseModel]) -> tuple[str, ...]:
    """The word of a storage entry, where the model is one."""
    field = model.model_fields.get("driver")
    found: tuple[str, ...] = getattr(field.annotation, "__args__", ()) if field else ()
    return found
