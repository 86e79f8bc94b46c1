"""Headless Chromium goes through steps: `browse.py STEPS`, inside the sandbox; it is told what to do over a pipe.

STEPS is {argv, seconds, steps}. A step opens a page, has an expression evaluated until it is true of the page, or draws
what is seen into a file. The last line of the output is what each expression came to.
"""

import base64
import json
import os
import subprocess
import sys
import time
from pathlib import Path

READS, WRITES = 3, 4


class Page:
    """The one page of a browser."""

    def __init__(self, argv, seconds):
        to_browser, ours = os.pipe()
        theirs, from_browser = os.pipe()

        def placed():
            # Above both numbers first, so that neither is closed by the other's coming.
            high = [os.dup2(each, number) for each, number in ((to_browser, 20), (from_browser, 21))]
            for each, number in zip(high, (READS, WRITES), strict=True):
                os.dup2(each, number)

        self._process = subprocess.Popen(argv, preexec_fn=placed, close_fds=False, stdin=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._write, self._read, self._number, self._left = ours, theirs, 0, b""
        self._until = time.monotonic() + seconds
        self._session = None
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._call("Page.enable")

    def open(self, url):
        self._call("Page.navigate", url=url)

    def true(self, expression):
        """The value of an expression, once it is true: until then the page is on its way."""
        found = {}
        while time.monotonic() < self._until:
            asked = {"expression": expression, "awaitPromise": True, "returnByValue": True, "userGesture": True}
            try:
                found = self._call("Runtime.evaluate", **asked)
            except LookupError as error:  # the page has gone meanwhile
                found = {"error": str(error)}
            if found.get("result", {}).get("value"):
                return found["result"]["value"]
            time.sleep(0.2)
        seen = self._call("Runtime.evaluate", expression="location.href + '\\n' + document.body.innerText")
        sys.exit(f"never true: {expression}\n{json.dumps(found)[:2000]}\n{seen['result'].get('value')}")

    def picture(self, path, width, height):
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        Path(path).write_bytes(base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self._process.kill()
        self._process.wait()

    def _call(self, method, **parameters):
        self._number += 1
        session = {"sessionId": self._session} if self._session else {}
        said = {"id": self._number, "method": method, "params": parameters, **session}
        os.write(self._write, json.dumps(said).encode() + b"\0")
        while True:
            while b"\0" not in self._left:
                more = os.read(self._read, 1 << 16)
                if not more:
                    sys.exit(f"Chromium has ended: {self._process.wait()}")
                self._left += more
            line, _, self._left = self._left.partition(b"\0")
            answer = json.loads(line)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise LookupError(answer["error"]["message"])
                return answer["result"]


def main():
    told = json.loads(Path(sys.argv[1]).read_text())
    page, found = Page(told["argv"], told["seconds"]), []
    for step in told["steps"]:
        if "open" in step:
            page.open(step["open"])
        elif "picture" in step:
            page.picture(step["picture"], step["width"], step["height"])
        else:
            found.append(page.true(step["true"]))
    page.close()
    print(json.dumps(found), flush=True)


main()
