"""The page at `/`: files of the shipped bundle, under a strict Content-Security-Policy.

What is remembered may be hostile. The page puts it into text nodes alone, and the policy sees to it
that nothing else could run: scripts and styles come from this server's files, nothing is inline.
"""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import FileResponse
from starlette.responses import Response

from mags.errors import NotFound
from mags.web import BUNDLE

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
YEAR_S = 31_536_000

router = APIRouter(include_in_schema=False)


@router.get("/")
def page() -> Response:
    """The page."""
    return _file("", "index.html", {"Cache-Control": "no-cache"})


@router.get("/assets/{name}")
def asset(name: str) -> Response:
    """A file of the bundle; its name changes with its content, so it may be kept for long."""
    return _file("assets", name, {"Cache-Control": f"public, max-age={YEAR_S}, immutable"})


def _file(folder: str, name: str, headers: dict[str, str]) -> Response:
    # Looked up among what is there: no name that was sent ever becomes a path.
    path = next((one for one in (BUNDLE / folder).glob("*") if one.name == name), None)
    if path is None or not path.is_file():
        raise NotFound(f"there is no {name}: `npm ci && npm run build` in web/ makes the page")
    return FileResponse(path, headers={**HEADERS, **headers})
