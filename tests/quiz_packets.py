"""Question packets as GRACE publishes them, with made-up questions: as files, and as the encrypted zip."""

import json
import struct
import zlib
from pathlib import Path

PASSWORD = "fogfog"
CLUES = [
    "A tale by J. R. Quill (“KWILL”) is set in one of these places, in St. Ives.",
    "One of these places is “kept” by Wren in a 1902 play.",
    "For 10 points, name these towers with lamps that warn ships.",
]


def tossup(index: object = 7, **other: object) -> dict[str, object]:
    return {
        "tossup_index": index,
        "category": "Literature",
        "question": " ".join(CLUES),
        "answer": "lighthouse [or light tower; accept beacon until “lamps” is read; prompt on tower; reject lightship]",
        "question_buzzpoints": "not read",
        "position": [{"3": "[H2, -]"}, {"17": "[M1, +]"}, {"37": "[H12, +]"}],
        **other,
    }


def packets() -> dict[str, object]:
    return {
        "packet1_buzzpoints.json": [tossup("exh-1"), tossup("exh-2", question="One clue. Two clues.")],
        "packet3_buzzpoints.json": [tossup(128)],
        "packet10_buzzpoints.json": [tossup(128, question="Another question, longer. It has two clues.")],
    }


def folder(path: Path, files: dict[str, object]) -> Path:
    inner = path / "[public]buzzpoints"
    inner.mkdir(parents=True)
    for name, records in files.items():
        (inner / name).write_text(json.dumps(records), encoding="utf-8")
    return path


class _Cipher:
    """The keystream of the traditional zip encryption, for writing: the standard library only reads it."""

    def __init__(self, password: bytes) -> None:
        self.keys = [0x12345678, 0x23456789, 0x34567890]
        for byte in password:
            self._update(byte)

    def _update(self, byte: int) -> None:
        first, second, third = self.keys
        first = self._crc(first, byte)
        second = ((second + (first & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        self.keys = [first, second, self._crc(third, second >> 24)]

    @staticmethod
    def _crc(crc: int, byte: int) -> int:
        return (zlib.crc32(bytes([byte]), crc ^ 0xFFFFFFFF) ^ 0xFFFFFFFF) & 0xFFFFFFFF

    def encrypt(self, plain: bytes) -> bytes:
        out = bytearray()
        for byte in plain:
            mixed = (self.keys[2] | 2) & 0xFFFF
            out.append(byte ^ ((mixed * (mixed ^ 1)) >> 8) & 0xFF)
            self._update(byte)
        return bytes(out)


def encrypted_zip(path: Path, members: dict[str, bytes], password: str = PASSWORD) -> Path:
    body, directory = b"", b""
    for name, content in members.items():
        packer = zlib.compressobj(wbits=-15)
        crc = zlib.crc32(content)
        packed = _Cipher(password.encode()).encrypt(
            b"elevenbytes" + bytes([crc >> 24]) + packer.compress(content) + packer.flush()
        )
        raw = name.encode()
        common = struct.pack("<HHHHHLLLHH", 20, 0x801, 8, 0, 33, crc, len(packed), len(content), len(raw), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHLL", 0, 0, 0, 0, len(body)) + raw
        body += b"PK\x03\x04" + common + raw + packed
    end = struct.pack("<HHHHLLH", 0, 0, len(members), len(members), len(directory), len(body), 0)
    path.write_bytes(body + directory + b"PK\x05\x06" + end)
    return path


def published_zip(path: Path, files: dict[str, object] | None = None) -> Path:
    members = {f"[public]x/{name}": json.dumps(rows).encode() for name, rows in (files or packets()).items()}
    return encrypted_zip(path, members)
