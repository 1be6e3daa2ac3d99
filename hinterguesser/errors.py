"""The whole failure model, in one page.

Three things can go wrong, and each has one shape.

* **The user's input is at fault** (a file, a flag, a model name, a missing extra): `UserError`. Raised anywhere,
  caught once by the command line: one message, exit status 2, nothing half-written.
* **A call to a model failed for good** (after all retries): `CallFailed`. The driver ends that one script with it and
  goes on with the others; the command ends with exit status 3 and lists them, and the next run tries them again.
* **The run must stop as a whole** (a budget is used up, nothing gets through any more): `RunStopped`. What is in flight
  is finished and kept; the command says why and how to go on.

What a model *says* is never an error: a reply that cannot be read is data (`domain.estimate.Unscored`, a dialogue's
`outcome`), kept with its raw text. Anything else that is raised is a bug, and shows its traceback with exit status 1.
"""


class UserError(Exception):
    """The user's input is at fault; the text names what, where, and the way out."""


class CallFailed(Exception):
    """One call got no usable reply, after all retries."""

    def __init__(self, reason: str, *, text: str = "", finish_reason: str | None = None) -> None:
        """Keep the reason (one line), and whatever text and finish reason the model gave."""
        super().__init__(reason)
        self.reason = reason
        self.text = text
        self.finish_reason = finish_reason


class RunStopped(Exception):
    """The run stops as a whole, with all finished work kept; the text says why and how to go on."""
