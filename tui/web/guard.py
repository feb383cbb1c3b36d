"""Who may open the page: this machine's own pages, and elsewhere only who has the token.

Any web page that a browser shows may send requests to the loopback address, and open websockets
there.  So the host that a request names, and the page that it comes from, must be ours: the first
keeps out names that were made to point here (DNS rebinding), the second pages of other sites.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

_COOKIE: Final = "deltadeck"


@dataclass(frozen=True, slots=True)
class Guard:
    """`token` is asked for unless it is empty; `host` is the name or address that is bound."""

    host: str
    token: str

    def refusal(self, request: web.Request) -> str:
        """Why a request is not answered, as a sentence; empty where it is."""
        named = hostname(request.host)
        if is_loopback(self.host) and not is_loopback(named):
            return f"This page answers as localhost only, not as {named!r}."
        origin = request.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != request.host:
            return "Another page asked for this: deltadeck answers its own pages only."
        if self.token and not self._knows(request):
            return "The token is missing or wrong: open the address that `deltadeck serve` printed."
        return ""

    def _knows(self, request: web.Request) -> bool:
        given = (request.query.get("token", ""), request.cookies.get(_COOKIE, ""))
        wanted = self.token.encode()
        return any(secrets.compare_digest(one.encode(), wanted) for one in given)


def middleware(guard: Guard) -> Middleware:
    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        refusal = guard.refusal(request)
        if refusal:
            return web.Response(status=403, text=f"{refusal}\n")
        if guard.token and request.path == "/" and "token" in request.query:
            # Out of the address bar, the history and the links that others see.
            kept = web.HTTPFound(request.rel_url.without_query_params("token"))
            kept.set_cookie(_COOKIE, guard.token, httponly=True, samesite="Strict")
            raise kept
        answer = await handler(request)
        if not answer.prepared:
            _harden(answer, request.host)
        return answer

    return guarded


def _harden(answer: web.StreamResponse, host: str) -> None:
    """The page fetches from here alone, and stands in no frame of another.

    `host` is the one asked for, which was found to be ours: not every browser takes 'self' for
    websockets too.
    """
    answer.headers["Content-Security-Policy"] = (
        f"default-src 'self' data:; connect-src 'self' ws://{host} wss://{host}; "
        "frame-ancestors 'none'; "
        "script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'"
    )
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Referrer-Policy"] = "no-referrer"


def hostname(netloc: str) -> str:
    """The name or address in `host:port`, without the brackets of an IPv6 address."""
    return urlsplit(f"//{netloc}").hostname or ""


def is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
