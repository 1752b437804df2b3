import { dirname } from 'node:path'

/** Values for the commands and links of the page. */
export interface LandingFacts {
  readonly url: string
  readonly gatewayUrl: string
  readonly adminUrl: string
  readonly tokensFile: string
  readonly kubeconfig: string
}

/** One command for a terminal. */
export interface TryCommand {
  readonly what: string
  readonly command: string
  /** Shown on the page only. */
  readonly more?: true
}

/** Commands for a first try, printed at start and shown on the page; the others need the first one. */
export function tryCommands({ url, gatewayUrl, tokensFile }: LandingFacts): readonly TryCommand[] {
  return [
    {
      what: 'Once per terminal',
      command: `MESH=${quote(dirname(tokensFile))}
token() { node -p 'JSON.parse(fs.readFileSync(process.argv[1]))[process.argv[2]]' "$MESH/tokens.json" "$1"; }
api() { who=$1; shift; curl -sS -H "Authorization: Bearer $(token "$who")" -H 'Content-Type: application/json' "$@"; }`,
    },
    {
      what: 'Talk to an agent',
      command: `api developer ${url}/api/invoke \\
  -d '{"agent": {"namespace": "demo", "name": "hello"}, "input": "Hi"}'`,
    },
    {
      what: 'See the same agents with kubectl, as a developer',
      command: `kubectl --kubeconfig "$MESH/kubeconfig" --namespace demo get agents`,
    },
    {
      what: 'Let an agent ask, find its run, and approve it',
      more: true,
      command: `api developer ${url}/api/runs \\
  -d '{"agent": {"namespace": "demo", "name": "careful"}, "input": "approve 6 * 7"}'
api developer "${url}/api/runs?namespace=demo&state=paused"
api developer ${url}/api/runs/RUN_ID/resume -d '{"decision": "approve"}'`,
    },
    {
      what: 'Use the model gateway, like an OpenAI client',
      more: true,
      command: `api developer ${gatewayUrl}/v1/chat/completions \\
  -d '{"model": "agent/demo/hello", "messages": [{"role": "user", "content": "Hi"}]}'`,
    },
    { what: 'Read who did what, as an operator', command: `api operator "${url}/api/audit?limit=10"` },
  ]
}

function quote(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
