"""A chat-completions server for benchmarks: answers everything after a fixed time, with as little work as possible.

    python benchmarks/loopback_server.py LATENCY_SECONDS [play]      prints its port, then serves until it is killed

With `play` the answers make a game that never ends early: the Hinter's hint is new each time, the guess always wrong.

One protocol object a connection and no HTTP library, so that the machine's cores are left to the client under test.
"""

import asyncio
import gc
import sys

BODY = (
    b'{"id":"chatcmpl-1","object":"chat.completion","created":0,"model":"m","choices":[{"index":0,"message":'
    b'{"role":"assistant","content":"{\\"question\\": \\"Is it found in a kitchen?\\", \\"answer\\": \\"Yes\\"}"},'
    b'"logprobs":null,"finish_reason":"stop"}],'
    b'"usage":{"prompt_tokens":200,"completion_tokens":20,"total_tokens":220}}'
)
QUESTION = b"Is it found in a kitchen?"
GUESS = BODY.replace(
    b'{\\"question\\": \\"Is it found in a kitchen?\\", \\"answer\\": \\"Yes\\"}',
    b'{\\"guess\\": \\"Nothing\\", \\"unique\\": false, \\"alternatives\\": [\\"One other\\"]}',
)


def answer(body: bytes) -> bytes:
    """A whole HTTP answer with this body."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


class Connection(asyncio.Protocol):
    """One keep-alive connection."""

    latency_seconds = 0.0
    plays = False
    hints = 0
    plain = answer(BODY)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin with nothing read."""
        self.transport = transport
        self.loop = asyncio.get_running_loop()
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        """Answer each whole request after the fixed time."""
        self.buffer += data
        while True:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self.buffer[:end].lower()
            at = head.find(b"content-length:")
            length = (
                int(head[at + 15 : head.find(b"\r\n", at) if head.find(b"\r\n", at) > 0 else None]) if at >= 0 else 0
            )
            if len(self.buffer) < end + 4 + length:
                return
            said = self.plain if not self.plays else self.move(self.buffer[end : end + 4 + length])
            self.buffer = self.buffer[end + 4 + length :]
            self.loop.call_later(self.latency_seconds, self.send, said)

    def move(self, request: bytes) -> bytes:
        """The answer of the player that is asked."""
        if b"You are the Hinter" not in request:
            return answer(GUESS)
        Connection.hints += 1
        return answer(BODY.replace(QUESTION, b"Is it filed on page %d?" % Connection.hints))

    def send(self, said: bytes) -> None:
        """Send an answer, if anybody still listens."""
        if not self.transport.is_closing():
            self.transport.write(said)


async def serve(latency_seconds: float, plays: bool) -> None:
    """Serve until killed."""
    Connection.plays = plays
    Connection.latency_seconds = latency_seconds
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    gc.disable()
    asyncio.run(serve(float(sys.argv[1]), "play" in sys.argv[2:]))
