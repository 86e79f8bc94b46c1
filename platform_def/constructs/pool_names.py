"""Names of objects that there is one of for each node pool."""

from __future__ import annotations

import hashlib

LONGEST = 63
"""Such a name is a label's value too."""


def per_pool(name: str, pool: str) -> str:
    """The name with the pool's behind it; a long one is cut and ends in a hash of the pool's name."""
    whole = f"{name}-{pool}"
    if len(whole) <= LONGEST:
        return whole
    digest = hashlib.sha256(pool.encode()).hexdigest()[:8]
    return f"{whole[: LONGEST - 9].rstrip('-')}-{digest}"
