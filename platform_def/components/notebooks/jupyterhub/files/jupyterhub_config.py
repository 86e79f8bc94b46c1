"""Read by JupyterHub when it starts, from a ConfigMap; what it says is in `platform_hub.py` next to it."""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

import platform_hub  # type: ignore[import-not-found]  # noqa: E402 - it lies beside this file

platform_hub.configure(get_config(), FOLDER / "platform.json", Path(f"{FOLDER}-secrets"))  # type: ignore[name-defined]  # noqa: F821
