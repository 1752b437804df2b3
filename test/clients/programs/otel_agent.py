"""An agent that starts a span in the trace of each request. Where it goes is said by the variables of its pod alone."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry import propagate, trace
from opentelemetry.trace import SpanKind

tracer = trace.get_tracer("my-agent")


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        parent = propagate.extract(dict(self.headers))
        with tracer.start_as_current_span("plan", context=parent, kind=SpanKind.CLIENT) as span:
            span.set_attribute("gen_ai.request.model", "gpt-x")
            span.set_attribute("gen_ai.usage.input_tokens", 7)
            span.set_attribute("gen_ai.input.messages", "a secret")
        self.answer()

    def answer(self) -> None:
        body = os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"].encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("127.0.0.1", int(os.environ["AGENT_PORT"])), Handler).serve_forever()
