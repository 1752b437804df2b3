"""Creates and changes an agent and reads both event streams with a client of openapi-python-client."""

import json
import os
from collections.abc import Iterator
from typing import Any

from mesh_control_plane_client import AuthenticatedClient
from mesh_control_plane_client.api.agents import create_agent, delete_agent, get_agent, replace_agent
from mesh_control_plane_client.api.integrations import stream_events
from mesh_control_plane_client.api.runs import create_run, stream_run_events
from mesh_control_plane_client.models import (
    AgentConfig,
    AgentConfigInput,
    AgentDeployment,
    AgentDeploymentInput,
    AgentDeploymentSpec,
    AgentName,
    ObjectMetaInput,
    Problem,
    Run,
    RunEvent,
    RunInput,
    RunsSucceededEvent,
)
from mesh_control_plane_client.types import Response

NAME = os.environ["MESH_AGENT"]
client = AuthenticatedClient(base_url=os.environ["MESH_URL"], token=os.environ["MESH_TOKEN"])


def create() -> str:
    config = AgentConfig.from_dict({"name": NAME, "model": {"route": "mock"}})
    created = create_agent.sync_detailed(client=client, body=AgentConfigInput(config=config, namespace="demo"))
    assert created.status_code == 201, created.content
    return str(created.headers["etag"])


def put(etag: str, spec: AgentDeploymentSpec) -> Response[AgentDeployment | Problem]:
    metadata = ObjectMetaInput.from_dict({"name": NAME, "labels": {"team": "red"}})
    body = AgentDeploymentInput(metadata=metadata, spec=spec)
    return replace_agent.sync_detailed("demo", NAME, client=client, body=body, if_match=etag)


def replace() -> None:
    # The manager may write the status between read and write.
    for _ in range(20):
        read = get_agent.sync_detailed("demo", NAME, client=client)
        assert isinstance(read.parsed, AgentDeployment), read.content
        written = put(read.headers["etag"], read.parsed.spec)
        if isinstance(written.parsed, AgentDeployment):
            assert written.parsed.to_dict()["metadata"]["labels"]["team"] == "red"
            return
    raise AssertionError("the agent was not replaced")


def frames(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    # The generated call waits for the end of the stream, so its request is sent with the client's own httpx.
    with client.get_httpx_client().stream(**request) as response:
        assert response.status_code == 200
        for line in response.iter_lines():
            if line.startswith("data: "):
                yield json.loads(line.removeprefix("data: "))


stale = create()
replace()
refused = put(stale, AgentDeploymentSpec())
assert isinstance(refused.parsed, Problem) and refused.status_code == 412, refused.content
assert refused.parsed.code == "precondition_failed"

started = create_run.sync(client=client, body=RunInput(agent=AgentName(namespace="demo", name="hello"), input_="Hi"))
assert isinstance(started, Run)
events = [RunEvent.from_dict(data) for data in frames(stream_run_events._get_kwargs(started.id))]
assert all(event.run_id == started.id for event in events)
kinds = [str(event.kind) for event in events]
assert "message.finished" in kinds and "run.succeeded" in kinds, kinds

seen = 0
for data in frames(stream_events._get_kwargs(namespace="demo", after="start")):
    seen += 1
    is_end = data["type"] == "dev.mesh.runs.succeeded.v1"
    if is_end and RunsSucceededEvent.from_dict(data).data.run_id == started.id:
        break
else:
    raise AssertionError("the run is not among the domain events")
removed = delete_agent.sync_detailed("demo", NAME, client=client)
assert removed.status_code == 204
print(f"{len(events)} run events, {seen} domain events")
