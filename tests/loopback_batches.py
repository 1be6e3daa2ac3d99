"""A scripted batch API for `Loopback`: files, batches, and their results, as OpenAI's answers look.

    batches = Batches(TableTalk())
    with Loopback(batches) as server: ...

Each line of a batch is answered by the script that would answer an ordinary request; a `Response` with another status
than 200 becomes a line of the error file. A batch ends as soon as it is looked at, unless it is held.
"""

import threading
from collections.abc import Callable
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any

import orjson
from loopback import Request, Response

Ended = tuple[str, int | None]


class Batches:
    """Answers the endpoints of files and batches; anything else is an ordinary request, counted in `ordinary`."""

    def __init__(self, script: Callable[[Request], dict[str, Any] | Response]) -> None:
        self._script = script
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.lines: list[tuple[str, dict[str, Any]]] = []
        """Batch and body of each line that was submitted."""
        self.ordinary = 0
        self.held = threading.Event()
        """While set, no batch ends."""
        self.ending: Callable[[int], Ended] = lambda number: ("completed", None)
        """By the batch's number, from 1: its status at the end, and how many of its lines were done (None: all)."""
        self.before: Callable[[Request], Response | None] = lambda request: None
        """May answer a request in place of the API."""
        self.after: Callable[[Request, Any], Any] = lambda request, answer: answer
        """May change the API's answer, after it did what it was asked."""

    def __call__(self, request: Request) -> Any:
        answer = self.before(request)
        return self.after(request, self._answer(request)) if answer is None else answer

    def _answer(self, request: Request) -> Any:
        _, _, *parts = request.path.split("/")
        if parts == ["files"]:
            return self._upload(request)
        if parts[0] == "files":
            return Response(self.files[parts[1]], content_type="application/jsonl")
        if parts == ["batches"] and request.method == "POST":
            return self._create(request.body)
        if parts == ["batches"]:
            newest_first = list(reversed(self.batches.values()))
            return {"object": "list", "data": newest_first, "has_more": False}
        if parts[0] == "batches":
            return self._look(parts[1])
        self.ordinary += 1
        return self._script(request)

    def _upload(self, request: Request) -> dict[str, Any]:
        head = f"Content-Type: {request.headers['Content-Type']}\r\n\r\n".encode()
        fields = {
            part.get_param("name", header="content-disposition"): part.get_payload(decode=True)
            for part in BytesParser(policy=HTTP).parsebytes(head + request.raw).iter_parts()
        }
        assert fields["purpose"] == b"batch"
        return self._keep(fields["file"])

    def _keep(self, content: bytes) -> dict[str, Any]:
        name = f"file-{len(self.files) + 1}"
        self.files[name] = content
        return {"id": name, "object": "file", "bytes": len(content), "purpose": "batch", "status": "processed"}

    def _create(self, asked: dict[str, Any]) -> dict[str, Any]:
        number = len(self.batches) + 1
        name = f"batch_{number}"
        wanted = list(map(orjson.loads, self.files[asked["input_file_id"]].splitlines()))
        assert len({line["custom_id"] for line in wanted}) == len(wanted) > 0
        assert {line["url"] for line in wanted} == {asked["endpoint"]}
        assert len({line["body"]["model"] for line in wanted}) == 1
        self.lines += [(name, line["body"]) for line in wanted]
        self.batches[name] = {
            "id": name, "object": "batch", "status": "validating", "created_at": number,
            "completion_window": asked["completion_window"], "endpoint": asked["endpoint"],
            "input_file_id": asked["input_file_id"], "output_file_id": None, "error_file_id": None, "errors": None,
        }  # fmt: skip
        return self.batches[name]

    def _look(self, name: str) -> dict[str, Any] | Response:
        batch = self.batches.get(name)
        if batch is None:
            return Response({"error": {"message": f"No batch {name}"}}, status=404)
        if batch["status"] == "validating" and not self.held.is_set():
            status, done = self.ending(int(name.partition("_")[2]))
            wanted = list(map(orjson.loads, self.files[batch["input_file_id"]].splitlines()))
            well, badly = self._results(wanted, len(wanted) if done is None else done, status)
            batch["status"] = status
            batch["output_file_id"] = self._keep(b"".join(well))["id"] if well else None
            batch["error_file_id"] = self._keep(b"".join(badly))["id"] if badly else None
        return batch

    def _results(self, wanted: list[dict[str, Any]], done: int, status: str) -> tuple[list[bytes], list[bytes]]:
        well: list[bytes] = []
        badly: list[bytes] = []
        for at, line in enumerate(wanted):
            plain: dict[str, Any] = {
                "id": f"line_{at}",
                "custom_id": line["custom_id"],
                "response": None,
                "error": None,
            }
            if at >= done:
                if status == "failed":
                    continue
                plain["error"] = {"code": f"batch_{status}", "message": f"This request was {status}."}
            else:
                raw = orjson.dumps(line["body"])
                answer = self._script(Request(0, line["url"], {}, line["body"], raw))
                answer = answer if isinstance(answer, Response) else Response(answer)
                plain["response"] = {"status_code": answer.status, "request_id": "x", "body": answer.body}
            went_well = plain["response"] is not None and plain["response"]["status_code"] == 200
            (well if went_well else badly).append(orjson.dumps(plain) + b"\n")
        # In no order at all, as the real ones are.
        return well[::-1], badly
