"""What a kind is, in one sentence: as its types say it, else as `kinds.yaml` of its component does.

That file holds kinds whose CRDs carry no descriptions: those that only controllers write, and large ones.
"""

from __future__ import annotations

import inspect
from typing import Any

from platform_def.crds.index import summaries
from platform_def.crds.model import Api
from platform_def.crds.typed_dict import is_typed_dict


def summary(api: Api[Any]) -> str:
    """One sentence; empty for kinds of other packages whose types say nothing."""
    if api.doc:
        return api.doc
    own = (part.__doc__ for part in (api.top, api.spec) if is_typed_dict(part))
    said = next((doc for doc in own if doc), None)
    return inspect.cleandoc(said).partition("\n\n")[0].replace("\n", " ") if said else summaries().get(api.crd_name, "")
