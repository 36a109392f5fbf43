"""The page: a bundle built from `web/` by vite, shipped with the package."""

from __future__ import annotations

from pathlib import Path

BUNDLE = Path(__file__).parent / "bundle"
"""`index.html` and `assets/`; made by `npm ci && npm run build` in `web/`."""
