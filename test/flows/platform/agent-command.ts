/** Input of an agent's run. */
export interface AgentRequest {
  readonly input: unknown
  readonly conversationId: string
  readonly context?: { readonly history?: readonly { readonly input: unknown }[] }
}

/** Operations of an agent within a run. */
export interface AgentRun {
  readonly id: string
  /** Posts to `POST /delegate` of its launcher. */
  delegate(body: unknown): Promise<Delegated>
  /** Posts to `POST /amp/{target}` of its launcher. */
  call(target: string, payload: unknown, headers?: Readonly<Record<string, string>>): Promise<PeerCalled>
  /** Asks a model for one answer in this run. */
  askModel(route: string): Promise<{ readonly status: number }>
}

/** Response of the launcher to a call of another agent. */
export interface PeerCalled {
  readonly status: number
  readonly body: {
    readonly runId?: string
    readonly conversationId?: string
    readonly output?: unknown
    readonly error?: string
    readonly message?: string
  }
}

/** Response of the launcher to a delegation; `Output` is the output of the child. */
export interface Delegated<Output = unknown> {
  readonly status: number
  readonly body: {
    readonly runId?: string
    readonly state?: string
    readonly output?: Output
    readonly error?: string
  }
}

/**
 * Builds the command of an agent without an SDK. `answer` returns the output of a run; undefined keeps the connection open. Its source runs
 * in another process, so it must not capture variables; `constants` are passed as arguments.
 */
export function agentCommand<const Constants extends readonly (string | number)[]>(
  answer: (request: AgentRequest, run: AgentRun, ...constants: Constants) => unknown,
  ...constants: Constants
): readonly string[] {
  const source = `
const { createServer } = require('node:http')
const answer = ${answer.toString()}
createServer(async (request, response) => {
  if (request.url === '/healthz') return response.end()
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const id = request.headers['x-mesh-run-id']
  const post = async (port, path, body, more) => {
    const answered = await fetch('http://127.0.0.1:' + port + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-mesh-run-id': id, ...more },
      body: JSON.stringify(body),
    })
    return { status: answered.status, body: await answered.json() }
  }
  const delegate = (body) => post(process.env.DELEGATE_PORT, '/delegate', body)
  const call = (target, payload, headers) => post(process.env.A2A_PORT, '/amp/' + target, payload, headers)
  // An agent without a budget has a token for the gateway.
  const tokenFile = process.env.MODEL_GATEWAY_TOKEN_FILE
  const bearer = () => 'Bearer ' + require('node:fs').readFileSync(tokenFile, 'utf8').trim()
  const askModel = async (model) => {
    const answered = await fetch(process.env.MODEL_GATEWAY_URL + '/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-mesh-run-id': id, ...(tokenFile ? { authorization: bearer() } : {}) },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello.' }] }),
    })
    await answered.text()
    return { status: answered.status }
  }
  const body = JSON.parse(Buffer.concat(chunks).toString() || '{}')
  const output = await answer(body, { id, delegate, call, askModel }, ...${JSON.stringify(constants)})
  if (output === undefined) return
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ output }))
}).listen(process.env.AGENT_PORT, '127.0.0.1')`
  return ['node', '-e', source]
}
