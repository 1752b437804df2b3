# A refund desk: grants small amounts, asks a person about large ones. Standard library only.
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Refunds(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/invoke":
            return self.send_error(404)  # no /cancel: the launcher restarts this process instead
        resume = (request.get("context") or {}).get("resume")
        if resume:
            decision = resume["resolutions"][0]["decision"]
            amount = resume["checkpoint"]["amount"]
            return self.answer({"output": {"refunded": amount if decision == "approve" else 0}})
        if isinstance(request["input"], str):
            return self.stream(["Thank you, ", "we will look into it."])
        amount = request["input"]["amount"]
        if amount <= 100:
            return self.answer({"output": {"refunded": amount}})
        question = {"id": "refund", "reason": "approval_required", "question": f"Refund {amount}?"}
        self.answer({"interrupts": [question], "checkpoint": {"amount": amount}})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, words):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for word in words:
            self.wfile.write(f"data: {word}\n\n".encode())
            self.wfile.flush()

    def do_GET(self):
        self.send_error(404)  # /healthz: 404 is healthy, too

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["AGENT_PORT"])), Refunds).serve_forever()
