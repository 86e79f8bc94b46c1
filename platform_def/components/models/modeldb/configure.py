"""Writes ModelDB's configuration with user and password of its database: `configure.py TEMPLATE FILE`.

ModelDB reads them from its file only. The file lies in the pod's memory; YAML reads JSON.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def main() -> None:
    """Fill in the template."""
    template, file = map(Path, sys.argv[1:])
    content = json.loads(template.read_text())
    database = content["database"]["RdbConfiguration"]
    database["RdbUsername"], database["RdbPassword"] = os.environ["DB_USER"], os.environ["DB_PASSWORD"]
    file.write_text(json.dumps(content))


if __name__ == "__main__":
    main()
