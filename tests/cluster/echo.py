"""A server that tells what it was asked, for tests of gateways: its name, and path, host and user of the request.

It echoes what is sent over a websocket, and waits where the path says so: `?wait=2`, in seconds. Of the requests for one
path it answers the first three with 502 where that holds `?fails`, and has two wait where it holds `?hangs`.
Called `who`, it decides
about requests instead, where there is no oauth2-proxy to: one token is somebody's, all others are nobody's. Called
`safe`, it speaks HTTPS, and tells the names of a certificate that it was shown. Arguments: name, address, port, for `who`
the token, and for `safe` its certificate, its key, and the authority of those that it is shown.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from collections import Counter

TIMES: Counter[str] = Counter()
"""How often each path was asked for."""
NAME, ADDRESS, PORT, TOKEN = sys.argv[1], sys.argv[2], int(sys.argv[3]), "".join(sys.argv[4:])


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of a connection."""
    try:
        while True:
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            pairs = (line.partition(":") for line in lines if line)
            headers = {name.lower(): value.strip() for name, _, value in pairs}
            await reader.readexactly(int(headers.get("content-length", "0")))
            if NAME == "who":
                known = headers.get("authorization") == f"Bearer {TOKEN}"
                user = "kubeflow-userid: ada\r\n" if known else ""
                status = "200 OK" if known else "401 Unauthorized"
                writer.write(f"HTTP/1.1 {status}\r\n{user}content-length: 0\r\n\r\n".encode())
            elif headers.get("upgrade") == "websocket":
                writer.write(b"HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n")
                while said := await reader.read(1024):
                    writer.write(said)
                    await writer.drain()
                return
            else:
                method, path, _ = first.split()
                TIMES[path] += 1
                told: dict[str, object] = {
                    "name": NAME,
                    "path": path,
                    "host": headers["host"],
                    "user": headers.get("kubeflow-userid"),
                }
                if shown := writer.get_extra_info("peercert"):
                    told["shown"] = [value for _, value in shown["subjectAltName"]]
                if "kubeflow-groups" in headers:
                    told["kubeflow-groups"] = headers["kubeflow-groups"]
                if method != "GET":
                    told["method"] = method
                if "?fails" in path or "?hangs" in path:
                    told["times"] = TIMES[path]
                if "x-forwarded-client-cert" in headers:
                    told["peer"] = headers["x-forwarded-client-cert"]
                await asyncio.sleep(int(path.partition("?wait=")[2] or "0"))
                if "?hangs" in path and TIMES[path] <= 2:
                    await asyncio.sleep(20)
                fails = "?fails" in path and TIMES[path] <= 3
                body = json.dumps(told).encode()
                said = b"502 Bad Gateway" if fails else b"200 OK"
                writer.write(b"HTTP/1.1 %s\r\ncontent-length: %d\r\n\r\n" % (said, len(body)) + body)
            await writer.drain()
    except (asyncio.IncompleteReadError, OSError):
        pass
    finally:
        writer.close()


def secured() -> ssl.SSLContext | None:
    """How it speaks HTTPS, if it does: it asks for a certificate, and needs none."""
    if NAME != "safe":
        return None
    certificate, key, authority = sys.argv[4:]
    found = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=authority)
    found.load_cert_chain(certificate, key)
    found.verify_mode = ssl.CERT_OPTIONAL
    return found


async def serve() -> None:
    """Serve until killed."""
    server = await asyncio.start_server(answer, ADDRESS, PORT, ssl=secured())
    await server.serve_forever()


asyncio.run(serve())
