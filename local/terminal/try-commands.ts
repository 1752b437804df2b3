import { dirname } from 'node:path'

/** Values for the commands. */
export interface TryFacts {
  readonly url: string
  readonly tokensFile: string
  /** Whether the agents of the demo were created. */
  readonly demo: boolean
}

/** One command for a terminal. */
export interface TryCommand {
  readonly what: string
  readonly command: string
}

/** Commands for a first try, printed at start; the others need the first one. */
export function tryCommands(facts: TryFacts): readonly TryCommand[] {
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

function ofDemo(facts: TryFacts): readonly TryCommand[] {
  return [
    talk(facts, 'demo'),
    {
      what: 'See the same agents with kubectl, as a developer',
      command: `kubectl --kubeconfig "$MESH/kubeconfig" --namespace demo get agents`,
    },
  ]
}

// There is no agent yet.
function withoutDemo(facts: TryFacts): readonly TryCommand[] {
  const config = '{"name": "hello", "systemPrompt": "You greet people.", "model": {"route": "mock"}}'
  return [
    {
      what: 'Create an agent',
      command: `api_as developer ${facts.url}/api/agents \\\n  -d '{"namespace": "default", "config": ${config}}'`,
    },
    talk(facts, 'default'),
    { what: 'See it with kubectl, as a developer', command: `kubectl --kubeconfig "$MESH/kubeconfig" get agents` },
  ]
}

function talk({ url }: TryFacts, namespace: string): TryCommand {
  return {
    what: 'Talk to an agent',
    command: `api_as developer ${url}/api/invoke \\
  -d '{"agent": {"namespace": "${namespace}", "name": "hello"}, "input": "Hi"}'`,
  }
}

function quote(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
