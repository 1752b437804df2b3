# An agent that uses every port of its launcher, and skips what is not bound. Standard library only.
import json
import os
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

env = os.environ


def call(url, run, body=None, method="POST"):
    """Returns status and body of a request that belongs to the run."""
    headers = {"Content-Type": "application/json", "X-Mesh-Run-Id": run["id"], "traceparent": run["trace"]}
    token_file = env.get("MODEL_GATEWAY_TOKEN_FILE")
    if token_file and url.startswith(env["MODEL_GATEWAY_URL"]):
        with open(token_file) as file:  # read for each call, since it is rotated
            headers["Authorization"] = "Bearer " + file.read().strip()
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:  # 404 not_bound: that part is not in the agent's spec
        return error.code, json.load(error)


def work(question, conversation, run):
    used, output = {}, {"answer": question}

    def use(name, port, path, body=None, method="POST"):
        if port not in env:
            return {}
        base = env[port] if port == "MODEL_GATEWAY_URL" else "http://127.0.0.1:" + env[port]
        used[name], answer = call(base + path, run, body, method)
        return answer

    memory = "/memory/" + urllib.parse.quote(conversation, safe="")
    earlier = use("context", "MEMORY_PORT", memory, method="GET")
    output["earlier"] = len(earlier) if isinstance(earlier, list) else 0
    use("append", "MEMORY_PORT", memory + "/append", {"question": question})
    use("remember", "MEMORY_PORT", "/memory/agent/remember", {"text": question})
    use("recall", "MEMORY_PORT", "/memory/agent/search", {"query": question, "limit": 3})
    use("knowledge", "MEMORY_PORT", "/knowledge/search", {"query": question, "limit": 3})
    if "MODEL" in env:
        messages = [{"role": "user", "content": question}]
        reply = use("model", "MODEL_GATEWAY_URL", "/v1/chat/completions", {"model": env["MODEL"], "messages": messages})
        output["answer"] = reply["choices"][0]["message"]["content"] if used.get("model") == 200 else question
    if "PEER" in env:
        use("delegate", "DELEGATE_PORT", "/delegate", {"agent": env["PEER"], "input": question})
        use("message", "A2A_PORT", "/amp/" + env["PEER"], question)
    use("feedback", "FEEDBACK_PORT", "/feedback", {"runId": run["id"], "name": "ports", "value": len(used)})
    return {**output, "used": used}


class Agent(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/invoke":
            return self.send_error(404)
        run = {"id": self.headers["X-Mesh-Run-Id"], "trace": self.headers["traceparent"]}
        output = work(str(request["input"]), request.get("conversationId", run["id"]), run)
        body = json.dumps({"output": output}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send_error(404)  # /healthz: 404 is healthy, too

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(env["AGENT_PORT"])), Agent).serve_forever()
