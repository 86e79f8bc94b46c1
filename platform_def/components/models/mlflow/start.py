"""Starts MLflow's server with the address of its database, from variables that a pod gets; runs in the container.

MLflow takes the address as one URI, so user and password are quoted here. They get into no argument, and into no file
but that of the accounts, which lies in the pod's memory. `start.py server FLAG…`
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlencode

SCHEMES = {"mysql": "mysql+pymysql", "postgresql": "postgresql+psycopg2"}


def uri(variables: Mapping[str, str]) -> str:
    """The database's address, as SQLAlchemy writes it."""
    engine, options = variables["DB_ENGINE"], {}
    mode, ca = variables.get("DB_TLS", "off"), variables.get("DB_CA", "")
    if engine == "postgresql":
        options = {"sslmode": "disable" if mode == "off" else "verify-full" if ca else "require"}
        options |= {"sslrootcert": ca} if ca and mode != "off" else {}
    elif mode == "required":
        options = {"ssl_ca": ca} if ca else {"ssl_check_hostname": "false"}
    who = f"{quote(variables['DB_USER'], safe='')}:{quote(variables['DB_PASSWORD'], safe='')}"
    where = f"{variables['DB_HOST']}:{variables['DB_PORT']}/{variables['DB_NAME']}"
    return f"{SCHEMES[engine]}://{who}@{where}{'?' if options else ''}{urlencode(options)}"


def accounts(variables: Mapping[str, str], database: str) -> str:
    """The file of MLflow's own accounts; its reader takes `%` for the beginning of a reference."""
    return "\n".join(
        (
            "[mlflow]",
            f"default_permission = {variables['AUTH_PERMISSION']}",
            f"database_uri = {database.replace('%', '%%')}",
            "admin_username = admin",
            "authorization_function = mlflow.server.auth:authenticate_request_basic_auth",
            "grant_default_workspace_access = false",
            "",
        )
    )


def main() -> None:
    """Become the server."""
    database = uri(os.environ)
    os.environ["MLFLOW_BACKEND_STORE_URI"] = database
    if file := os.environ.get("MLFLOW_AUTH_CONFIG_PATH"):
        Path(file).write_text(accounts(os.environ, database))
    os.execvp("mlflow", ["mlflow", *sys.argv[1:]])  # noqa: S606, S607 - the container's program


if __name__ == "__main__":
    main()
