# An agent in Python with nothing but the standard library.
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Agent(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_error(404)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if body.get("input") == "stream":
            return self.stream(["from ", "python"])
        self.answer({"output": {"uid": os.getuid(), "gid": os.getgid()}})

    def stream(self, words):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for word in words:
            self.wfile.write(f"data: {word}\n\n".encode())
            self.wfile.flush()
        self.close_connection = True

    def answer(self, value):
        text = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ["AGENT_PORT"])), Agent).serve_forever()
