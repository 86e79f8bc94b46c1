from __future__ import annotations

from dataclasses import replace

from platform_def.checks.rules.delivery.source_size import SOURCE_SIZE
from platform_def.config.platform import Platform
from platform_def.manifests.rendered import JOBS, Manifest, RenderedObject, RenderedStack
from tests.unit.checks.samples import config_map, found, rendered

ARGO_CD = Platform(delivery="argocd")
LARGE = [config_map(f"part-{number}", data={"text": "x" * 900_000}) for number in range(11)]
"""Together 9.9 MB."""


def told(*manifests: Manifest, platform: Platform = ARGO_CD) -> list[str]:
    return [each.text for each in found(SOURCE_SIZE, rendered(*manifests, platform=platform))]


def limited(to: str) -> Manifest:
    key = "reposerver.max.combined.directory.manifests.size"
    return config_map("argocd-cmd-params-cm", namespace="argocd", data={key: to})


def test_a_part_beyond_ten_megabytes_is_told_with_its_size() -> None:
    (text,) = told(*LARGE, config_map("last", data={"text": "x" * 100_000}))

    assert text.startswith("app/main is 10,00")
    assert text.endswith(" bytes, and Argo CD reads no more than 10,000,000 of one folder")


def test_a_part_within_it_is_let_be() -> None:
    assert told(*LARGE) == []


def test_the_limit_of_the_stack_s_own_argo_cd_counts_and_none_is_none() -> None:
    assert len(told(limited("1k"), *LARGE)) == 1
    assert told(limited("20M"), *LARGE, *LARGE) == []
    assert told(limited("0"), *LARGE, *LARGE) == []


def test_parts_and_jobs_are_folders_of_their_own() -> None:
    stack = rendered(*LARGE, platform=ARGO_CD)
    jobs = {
        name: tuple(RenderedObject(each, JOBS, "main", "here", job=name) for each in LARGE) for name in ("one", "two")
    }
    beside = replace(stack, jobs=jobs)

    assert found(SOURCE_SIZE, beside) == []
    assert [each.text.partition(" is ")[0] for each in found(SOURCE_SIZE, doubled(beside, "two"))] == ["_jobs/two"]


def test_flux_has_no_such_limit() -> None:
    assert told(*LARGE, *LARGE, platform=Platform(delivery="flux")) == []


def doubled(stack: RenderedStack, job: str) -> RenderedStack:
    return replace(stack, jobs={**stack.jobs, job: (*stack.jobs[job], *stack.jobs[job])})
