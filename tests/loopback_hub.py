"""A small Hub on the loopback interface: real HTTP, spoken to by the real huggingface_hub and datasets clients.

    with LoopbackHub() as hub:
        ... run a subprocess with hub.environment(home) ...
        hub.repos["ada/hints"].newest

It keeps datasets with commits and tags, a store of large files, and who may write. `hub.fail(...)` makes it misbehave.
"""

import base64
import hashlib
import json
import re
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "hf_loopback0write0token"
READ_ONLY = "hf_loopback0read0token"


@dataclass(frozen=True)
class File:
    content: bytes
    large: bool

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def git_sha(self) -> str:
        body = self.pointer if self.large else self.content
        return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()

    @property
    def pointer(self) -> bytes:
        return f"version https://git-lfs\noid sha256:{self.sha256}\nsize {len(self.content)}\n".encode()

    @property
    def etag(self) -> str:
        return self.sha256 if self.large else self.git_sha


@dataclass
class Commit:
    oid: str
    message: str
    files: dict[str, File]


@dataclass
class Repo:
    private: bool
    commits: list[Commit]
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def newest(self) -> dict[str, File]:
        return self.commits[-1].files

    def at(self, revision: str) -> Commit | None:
        oid = self.commits[-1].oid if revision == "main" else self.tags.get(revision, revision)
        return next((commit for commit in self.commits if commit.oid == oid), None)

    def commit(self, message: str, files: dict[str, File]) -> Commit:
        oid = hashlib.sha1(f"{len(self.commits)} {message}".encode()).hexdigest()
        made = Commit(oid, message, files)
        self.commits.append(made)
        return made


@dataclass
class Failure:
    method: str
    path: re.Pattern[str]
    times: int
    status: int | None
    """None: the connection is cut."""
    headers: dict[str, str]
    message: str
    when: str
    """'before' anything is done, or 'after' it was, so that only the answer is lost."""
    first: Callable[[], object] | None


class LoopbackHub:
    """The running server."""

    def __init__(self) -> None:
        self.repos: dict[str, Repo] = {}
        self.large: dict[str, bytes] = {}
        self.requests: list[tuple[str, str]] = []
        """Method and path of each request."""
        self.received = 0
        """Bytes of large files that came."""
        self._failures: list[Failure] = []
        self.lock = threading.RLock()
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> "LoopbackHub":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def environment(self, home: Any, token: str | None = TOKEN) -> dict[str, str]:
        """Environment variables that send the clients here, and keep their caches in `home`."""
        return {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "NO_PROXY": "*",
            "no_proxy": "*",
            **({} if token is None else {"HF_TOKEN": token}),
        }

    def fail(
        self, method: str, path: str, *, status: int | None = None, times: int = 1, message: str = "no",
        when: str = "before", first: Callable[[], object] | None = None, **headers: str,
    ) -> None:  # fmt: skip
        """Let the next so many requests whose path has `path` in it (a pattern) fail; without a status, be cut."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._failures.append(Failure(method, re.compile(path), times, status, named, message, when, first))

    def just_before(self, method: str, path: str, action: Callable[[], object]) -> None:
        """Let `action` happen before the next such request, which then goes its way."""
        self._failures.append(Failure(method, re.compile(path), 1, 0, {}, "", "never", action))

    def failure(self, method: str, path: str) -> Failure | None:
        for failure in self._failures:
            if failure.times and failure.method == method and failure.path.search(path):
                failure.times -= 1
                return failure
        return None

    def count(self, method: str, path: str) -> int:
        return sum(1 for one, other in self.requests if one == method and re.search(path, other))


class _Handler(BaseHTTPRequestHandler):
    hub: LoopbackHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._answer()

    do_HEAD = do_POST = do_PUT = do_GET

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        body = self._body()
        with self.hub.lock:
            self.hub.requests.append((self.command, path))
            failure = self.hub.failure(self.command, path)
            if failure is not None and failure.first is not None:
                failure.first()
                if failure.when == "never":
                    failure = None
            if failure is not None and failure.when == "before":
                return self._fail(failure)
            for method, pattern, action in _ROUTES:
                found = re.fullmatch(pattern, path)
                if found and method == self.command.replace("HEAD", "GET"):
                    status, headers, content = action(self, body, **found.groupdict())
                    break
            else:
                status, headers, content = 404, {}, b'{"error": "no such page"}'
            return self._fail(failure) if failure is not None else self._send(status, headers, content)

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def _fail(self, failure: Failure) -> None:
        if failure.status is None:
            # A reset, not a polite goodbye: the client is in the middle of something.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        self._send(failure.status, failure.headers, json.dumps({"error": failure.message}).encode())

    def _send(self, status: int, headers: dict[str, str], content: bytes) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted and status == 200 and "Accept-Ranges" in headers:
            start, end = int(wanted[1]), min(int(wanted[2] or len(content) - 1), len(content) - 1)
            if start >= len(content):
                status, headers, content = 416, {"Content-Range": f"bytes */{len(content)}"}, b""
            else:
                headers = {**headers, "Content-Range": f"bytes {start}-{end}/{len(content)}"}
                status, content = 206, content[start : end + 1]
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers, "Content-Length": len(content)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            try:
                self.wfile.write(content)
            except OSError:
                self.close_connection = True

    # What the pages do: each gives a status, headers and content.

    def _refused(self, repo: str | None = None, *, write: bool = True) -> "Answer | None":
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        found = self.hub.repos.get(repo) if repo else None
        if token and token not in (TOKEN, READ_ONLY):
            return _json({"error": "Invalid username or password."}, 401)
        if repo and (found is None or (found.private and not token)):
            status = 404 if token else 401
            return _json({"error": "Repository not found"}, status, {"X-Error-Code": "RepoNotFound"})
        if write and token != TOKEN:
            return _json({"error": "You don't have the rights for this"}, 403 if token else 401)
        return None

    def create(self, body: bytes) -> "Answer":
        asked = json.loads(body)
        name = f"{asked['organization']}/{asked['name']}"
        refused = self._refused()
        if refused:
            return refused
        if name in self.hub.repos:
            return _json({"error": "You already created this dataset repo"}, 409)
        private = asked.get("private", asked.get("visibility") == "private")
        self.hub.repos[name] = Repo(private, [])
        self.hub.repos[name].commit("initial commit", {".gitattributes": File(b"*.parquet filter=lfs\n", large=False)})
        return _json({"url": f"{self.hub.url}/datasets/{name}", "name": name, "id": name})

    def validate(self, body: bytes) -> "Answer":
        bad = "---" not in json.loads(body)["content"]
        return _json({"errors": [{"message": "no metadata"}] if bad else [], "warnings": []}, 400 if bad else 200)

    def info(self, _: bytes, repo: str, revision: str = "main") -> "Answer":
        refused = self._refused(repo, write=False)
        if refused:
            return refused
        found = self.hub.repos[repo]
        commit = found.at(revision)
        if commit is None:
            return _json({"error": "Invalid rev id"}, 404, {"X-Error-Code": "RevisionNotFound"})
        siblings = [{"rfilename": name} for name in sorted(commit.files)]
        return _json({"id": repo, "sha": commit.oid, "private": found.private, "siblings": siblings, "tags": [],
                      "downloads": 0, "likes": 0, "gated": False, "disabled": False})  # fmt: skip

    def refs(self, _: bytes, repo: str) -> "Answer":
        refused = self._refused(repo, write=False)
        if refused:
            return refused
        found = self.hub.repos[repo]
        main = {"name": "main", "ref": "refs/heads/main", "targetCommit": found.commits[-1].oid}
        tags = [{"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": oid} for tag, oid in found.tags.items()]
        return _json({"branches": [main], "converts": [], "tags": tags})

    def tag(self, body: bytes, repo: str, revision: str) -> "Answer":
        refused = self._refused(repo)
        if refused:
            return refused
        found, tag = self.hub.repos[repo], json.loads(body)["tag"]
        commit = found.at(revision)
        if commit is None:
            return _json({"error": "Invalid rev id"}, 404, {"X-Error-Code": "RevisionNotFound"})
        if tag in found.tags:
            return _json({"error": "Tag reference exists already"}, 409)
        found.tags[tag] = commit.oid
        return _json({})

    def tree(self, _: bytes, repo: str, revision: str, folder: str | None = None) -> "Answer":
        refused = self._refused(repo, write=False)
        if refused:
            return refused
        commit = self.hub.repos[repo].at(revision)
        if commit is None:
            return _json({"error": "Invalid rev id"}, 404, {"X-Error-Code": "RevisionNotFound"})
        start = f"{folder}/" if folder else ""
        inside = {name: file for name, file in commit.files.items() if name.startswith(start)}
        if folder and not inside:
            return _json({"error": "Entry not found"}, 404, {"X-Error-Code": "EntryNotFound"})
        deep = parse_qs(urlsplit(self.path).query).get("recursive", ["false"])[0].lower() in ("true", "1")
        return _json(_listed(inside, start, deep))

    def paths(self, body: bytes, repo: str, revision: str) -> "Answer":
        refused = self._refused(repo, write=False)
        if refused:
            return refused
        commit = self.hub.repos[repo].at(revision)
        if commit is None:
            return _json({"error": "Invalid rev id"}, 404, {"X-Error-Code": "RevisionNotFound"})
        text = body.decode()
        asked = json.loads(text)["paths"] if text.startswith("{") else parse_qs(text).get("paths", [])
        rows = [_entry(name, commit.files[name]) for name in asked if name in commit.files]
        folders = {name for name in asked if any(path.startswith(f"{name}/") for path in commit.files)}
        return _json(rows + [_folder(name) for name in sorted(folders)])

    def preupload(self, body: bytes, repo: str, revision: str) -> "Answer":
        refused = self._refused(repo)
        if refused:
            return refused
        there = self.hub.repos[repo].newest
        rows = []
        for asked in json.loads(body)["files"]:
            name = asked["path"]
            mode = "lfs" if name.endswith(".parquet") else "regular"
            known = {"oid": there[name].etag} if name in there else {}
            rows.append({"path": name, "uploadMode": mode, "shouldIgnore": False, **known})
        return _json({"files": rows})

    def batch(self, body: bytes, repo: str) -> "Answer":
        refused = self._refused(repo)
        if refused:
            return refused
        rows = []
        for asked in json.loads(body)["objects"]:
            actions = {"upload": {"href": f"{self.hub.url}/large/{asked['oid']}"}}
            there = asked["oid"] in self.hub.large
            rows.append({**asked, **({} if there else {"actions": actions})})
        return _json({"transfer": "basic", "objects": rows})

    def upload(self, body: bytes, oid: str) -> "Answer":
        if hashlib.sha256(body).hexdigest() != oid:
            return _json({"error": "not what was announced"}, 400)
        self.hub.received += len(body)
        self.hub.large[oid] = body
        return _json({})

    def commit(self, body: bytes, repo: str, revision: str) -> "Answer":
        refused = self._refused(repo)
        if refused:
            return refused
        found = self.hub.repos[repo]
        lines = [json.loads(line) for line in body.splitlines()]
        parent = lines[0]["value"].get("parentCommit")
        if parent not in (None, found.commits[-1].oid):
            return _json({"error": "A commit has happened since. Please refresh and try again."}, 412)
        files = dict(found.newest)
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = File(base64.b64decode(value["content"]), large=False)
            elif line["key"] == "lfsFile":
                if value["oid"] not in self.hub.large:
                    return _json({"error": "lfs object is missing"}, 400)
                files[value["path"]] = File(self.hub.large[value["oid"]], large=True)
            else:
                del files[value["path"]]
        made = found.commit(lines[0]["value"]["summary"], files)
        return _json({"commitUrl": f"{self.hub.url}/datasets/{repo}/commit/{made.oid}", "commitOid": made.oid})

    def resolve(self, _: bytes, repo: str, revision: str, name: str) -> "Answer":
        refused = self._refused(repo, write=False)
        if refused:
            return refused
        commit = self.hub.repos[repo].at(revision)
        if commit is None:
            return _json({"error": "Invalid rev id"}, 404, {"X-Error-Code": "RevisionNotFound"})
        file = commit.files.get(name)
        if file is None:
            headers = {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit.oid}
            return _json({"error": "Entry not found"}, 404, headers)
        headers = {"ETag": f'"{file.etag}"', "X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes",
                   "Content-Type": "application/octet-stream"}  # fmt: skip
        return 200, headers, file.content


Answer = tuple[int, dict[str, str], bytes]


def _json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Answer:
    told = {"X-Error-Message": value["error"]} if isinstance(value, dict) and "error" in value else {}
    return status, {**told, **(headers or {})}, json.dumps(value).encode()


def _entry(name: str, file: File) -> dict[str, Any]:
    large = {"lfs": {"oid": file.sha256, "size": len(file.content), "pointerSize": len(file.pointer)}}
    return {"type": "file", "path": name, "size": len(file.content), "oid": file.git_sha,
            **(large if file.large else {})}  # fmt: skip


def _folder(name: str) -> dict[str, Any]:
    return {"type": "directory", "path": name, "size": 0, "oid": hashlib.sha1(name.encode()).hexdigest()}


def _listed(files: dict[str, File], start: str, deep: bool) -> list[dict[str, Any]]:
    """The entries below `start`, folders and all; only the first level unless `deep`."""
    rows: dict[str, dict[str, Any]] = {}
    for name, file in sorted(files.items()):
        parts = name.removeprefix(start).split("/")
        for depth in range(1, len(parts)):
            if deep or depth == 1:
                folder = start + "/".join(parts[:depth])
                rows.setdefault(folder, _folder(folder))
        if deep or len(parts) == 1:
            rows[name] = _entry(name, file)
    return list(rows.values())


_R = r"(?P<repo>[^/]+/[^/]+)"
_ROUTES: list[tuple[str, str, Callable[..., Answer]]] = [
    ("POST", r"/api/repos/create", _Handler.create),
    ("POST", r"/api/validate-yaml", _Handler.validate),
    ("GET", rf"/api/datasets/{_R}", _Handler.info),
    ("GET", rf"/api/datasets/{_R}/revision/(?P<revision>.+)", _Handler.info),
    ("GET", rf"/api/datasets/{_R}/refs", _Handler.refs),
    ("POST", rf"/api/datasets/{_R}/tag/(?P<revision>.+)", _Handler.tag),
    ("GET", rf"/api/datasets/{_R}/tree/(?P<revision>[^/]+)(?:/(?P<folder>.+))?", _Handler.tree),
    ("POST", rf"/api/datasets/{_R}/paths-info/(?P<revision>.+)", _Handler.paths),
    ("POST", rf"/api/datasets/{_R}/preupload/(?P<revision>.+)", _Handler.preupload),
    ("POST", rf"/datasets/{_R}\.git/info/lfs/objects/batch", _Handler.batch),
    ("PUT", r"/large/(?P<oid>[0-9a-f]{64})", _Handler.upload),
    ("POST", rf"/api/datasets/{_R}/commit/(?P<revision>.+)", _Handler.commit),
    ("GET", rf"/datasets/{_R}/resolve/(?P<revision>[^/]+)/(?P<name>.+)", _Handler.resolve),
]
