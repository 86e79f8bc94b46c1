"""The part of PowerDNS' HTTP API that external-dns speaks: one zone, read and changed by sets of records.

Arguments: port, key, name of the zone, and a file that holds the sets that there are.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PORT, KEY, ZONE, STORED = int(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
ZONES = "/api/v1/servers/localhost/zones"


class Zones(BaseHTTPRequestHandler):
    """Answers for the zone, whose name is its id."""

    def do_GET(self) -> None:
        """All zones, or the one with its sets."""
        zone: dict[str, Any] = {"id": ZONE, "name": ZONE, "kind": "Native", "type": "Zone"}
        if not self._is_known():
            return
        if self.path.rstrip("/") == ZONES:
            self._answer(200, [zone])
        elif self.path == f"{ZONES}/{ZONE}":
            self._answer(200, {**zone, "rrsets": _sets()})
        else:
            self._answer(404, {"error": "Not Found"})

    def do_PATCH(self) -> None:
        """Replace and delete sets, each of which a name and a type tell from others."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self._is_known():
            return
        sets = {(each["name"], each["type"]): each for each in _sets()}
        for each in body["rrsets"]:
            sets.pop((each["name"], each["type"]), None)
            if each["changetype"] == "REPLACE":
                sets[each["name"], each["type"]] = each
        arriving = STORED.with_suffix(".arriving")
        arriving.write_text(json.dumps([*sets.values()]))
        arriving.replace(STORED)
        self._answer(204, None)

    def _is_known(self) -> bool:
        known = self.headers.get("X-API-Key") == KEY
        if not known:
            self._answer(401, {"error": "Unauthorized"})
        return known

    def _answer(self, status: int, body: object) -> None:
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _sets() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(STORED.read_text())
    return found


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), Zones).serve_forever()
