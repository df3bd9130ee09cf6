"""Bytes to text: every byte string decodes, and a wrong charset is repaired byte by byte."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from podcast_scraper.ingest.transcripts.records import RepairLog

_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE: Final = 4096
_HANDLER: Final = "podcast_scraper.windows_1252"


def _as_windows_1252(error: UnicodeError) -> tuple[str, int]:
    """Read the bytes that are not UTF-8 as Windows-1252 (ISO 8859-1 where that has no character).

    Mixed files are common: one editor's smart quotes inside another's UTF-8.
    """
    assert isinstance(error, UnicodeDecodeError)
    bad = error.object[error.start : error.end]
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in bad), error.end


codecs.register_error(_HANDLER, _as_windows_1252)


def decode(data: bytes, log: RepairLog) -> str:
    """Return the text of ``data`` with newlines as ``\\n`` and without BOM and NUL characters."""
    encoding = None
    for bom, name in _BOMS:
        if data.startswith(bom):
            data, encoding = data[len(bom) :], name
            break
    encoding = encoding or _wide_encoding(data) or "utf-8"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        log.guessed("charset")
        text = data.decode(*(("utf-8", _HANDLER) if encoding == "utf-8" else (encoding, "ignore")))
    if "\x00" in text:
        log.dropped("NUL characters", count=text.count("\x00"))
        text = text.replace("\x00", "")
    return text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")


def _wide_encoding(data: bytes) -> str | None:
    """Recognise UTF-16 without BOM: in Latin text every other byte is NUL."""
    sample = data[:_SAMPLE]
    half = len(sample) // 2
    if half < 4:
        return None
    if sample[1::2].count(0) > 0.7 * half and sample[::2].count(0) < 0.1 * half:
        return "utf-16-le"
    if sample[::2].count(0) > 0.7 * half and sample[1::2].count(0) < 0.1 * half:
        return "utf-16-be"
    return None
