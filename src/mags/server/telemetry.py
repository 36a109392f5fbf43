"""Traces of requests by OpenTelemetry, exported over OTLP (https://opentelemetry.io).

A span for each request, which goes on with the trace of its caller (`traceparent`, W3C Trace
Context), and one for each of its parts. They hold routes, numbers and kinds of errors: nothing that
was said, no name of a memory or a key, no message of an error, which may quote either. Where they
go is told by the `OTEL_*` variables of the standard.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.datastructures import Headers
from starlette.types import Scope

from mags.ports.pausing import Facts, Watch

SERVICE = "mags"


class Spans:
    """The spans of one server."""

    def __init__(self, provider: TracerProvider) -> None:
        """`provider`: makes and exports them; closed with the server."""
        self._provider = provider
        self._tracer = provider.get_tracer(SERVICE, version("mags"))
        self._propagator = TraceContextTextMapPropagator()

    @contextmanager
    def request(self, scope: Scope) -> Iterator[Facts]:
        """The span of a request; what is put into the facts becomes its attributes."""
        caller = self._propagator.extract(dict(Headers(scope=scope)))
        method = scope["method"]
        with self._tracer.start_as_current_span(
            method,
            caller,
            kind=SpanKind.SERVER,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            facts: Facts = {"http.request.method": method}
            with _telling(span, facts, ""):
                yield facts
            if "http.route" in facts:
                span.update_name(f"{method} {facts['http.route']}")

    def watching(self, timed: Watch) -> Watch:
        """A watch that makes a span of each part, and has `timed` watch it too."""

        @contextmanager
        def watch(part: str) -> Iterator[Facts]:
            with (
                self._tracer.start_as_current_span(
                    part, record_exception=False, set_status_on_exception=False
                ) as span,
                timed(part) as facts,
                _telling(span, facts, "mags."),
            ):
                yield facts

        return watch

    def close(self) -> None:
        """Export what is left; at most a few seconds where nobody takes it."""
        self._provider.shutdown()


@contextmanager
def _telling(span: Span, facts: Facts, prefix: str) -> Iterator[None]:
    """Give a span its facts when the block ends, of an error its kind among them."""
    done = False
    try:
        yield
        done = True
    finally:
        if not done:
            facts["error.type"] = type(sys.exception()).__name__
        span.set_attributes({prefix + name: value for name, value in facts.items()})


def exported(environment: Mapping[str, str]) -> Spans:
    """Spans that are sent, in batches and behind the requests, where `OTEL_*` say."""
    name = environment.get("OTEL_SERVICE_NAME", SERVICE)
    resource = Resource.create({"service.name": name, "service.version": version("mags")})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Spans(provider)
