"""Data inside a page: gzip in base64, in elements of a type that no browser runs."""

import base64
import gzip


def packed(data: bytes) -> str:
    """`data` packed; the same bytes each time."""
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


def holding(name: str, text: str) -> str:
    """An inert element with the id `name` that holds packed data."""
    return f'<script type="application/octet-stream" id="{name}">{text}</script>\n'
