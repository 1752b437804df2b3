// An agent that uses every port of its launcher, and skips what is not bound. Standard library only.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
)

type run struct{ id, trace string }

// call returns status and body of a request that belongs to the run.
func call(method, address string, of run, body any) (int, json.RawMessage, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequest(method, address, bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Mesh-Run-Id", of.id)
	request.Header.Set("traceparent", of.trace)
	gateway, file := os.Getenv("MODEL_GATEWAY_URL"), os.Getenv("MODEL_GATEWAY_TOKEN_FILE")
	if file != "" && strings.HasPrefix(address, gateway) {
		token, err := os.ReadFile(file) // for each call, since it is rotated
		if err != nil {
			return 0, nil, err
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	var given json.RawMessage
	err = json.NewDecoder(answer.Body).Decode(&given)
	return answer.StatusCode, given, err // 404 not_bound: that part is not in the agent's spec
}

func work(question, conversation string, of run) (map[string]any, error) {
	used := map[string]int{}
	var failed error
	use := func(name, port, method, path string, body any) json.RawMessage {
		bound, present := os.LookupEnv(port)
		if !present || failed != nil {
			return nil
		}
		base := "http://127.0.0.1:" + bound
		if port == "MODEL_GATEWAY_URL" {
			base = bound
		}
		status, answer, err := call(method, base+path, of, body)
		used[name], failed = status, err
		return answer
	}
	memory := "/memory/" + url.PathEscape(conversation)
	var earlier []any
	_ = json.Unmarshal(use("context", "MEMORY_PORT", "GET", memory, nil), &earlier)
	use("append", "MEMORY_PORT", "POST", memory+"/append", map[string]any{"question": question})
	use("remember", "MEMORY_PORT", "POST", "/memory/agent/remember", map[string]any{"text": question})
	use("recall", "MEMORY_PORT", "POST", "/memory/agent/search", map[string]any{"query": question, "limit": 3})
	use("knowledge", "MEMORY_PORT", "POST", "/knowledge/search", map[string]any{"query": question, "limit": 3})
	answer := question
	if model, present := os.LookupEnv("MODEL"); present {
		messages := []map[string]string{{"role": "user", "content": question}}
		reply := use("model", "MODEL_GATEWAY_URL", "POST", "/v1/chat/completions", map[string]any{"model": model, "messages": messages})
		var completion struct {
			Choices []struct{ Message struct{ Content string } }
		}
		if json.Unmarshal(reply, &completion) == nil && len(completion.Choices) > 0 {
			answer = completion.Choices[0].Message.Content
		}
	}
	if peer, present := os.LookupEnv("PEER"); present {
		use("delegate", "DELEGATE_PORT", "POST", "/delegate", map[string]any{"agent": peer, "input": question})
		use("message", "A2A_PORT", "POST", "/amp/"+peer, question)
	}
	use("feedback", "FEEDBACK_PORT", "POST", "/feedback", map[string]any{"runId": of.id, "name": "ports", "value": len(used)})
	return map[string]any{"answer": answer, "earlier": len(earlier), "used": used}, failed
}

func invoke(response http.ResponseWriter, request *http.Request) {
	var given struct {
		Input          any
		ConversationID string `json:"conversationId"`
	}
	if err := json.NewDecoder(request.Body).Decode(&given); err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	of := run{request.Header.Get("X-Mesh-Run-Id"), request.Header.Get("traceparent")}
	if given.ConversationID == "" {
		given.ConversationID = of.id
	}
	output, err := work(fmt.Sprint(given.Input), given.ConversationID, of)
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	response.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(response).Encode(map[string]any{"output": output})
}

func main() {
	http.HandleFunc("POST /invoke", invoke) // /healthz: 404 is healthy, too
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("AGENT_PORT"), nil))
}
