import { dirname } from 'node:path'

/** Values for the commands and links of the page. */
export interface LandingFacts {
  readonly url: string
  readonly gatewayUrl: string
  readonly adminUrl: string
  readonly tokensFile: string
  readonly kubeconfig: string
  /** Whether the agents of the demo were created. */
  readonly demo: boolean
}

/** One command for a terminal. */
export interface TryCommand {
  readonly what: string
  readonly command: string
  /** Shown on the page only. */
  readonly more?: true
}

/** Commands for a first try, printed at start and shown on the page; the others need the first one. */
export function tryCommands(facts: LandingFacts): readonly TryCommand[] {
  const { url, tokensFile } = facts
  return [
    {
      what: 'Once per terminal',
      // The name `api` is taken: `mesh env` defines it with other arguments.
      command: `MESH=${quote(dirname(tokensFile))}
token() { node -p 'JSON.parse(fs.readFileSync(process.argv[1]))[process.argv[2]]' "$MESH/tokens.json" "$1"; }
api_as() { who=$1; shift; curl -sS -H "Authorization: Bearer $(token "$who")" -H 'Content-Type: application/json' "$@"; }`,
    },
    ...(facts.demo ? ofDemo(facts) : withoutDemo(facts)),
    {
      what: 'Connect a real model: here Ollama; docs/how-to/connect-a-model.md has OpenAI, Anthropic, vLLM and Azure',
      command: `kubectl --kubeconfig "$MESH/kubeconfig" apply -f - <<'EOF'
apiVersion: mesh.dev/v1alpha1
kind: ModelProvider
metadata: { name: ollama }
spec: { type: openai, baseUrl: 'http://127.0.0.1:11434/v1' }
---
apiVersion: mesh.dev/v1alpha1
kind: ModelRoute
metadata: { name: llama }
spec: { providerRef: { name: ollama }, model: llama3.2 }
EOF`,
    },
    { what: 'Read who did what, as an operator', command: `api_as operator "${url}/api/audit?limit=10"` },
  ]
}

function ofDemo(facts: LandingFacts): readonly TryCommand[] {
  const { url } = facts
  return [
    talk(facts, 'demo'),
    {
      what: 'See the same agents with kubectl, as a developer',
      command: `kubectl --kubeconfig "$MESH/kubeconfig" --namespace demo get agents`,
    },
    {
      what: 'Let an agent ask, find its run, and approve it',
      more: true,
      command: `api_as developer ${url}/api/runs \\
  -d '{"agent": {"namespace": "demo", "name": "careful"}, "input": "approve 6 * 7"}'
api_as developer "${url}/api/runs?namespace=demo&state=paused"
api_as developer ${url}/api/runs/RUN_ID/resume -d '{"decision": "approve"}'`,
    },
    callGateway(facts, 'demo'),
  ]
}

// There is no agent yet.
function withoutDemo(facts: LandingFacts): readonly TryCommand[] {
  const config = '{"name": "hello", "systemPrompt": "You greet people.", "model": {"route": "mock"}}'
  return [
    {
      what: 'Create an agent',
      command: `api_as developer ${facts.url}/api/agents \\\n  -d '{"namespace": "default", "config": ${config}}'`,
    },
    talk(facts, 'default'),
    { what: 'See it with kubectl, as a developer', command: `kubectl --kubeconfig "$MESH/kubeconfig" get agents` },
    callGateway(facts, 'default'),
  ]
}

function talk({ url }: LandingFacts, namespace: string): TryCommand {
  return {
    what: 'Talk to an agent',
    command: `api_as developer ${url}/api/invoke \\
  -d '{"agent": {"namespace": "${namespace}", "name": "hello"}, "input": "Hi"}'`,
  }
}

function callGateway({ gatewayUrl }: LandingFacts, namespace: string): TryCommand {
  return {
    what: 'Use the model gateway, like an OpenAI client',
    more: true,
    command: `api_as developer ${gatewayUrl}/v1/chat/completions \\
  -d '{"model": "agent/${namespace}/hello", "messages": [{"role": "user", "content": "Hi"}]}'`,
  }
}

function quote(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
