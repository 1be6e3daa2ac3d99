"""Zip archives, read in memory: nothing is ever unpacked to disk, so nothing can land outside a folder."""

import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from hinterguesser.errors import UserError

MAX_MEMBERS = 10_000
MAX_MEMBER_BYTES = 100_000_000
MAX_TOTAL_BYTES = 200_000_000
MAX_RATIO = 500
"""How many times larger than its packed form a member may be; text packs 3 to 20 times."""

_ENCRYPTED = 0x1


def read_members(path: Path, wanted: Callable[[str], bool], password: str | None = None) -> dict[str, bytes]:
    """The content of the archive's members whose file name is `wanted`, by their name in the archive.

    Raises:
        UserError: the archive is no zip or cut off, wants a password or another one, holds a name that leads outside,
            or unpacks to more than the limits; the text never holds the password.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            _check(path, members)
            chosen = [member for member in members if wanted(PurePosixPath(member.filename).name)]
            _check_sizes(path, chosen)
            return {member.filename: _read(path, archive, member, password) for member in chosen}
    except PermissionError:
        raise UserError(f"{path}: no permission to read it; change its permissions or copy it") from None
    except (zipfile.BadZipFile, EOFError, ValueError) as error:
        raise UserError(f"{path}: no zip archive, or cut off ({error}); download it again") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}; download it again") from None


def _check(path: Path, members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MAX_MEMBERS:
        raise UserError(f"{path}: {len(members):,} members in the archive, at most {MAX_MEMBERS:,} are allowed")
    if len({member.filename for member in members}) < len(members):
        raise UserError(f"{path}: two members of the archive have the same name; this is not the published file")
    for member in members:
        name = member.orig_filename.replace("\\", "/")
        if name.startswith("/") or ".." in name.split("/") or "\x00" in name or name[1:2] == ":":
            raise UserError(
                f"{path}: the member {name[:80]!r} leads outside of the archive; this is not the published file"
            )


def _check_sizes(path: Path, members: list[zipfile.ZipInfo]) -> None:
    total = sum(member.file_size for member in members)
    for member in members:
        ratio = member.file_size / max(member.compress_size, 1)
        small = member.file_size <= 1_000_000
        if member.file_size > MAX_MEMBER_BYTES or total > MAX_TOTAL_BYTES or (ratio > MAX_RATIO and not small):
            raise UserError(
                f"{path}: the member {member.filename[:80]!r} unpacks to {member.file_size:,} bytes, all together to "
                f"{total:,}: too much to be a question packet; this is not the published file"
            )


def _read(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo, password: str | None) -> bytes:
    encrypted = bool(member.flag_bits & _ENCRYPTED)
    if encrypted and not password:
        raise UserError(f"{path}: the archive is encrypted; give the password that its README names with --password")
    try:
        # zipfile never unpacks more than the announced size, which was checked before.
        return archive.read(member, pwd=password.encode() if encrypted and password else None)
    except NotImplementedError:
        raise UserError(
            f"{path}: {member.filename[:80]!r} is packed in a way that this program cannot read; unpack the archive "
            "with another tool and give the folder"
        ) from None
    except (RuntimeError, zlib.error, zipfile.BadZipFile, EOFError, UnicodeEncodeError):
        problem = "the password is wrong, or the archive is damaged" if encrypted else "the archive is damaged"
        way_out = "check --password" if encrypted else "download it again"
        raise UserError(f"{path}: {member.filename[:80]!r} cannot be read: {problem}; {way_out}") from None
