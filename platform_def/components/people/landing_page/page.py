"""The page itself: one file of HTML with no script and nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from platform_def.capabilities import WebLink

STYLE = """
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
body { margin: 0 auto; max-width: 46rem; padding: 2rem 1rem }
h1 { font-size: 1.75rem; margin: 0 0 .25rem }
h2 { font-size: 1rem; margin: 2rem 0 .5rem }
ul { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); padding: 0 }
li { list-style: none }
li a { border: 1px solid GrayText; border-radius: .5rem; display: block; padding: .75rem 1rem }
li a:focus-visible, li a:hover { border-color: LinkText; outline: 2px solid LinkText }
""".strip()
HEADINGS: Mapping[str, str] = {"menu": "", "external": "Elsewhere", "documentation": "Documentation"}
"""Headings of the groups that links have, in their order."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(title: str, text: str, links: Sequence[WebLink]) -> str:
    """The page; links of a group are sorted by what they are called."""
    lists = [_list(HEADINGS[group], [each for each in links if each.group == group]) for group in HEADINGS]
    body = "\n".join(filter(None, lists)) or "<p>No component of the platform has pages yet.</p>"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">
<title>{escape(title)}</title>
<style>
{STYLE}
</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p>{escape(text)}</p>
<main>
{body}
</main>
</body>
</html>
"""


def _list(heading: str, links: Iterable[WebLink]) -> str:
    items = [
        f'<li><a href="{escape(each.path)}">{escape(each.text)}</a></li>'
        for each in sorted(links, key=lambda each: (each.text.lower(), each.path))
    ]
    head = f"<h2>{escape(heading)}</h2>\n" if heading else ""
    return head + "<ul>\n" + "\n".join(items) + "\n</ul>" if items else ""
