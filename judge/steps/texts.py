"""Yields the text of a file that people saved: UTF-8, UTF-16 or a Chinese code page."""

import codecs

from judge.domain.errors import InputError

_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def decode(data: bytes, name: str) -> str:
    """Text of a spreadsheet's file: by its byte order mark, else UTF-8, else GB18030 (Chinese Windows).

    Raises:
        InputError: none of them.
    """
    encodings = [next((encoding for mark, encoding in _BOMS if data.startswith(mark)), "utf-8"), "gb18030"]
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InputError(name, "the bytes are neither UTF-8, UTF-16 nor GB18030", "a text table", "save it as CSV UTF-8")
