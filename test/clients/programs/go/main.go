// Creates and changes an agent and reads both event streams with a client of oapi-codegen.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/google/uuid"
	"mesh.dev/clients/mesh"
)

var name, ns = os.Getenv("MESH_AGENT"), "demo"

func main() {
	log.SetFlags(0)
	ctx := context.Background()
	bearer := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("MESH_TOKEN"))
		return nil
	}
	client := must(mesh.NewClientWithResponses(os.Getenv("MESH_URL"), mesh.WithRequestEditorFn(bearer)))
	stale := create(ctx, client)
	replace(ctx, client)
	refused := must(put(ctx, client, stale, mesh.AgentDeploymentSpec{}))
	check(refused.StatusCode() == 412 && refused.ApplicationproblemJSON412.Code == "precondition_failed", refused.Status())
	id, kinds := run(ctx, client)
	seen := follow(ctx, client, id)
	removed := must(client.DeleteAgentWithResponse(ctx, ns, name, nil))
	check(removed.StatusCode() == 204, removed.Status())
	fmt.Printf("%d run events, %d domain events\n", len(kinds), seen)
}

func create(ctx context.Context, client *mesh.ClientWithResponses) string {
	var config mesh.AgentConfig
	check(json.Unmarshal([]byte(`{"name": "`+name+`", "model": {"route": "mock"}}`), &config) == nil, "config")
	var body mesh.CreateAgentJSONRequestBody
	check(body.FromAgentConfigInput(mesh.AgentConfigInput{Namespace: &ns, Config: config}) == nil, "body")
	created := must(client.CreateAgentWithResponse(ctx, nil, body))
	check(created.StatusCode() == 201, created.Status()+string(created.Body))
	return created.HTTPResponse.Header.Get("ETag")
}

// The manager may write the status between read and write.
func replace(ctx context.Context, client *mesh.ClientWithResponses) {
	for tries := 0; tries < 20; tries++ {
		read := must(client.GetAgentWithResponse(ctx, ns, name, nil))
		check(read.JSON200 != nil, read.Status())
		written := must(put(ctx, client, read.HTTPResponse.Header.Get("ETag"), read.JSON200.Spec))
		if written.JSON200 != nil {
			check((*written.JSON200.Metadata.Labels)["team"] == "red", "labels")
			return
		}
	}
	log.Fatal("the agent was not replaced")
}

func put(ctx context.Context, client *mesh.ClientWithResponses, etag string, spec mesh.AgentDeploymentSpec) (*mesh.ReplaceAgentResponse, error) {
	labels := map[string]string{"team": "red"}
	body := mesh.AgentDeploymentInput{Metadata: mesh.ObjectMetaInput{Name: &name, Labels: &labels}, Spec: spec}
	return client.ReplaceAgentWithResponse(ctx, ns, name, &mesh.ReplaceAgentParams{IfMatch: &etag}, body)
}

func run(ctx context.Context, client *mesh.ClientWithResponses) (uuid.UUID, []mesh.RunEventKind) {
	input := mesh.RunInput{Agent: mesh.AgentName{Namespace: ns, Name: "hello"}, Input: "Hi"}
	started := must(client.CreateRunWithResponse(ctx, nil, input))
	check(started.JSON201 != nil, started.Status())
	response := must(client.StreamRunEvents(ctx, started.JSON201.Id, nil))
	var kinds []mesh.RunEventKind
	succeeded := false
	frames(response, func(data []byte) bool {
		var event mesh.RunEvent
		check(json.Unmarshal(data, &event) == nil && event.RunId == started.JSON201.Id, string(data))
		kinds = append(kinds, event.Kind)
		succeeded = succeeded || event.Kind == mesh.RunSucceeded
		return true
	})
	check(succeeded, fmt.Sprint(kinds))
	return started.JSON201.Id, kinds
}

func follow(ctx context.Context, client *mesh.ClientWithResponses, id uuid.UUID) int {
	after := "start"
	response := must(client.StreamEvents(ctx, &mesh.StreamEventsParams{Namespace: &ns, After: &after}))
	seen := 0
	found := false
	frames(response, func(data []byte) bool {
		var event mesh.CloudEvent
		check(json.Unmarshal(data, &event) == nil, string(data))
		seen++
		value := must(event.ValueByDiscriminator())
		succeeded, is := value.(mesh.RunsSucceededEvent)
		found = is && succeeded.Data.RunId == id
		return !found
	})
	check(found, "the run is not among the domain events")
	return seen
}

// Calls `take` with the data of each server-sent event until it returns false or the stream ends.
func frames(response *http.Response, take func(data []byte) bool) {
	defer response.Body.Close()
	check(response.StatusCode == 200, response.Status)
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if data, is := strings.CutPrefix(lines.Text(), "data: "); is && !take([]byte(data)) {
			return
		}
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func check(holds bool, what string) {
	if !holds {
		log.Fatalf("not as expected: %s", what)
	}
}
