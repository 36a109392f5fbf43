"""The interface as it is written down, fuzzed by schemathesis: no 5xx, and what is promised comes.

What must name something (a memory, a node, a trace, a moment) names what is there most of the time:
else nearly all would be refused at the door, and nothing behind it be tried.

Needs the extra `fuzz`; run by `make test-full`. The long form, with more examples a route:
`FUZZ_EXAMPLES=300 python -m pytest -m full --log-cli-level=INFO tests/server/test_schemathesis.py`,
which also tells how many requests were made. `FUZZ_TIMEOUT_S`: how long an answer may take; a busy
machine needs more.
"""

import logging
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lab.tests.server.playing import GAMES, begin_game
from mags.ports.chat import ChatSettings
from mags.server.settings import ServerLimits
from mags.server.wire.openapi import EXPORTED, LINES
from mags.server.wire.requests import TRACE
from tests.models.chat.endpoint import Server, Step
from tests.server.asking import ALICE, DESTROYING, ENDLESS, MARK, fill
from tests.server.serving import EMBEDDER, Served, serving

schemathesis = pytest.importorskip("schemathesis", reason="needs the extra `fuzz`")

import requests  # noqa: E402 - schemathesis brings it
from schemathesis.specs.openapi import checks  # noqa: E402

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]

LOG = logging.getLogger(__name__)
UNLIMITED = ServerLimits(rate=1e6, burst=10**6)
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "25"))
TIMEOUT_S = float(os.environ.get("FUZZ_TIMEOUT_S", "120"))
FUZZ = settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
LEAST_SHARE = 0.75
"""Of all requests, how many succeed at least; without steering it is 0.15."""
PROMISED = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
GAME = "9c41e07ab2d85f36"
MOMENTS = ["2026-03-01T09:30:00Z", "2026-06-01", "1999-12-31T23:59:59-11:00", "2026-06-15"]
NODES = [1, 2, 3, 4, 5]
NAMES = ["Ana", "Porto", "Lisbon", "m3", "5"]
THERE: Mapping[str, list[Any]] = {
    "namespace": [ALICE],
    "branch": ["main"],
    "trace": [TRACE],
    "since": [MARK],
    "game": [GAME],
    **dict.fromkeys(("node_id", "src", "dst", "region"), NODES),
    **dict.fromkeys(("start", "end", "of", "subject"), NAMES),
    **dict.fromkeys(("at", "as_of", "recorded_as_of", "valid_from", "valid_to"), MOMENTS),
}
"""By the names of parameters and fields: values with which a request may well succeed."""
THERE_FOR: Mapping[str, Mapping[str, list[Any]]] = {
    "forget": {"what": NAMES[:3]},
    "rollback": {"name": [MARK]},
    "assert_fact": {"until": [None, "2027-01-01"]},
    "begin_game": {"game": ["nonsense/tiny", "knights/short"]},
    "choose_model": {"url": ["", "http://localhost:8000/v1"]},
    "embeddings": {"dimensions": [None, EMBEDDER.dimension]},
    "picture": {"region": [None, 3]},
}
MOSTLY = st.sampled_from([True] * 9 + [False])


@schemathesis.serializer(LINES)
def as_it_is(_context: Any, value: str) -> bytes:
    return value.encode("utf-8", "surrogatepass")


@st.composite
def cases(draw: st.DrawFn, operation: Any) -> Any:
    """Cases of an operation that mostly name what is there."""
    there = {**THERE, **THERE_FOR.get(operation.definition.raw["operationId"], {})}

    def steered(part: Any) -> Any:
        if isinstance(part, list):
            return [steered(one) for one in part]
        if not isinstance(part, dict):
            return part
        return {
            name: draw(st.sampled_from(there[name]))
            if name in there and draw(MOSTLY)
            else steered(value)
            for name, value in part.items()
        }

    case = draw(operation.as_strategy())
    case.path_parameters, case.query = steered(case.path_parameters), steered(case.query)
    case.body = EXPORTED if case.media_type == LINES and draw(MOSTLY) else steered(case.body)
    return case


@pytest.fixture
def served(tmp_path: Path, model: Server) -> Iterator[Served]:
    upstream = ChatSettings(url=model.url, model="tiny")
    with serving(tmp_path, upstream=upstream, limits=UNLIMITED, joining=GAMES) as running:
        yield running


def arrange(http: httpx.Client, operation: Any) -> None:
    """All that `THERE` names for it, and the model that the server was started with."""
    if "{game}" in operation.path:
        begin_game(http, GAME)
    else:
        fill(http)
    http.delete("/settings/model")


def called(case: Any) -> int:
    """The status of an answer that is as the document says; of a stream its first line is read."""
    if case.operation.definition.raw["operationId"] != ENDLESS:
        answer = case.call(timeout=TIMEOUT_S)
        case.validate_response(answer, checks=PROMISED)
        return int(answer.status_code)
    with requests.request(stream=True, timeout=TIMEOUT_S, **case.as_transport_kwargs()) as stream:
        if stream.status_code == 200:
            assert next(stream.iter_lines()) == b": listening"
        return stream.status_code


def fuzz(operation: Any, http: httpx.Client, model: Server) -> Counter[int]:
    """What one operation answered, by status."""
    name, answered = operation.definition.raw["operationId"], Counter[int]()

    @FUZZ
    @given(case=cases(operation))
    def one(case: Any) -> None:
        model.steps = [Step(text="Noted.")]
        status = called(case)
        answered[status] += 1
        assert status < 500, (operation.label, case.body, status)
        if status < 300 and name in DESTROYING:
            arrange(http, operation)

    arrange(http, operation)
    one()
    return answered


def test_no_route_answers_by_a_failure_of_its_own(served: Served, model: Server):
    schema = schemathesis.openapi.from_url(f"{served.base}/openapi.json")
    with served.client() as http:
        answered = {
            operation.label: fuzz(operation, http, model)
            for operation in (found.ok() for found in schema.get_all_operations())
        }
    total = sum(answered.values(), Counter())
    LOG.info("%s requests to %s routes: %s", total.total(), len(answered), sorted(total.items()))
    assert len(answered) >= 50
    assert [label for label, by in answered.items() if not min(by) < 300] == []
    assert sum(n for status, n in total.items() if status < 300) >= LEAST_SHARE * total.total()
    assert '"status": 500' not in served.log.getvalue()
    ends = time.monotonic() + TIMEOUT_S
    while served.service.api.state.streams and time.monotonic() < ends:
        time.sleep(0.05)
    assert served.service.api.state.streams == 0
