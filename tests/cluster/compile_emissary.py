"""What runs in the environment of Emissary's compiler: objects in, Envoy's configuration out, as lists of JSON.

Arguments: the folder of its code, and one for the certificates that it takes out of Secrets.
"""

from __future__ import annotations

import json
import logging
import sys

sys.path.insert(0, sys.argv[1])

from ambassador.compile import Compile  # type: ignore[import-not-found]
from ambassador.utils import EmptySecretHandler  # type: ignore[import-not-found]

logging.basicConfig(level=logging.ERROR)
logger = logging.getLogger("compiler")
made = []
for text in json.load(sys.stdin):
    secrets = EmptySecretHandler(logger, None, None, "0")
    secrets.cache_dir = sys.argv[2]
    found = Compile(logger, text, k8s=True, secret_handler=secrets)
    bootstrap, configuration, _ = found["xds"].split_config()
    runtime = bootstrap["layered_runtime"]
    made.append({"static_resources": configuration["static_resources"], "layered_runtime": runtime})
json.dump(made, sys.stdout)
