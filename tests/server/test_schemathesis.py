"""The interface as it is written down, fuzzed by schemathesis: no 5xx from any route.

Needs the extra `fuzz`; run by `make test-full`. The long form, with more examples a route:
`FUZZ_EXAMPLES=300 python -m pytest -m full --log-cli-level=INFO tests/server/test_schemathesis.py`,
which also tells how many requests were made. `FUZZ_TIMEOUT_S`: how long an answer may take; a busy
machine needs more.
"""

import logging
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from mags.server.proxy.upstream import Upstream
from mags.server.settings import Limits
from tests.models.chat.endpoint import Server, Step
from tests.models.chat.endpoint import serving as model_serving
from tests.server.serving import Served, serving
from tests.server.test_fuzz import ANSWER

schemathesis = pytest.importorskip("schemathesis", reason="needs the extra `fuzz`")
pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]

LOG = logging.getLogger(__name__)
ENDLESS = "/memories/{namespace}/events"
CHAT = "/v1/chat/completions"
UNLIMITED = Limits(rate=1e6, burst=10**6)
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "25"))
TIMEOUT_S = float(os.environ.get("FUZZ_TIMEOUT_S", "120"))
FUZZ = settings(
    max_examples=EXAMPLES,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture
def model() -> Iterator[Server]:
    with model_serving() as running:
        yield running


@pytest.fixture
def served(tmp_path: Path, model: Server) -> Iterator[Served]:
    upstream = Upstream(url=model.url, model="tiny")
    with serving(tmp_path, upstream=upstream, limits=UNLIMITED) as running:
        with running.client() as client:
            for name in ("alice", "0"):
                told = {"turns": [{"text": "Ana lives in Porto.", "key": "1"}]}
                client.post(f"/memories/{name}/turns/bulk", json=told)
        yield running


def test_no_route_answers_by_a_failure_of_its_own(served: Served, model: Server):
    schema = schemathesis.openapi.from_url(f"{served.base}/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations()]
    tried: Counter[str] = Counter()
    answered: Counter[int] = Counter()
    for operation in operations:
        if operation.path == ENDLESS:
            continue

        @FUZZ
        @given(case=operation.as_strategy())
        def fuzz(case: schemathesis.Case) -> None:
            model.steps = [Step(raw=ANSWER.encode())]
            answer = case.call(timeout=TIMEOUT_S)
            tried[case.operation.label] += 1
            answered[answer.status_code] += 1
            # The settings may have named a model that is not there: a clear 502, no failure.
            assert answer.status_code < 500 or (
                answer.status_code == 502 and "/v1/" in case.operation.path
            ), (case.operation.label, case.body, answer.status_code, answer.text)

        fuzz()
    told = dict(sorted(answered.items()))
    LOG.info("%s requests to %s routes: %s", tried.total(), len(tried), told)
    assert len(tried) > 40
    assert '"status": 500' not in served.log.getvalue()
