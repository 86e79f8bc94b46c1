"""A browser as far as signing in needs one: cookies, redirects and the one form of Dex's login page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urljoin, urlsplit

from tests.cluster.door import Answer, Door

REDIRECTS = (301, 302, 303, 307, 308)
MOST = 12


@dataclass
class Browser:
    """The browser of one person, before a gateway that serves one address."""

    door: Door
    address: str
    """Of the platform, with scheme and port."""
    cookies: dict[str, str] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    """Addresses that it was at."""

    def get(self, path: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        """One request, which follows nothing."""
        return self._ask(urljoin(self.address, path), headers=headers or {})

    def follow(self, path: str) -> Answer:
        """The page that it ends at."""
        return self._followed(self.get(path))

    def sign_in(self, page: Answer, name: str, password: str, *, before: str = "") -> Answer:
        """Fill in the form of a login page; the page that this ends at, or the answer that leads to `before`."""
        found = re.search(r'<form[^>]*action="([^"]*)"', page.text)
        if found is None:
            message = f"no form: {page.status} {page.text[:500]}"
            raise AssertionError(message)
        target = urljoin(self.seen[-1], unescape(found.group(1)) or self.seen[-1])
        body = urlencode({"login": name, "password": password}).encode()
        form = {"content-type": "application/x-www-form-urlencoded"}
        return self._followed(self._ask(target, headers=form, method="POST", body=body), before)

    def _followed(self, answer: Answer, before: str = "") -> Answer:
        for _ in range(MOST):
            if answer.status not in REDIRECTS or (before and answer.headers["location"].startswith(before)):
                return answer
            answer = self._ask(urljoin(self.seen[-1], answer.headers["location"]), headers={})
        raise AssertionError(f"no end: {self.seen}")

    def _ask(self, url: str, *, headers: Mapping[str, str], method: str = "GET", body: bytes = b"") -> Answer:
        parts, home = urlsplit(url), urlsplit(self.address)
        assert (parts.scheme, parts.netloc) == (home.scheme, home.netloc), f"sent elsewhere: {url}"
        self.seen.append(url)
        shown = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {"accept": "text/html", **({"cookie": shown} if shown else {}), **headers}
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        answer = self.door.get(path or "/", host=parts.netloc, known=False, headers=sent, method=method, body=body)
        for each in answer.cookies:
            self._keep(each)
        return answer

    def _keep(self, line: str) -> None:
        for name, each in SimpleCookie(line).items():
            if each.value and each["max-age"] != "0":
                self.cookies[name] = each.value
            else:
                self.cookies.pop(name, None)
