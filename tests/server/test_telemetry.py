"""What an operator sees of a server: metrics, traces, readiness, and how it stops."""

import json
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families

from mags.ports.chat import ChatSettings
from mags.server.telemetry import Spans, exported
from mags.store.sqlite import SqliteStore
from tests.models.chat.endpoint import Server, Step
from tests.server.serving import Served, serving, until
from tests.server.test_stopping import free_port, process

DASHBOARD = Path(__file__).parents[2] / "docs" / "operating" / "grafana.json"
CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
TURN = {"text": "Ana moved to Porto.", "speaker": "Bo"}
FAILED = {"query": "Where does Ana live?", "as_of": "no time at all 4711"}
WAIT_S = 30.0


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def traced(folder: Path, answering: Server, spans: InMemorySpanExporter) -> Iterator[Served]:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    upstream = ChatSettings(url=answering.url, model="tiny")
    with serving(folder, upstream=upstream, spans=Spans(provider)) as running:
        yield running


def used(served: Served) -> None:
    """Each kind of request once, one of them a failure."""
    with served.client() as client:
        assert client.post("/memories/secretname/turns", json=TURN).status_code == 201
        for path, body in (("recall", {"query": "Ana?"}), ("ask", {"question": "Where is Ana?"})):
            assert client.post(f"/memories/secretname/{path}", json=body).status_code == 200
        assert client.post("/memories/secretname/recall", json=FAILED).status_code == 422
        chat = {"messages": [{"role": "user", "content": "Who is 4711?"}], "user": "secretname"}
        assert client.post("/v1/chat/completions", json=chat).status_code == 200


def test_a_request_and_its_parts_are_one_trace_that_goes_on_with_its_callers(
    traced: Served, spans: InMemorySpanExporter
):
    with traced.client() as client:
        client.post("/memories/ana/turns", json=TURN, headers={"traceparent": CALLER})
        client.post("/memories/ana/recall", json={"query": "Ana?"}, headers={"traceparent": CALLER})
    requests: list[Any] = []
    while len(requests) < 2:  # a span ends after its answer
        found = spans.get_finished_spans()
        requests = [one for one in found if one.parent is not None and one.parent.is_remote]
    assert [one.name for one in requests] == [
        "POST /memories/{namespace}/turns", "POST /memories/{namespace}/recall",
    ]  # fmt: skip
    assert {f"{one.context.trace_id:032x}" for one in found} == {CALLER.split("-")[1]}
    assert {f"{one.parent.span_id:016x}" for one in requests} == {CALLER.split("-")[2]}
    names = {one.name for one in found} - {one.name for one in requests}
    assert names >= {"open", "policy", "recall", "commit"}
    assert requests[0].attributes == {
        "http.request.method": "POST",
        "http.route": "/memories/{namespace}/turns",
        "http.response.status_code": 201,
    }


PARTS = ("name", "kind", "status", "attributes", "events", "links", "resource")


def test_no_span_holds_what_was_said_or_a_name(traced: Served, spans: InMemorySpanExporter):
    used(traced)
    found = spans.get_finished_spans()
    assert {one.name for one in found} >= {"answer", "upstream"}
    # Without ids and times, whose digits are anybody's.
    told = [json.loads(one.to_json()) for one in found]
    said = json.dumps([[one[part] for part in PARTS] for one in told])
    assert [word for word in ("secretname", "Ana", "Porto", "Bo", "4711") if word in said] == []


def test_spans_reach_a_collector_over_otlp_when_the_server_stops(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    received: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    collector = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{collector.server_port}"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    try:
        made = exported({"OTEL_SERVICE_NAME": "memories"})
        with serving(folder, spans=made) as served, served.client() as client:
            assert client.post("/memories/ana/turns", json=TURN).status_code == 201
    finally:
        collector.shutdown()
        collector.server_close()
    [about] = [ExportTraceServiceRequest.FromString(one).resource_spans[0] for one in received]
    assert "memories" in str(about.resource)
    assert "POST /memories/{namespace}/turns" in {
        span.name for scope in about.scope_spans for span in scope.spans
    }


def test_metrics_tell_of_queue_store_memories_embedding_and_upstream(
    folder: Path, answering: Server
):
    with serving(folder, upstream=ChatSettings(url=answering.url, model="tiny")) as served:
        used(served)
        with served.client() as client:
            text = client.get("/metrics").text
    families = {one.name: one for one in text_string_to_metric_families(text)}
    value = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in families.values()
        for sample in family.samples
    }
    for part in ("open", "policy", "recall", "answer", "commit", "upstream"):
        assert value["mags_part_seconds_count", part] >= 1, part
    assert value["mags_upstream_calls_total", "200"] == 1
    assert value["mags_store_bytes",] > 0
    assert value["mags_slots",] == served.service.settings.limits.busy
    assert value["mags_requests_waiting",] == value["mags_recalls_waiting",] == 0
    assert "mags_embedding_batch_texts" in families
    assert "secretname" not in text


def test_every_metric_of_the_dashboard_is_one_of_the_servers(served: Served):
    with served.client() as client:
        told = client.get("/metrics").text
    there = {
        name
        for family in text_string_to_metric_families(told)
        for name in (
            (f"{family.name}_total",) if family.type == "counter"
            else [f"{family.name}_{end}" for end in ("bucket", "sum", "count")]
            if family.type == "histogram" else (family.name,)
        )
        if not name.endswith("_created")
    }  # fmt: skip
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    asked = [one["expr"] for panel in dashboard["panels"] for one in panel.get("targets", ())]
    named = {name for one in asked for name in re.findall(r"\bmags_\w+", one)}
    assert named - there == set()
    assert there - named - {n for n in there if n.endswith(("_sum", "_count"))} == set()
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_mcp_is_named_in_log_and_metrics(folder: Path):
    with serving(folder) as served, served.client() as client:
        client.post("/mcp", params={"memory": "secretname"}, json={})
        client.get("/mcp")
        text = client.get("/metrics").text
    assert re.findall('"route": "([^"]*)"', served.log.getvalue()) == ["/mcp", "/mcp", "/metrics"]
    assert 'mags_requests_total{method="GET",route="/mcp",status="405"} 1.0' in text


def test_a_server_that_cannot_write_memories_is_not_ready(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("mags.server.open_memories.TRIED_S", 0.0)
    with serving(folder) as served, served.client() as client:
        assert client.get("/readyz").status_code == 200
        assert list(folder.iterdir()) == []  # the trial leaves nothing behind
        folder.rmdir()
        folder.write_text("a file where the folder was")
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()) == (503, {"ready": False, "reason": "store"})
        assert client.get("/healthz").status_code == 200
        folder.unlink()
        assert client.get("/readyz").status_code == 200


def test_a_stop_takes_no_more_and_finishes_what_it_began(
    tmp_path: Path, model: Server, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MAGS_CHAT_URL", model.url)
    monkeypatch.setenv("MAGS_CHAT_MODEL", "tiny")
    monkeypatch.setenv("MAGS_POLICY", "rules")
    model.steps = [Step(text="In Porto.", hang_s=WAIT_S)]
    folder, port, answers = tmp_path / "memories", free_port(), list[httpx.Response]()
    chat = {"messages": [{"role": "user", "content": "Where do I live?"}]}
    with process(folder, port) as (served, client):
        slow = threading.Thread(
            target=lambda: answers.append(client.post("/v1/chat/completions", json=chat))
        )
        slow.start()
        until(lambda: model.requests)
        served.send_signal(signal.SIGTERM)
        until(lambda: refused(port))
        assert served.poll() is None
        model.released.set()
        slow.join(WAIT_S)
        assert served.wait(WAIT_S) == -signal.SIGTERM
    assert answers[0].status_code == 200
    assert answers[0].json()["choices"][0]["message"]["content"] == "In Porto."
    with closing(SqliteStore.open(folder / "default.mags", read_only=True)) as store:
        assert {"Where do I live?", "In Porto."} <= {one.text for one in store.contents.scan()}


def refused(port: int) -> bool:
    """Whether a server takes no new connection."""
    try:
        httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False)
    except httpx.ConnectError:
        return True
    except (httpx.ReadError, httpx.RemoteProtocolError):
        pass  # it was taken in the moment in which the server stopped listening
    return False
