"""The page with all of `_delivery/` of a small stack is current."""

from __future__ import annotations

import re

from maintenance.delivery_sample import PAGE, ROOT, page


def test_the_page_is_current() -> None:
    assert (ROOT / PAGE).read_text(encoding="utf-8") == page(ROOT)


def test_it_shows_each_file_that_the_page_about_delivery_lists() -> None:
    listed = re.findall(r"^dist/\S+/_delivery/(\S+)$", (ROOT / "docs/delivery.md").read_text(encoding="utf-8"), re.M)
    assert listed
    assert re.findall(r"^## `(\S+)`$", page(ROOT), re.M) == listed
