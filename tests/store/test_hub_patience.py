import pytest
from huggingface_hub.errors import HfHubHTTPError

from hinterguesser.errors import UserError
from hinterguesser.store import hub_errors
from hinterguesser.store.hub_patience import Patience


class Answer:
    """As much of an HTTP response as an error keeps."""

    def __init__(self, status_code, **headers):
        self.status_code = status_code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.request = None


def refusal(status, said="", **headers):
    return HfHubHTTPError("no", response=Answer(status, **headers), server_message=said)


def waited(error, until=99):
    """Waits before a step that fails with `error` so many times gives up, and whether it gave up."""
    waits, tries = [], []

    def step():
        tries.append(1)
        if len(tries) <= until:
            raise error

    try:
        Patience(waits.append).call(step)
    except type(error):
        return waits, True
    return waits, False


def test_a_limit_is_waited_out_as_long_as_the_hub_asks():
    assert waited(refusal(429, Retry_After="7"), until=2) == ([7.0, 7.0], False)
    assert waited(refusal(429, RateLimit='"api";r=0;t=55'), until=1) == ([55.0], False)
    assert waited(refusal(429, RateLimit='"api";r=12;t=55'), until=1) == ([0.0], False)


def test_a_wait_that_is_too_long_is_left_to_the_user():
    assert waited(refusal(429, Retry_After="7200")) == ([], True)


def test_a_problem_that_lasts_is_given_up_and_sooner_where_nobody_answers():
    assert waited(refusal(503)) == ([0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0], True)
    assert waited(ConnectionResetError("cut")) == ([0.0, 1.0, 2.0], True)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_is_not_tried_again(status):
    assert waited(refusal(status)) == ([], True)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (refusal(401), "log in with `hf auth login`, or set HF_TOKEN"),
        (refusal(403, "token hf_abcdefghijk is read only"), "HTTP 403: token [hidden] is read only"),
        (refusal(404), "no such dataset or revision"),
        (refusal(409), "in conflict"),
        (refusal(429), "wait some minutes"),
        (refusal(418, "Authorization: Bearer abcdef"), "HTTP 418: Authorization: [hidden]"),
        (refusal(500), "a problem of its own (HTTP 500)"),
        (ConnectionResetError("reset by peer"), "the connection to the Hub broke (reset by peer)"),
        (ValueError("no JSON"), "the Hub's answer is of no use: no JSON"),
    ],
)
def test_what_the_hub_says_becomes_one_message_with_a_way_out_and_no_token(error, said):
    with pytest.raises(UserError) as caught, hub_errors.saying_what_the_hub_said("ada/hints", "read"):
        raise error
    message = str(caught.value)
    assert message.startswith("ada/hints: cannot read it: ")
    assert said in message
    assert "hf_abc" not in message
    assert "abcdef" not in message


def test_a_status_is_found_behind_a_wrapped_error():
    with pytest.raises(RuntimeError) as caught:
        raise RuntimeError("upload") from refusal(403)
    assert hub_errors.status_of(caught.value) == 403
