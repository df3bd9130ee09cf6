"""Which hosts may be asked: public addresses only, unless private ones are allowed (SSRF)."""

from __future__ import annotations

import ipaddress
import socket

from podcast_scraper.errors import IngestError


def is_public(address: str) -> bool:
    """Tell whether an IP address is reachable by everybody.

    IPv4 addresses inside IPv6 ones (mapped, 6to4, Teredo, NAT64) are judged themselves.
    """
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if ip in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast


def resolve(host: str, port: int, allow_private: bool = False) -> list[tuple[str, int]]:
    """Return the (address, port) pairs of a host, or raise where one of them is not public.

    The connection is made to a returned address, so that a second look-up cannot give another.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise IngestError(f"The host {host} is not known.", subject=host) from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not allow_private and not all(map(is_public, addresses)):
        raise IngestError(
            f"The host {host} has a private address and is not asked.",
            mend="Allow it with --allow-private if the feed is on your own network.",
            subject=host,
        )
    return [(address, port) for address in addresses]
