import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { LauncherConfig } from '#schemas/launcher/launcher.ts'
import type { Peer, PeerRegistry } from '#schemas/launcher/envelope.ts'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'
import { createTlsIdentity } from '../http/certificate.ts'
import { certifying } from './certifying.ts'
import { testIssuer } from './envelopes.ts'
import type { KeyedAgent } from './envelopes.ts'
import { fetch, until } from './launch.ts'
import { startTestLauncher } from './start-launcher.ts'
import type { TestLauncherOptions } from './start-launcher.ts'

/** A request with its body. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Responds to a request. */
export type AmpReply = (response: ServerResponse, request: ReceivedRequest) => void

/** Responds with JSON. */
export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** The output of the agents of these tests. */
export const answered = { runId: 'run-1', conversationId: 'c-1', output: { text: 'done' } }

/**
 * The state role's routes for calls, whose responses a test sets. They decide nothing: the launcher's requests and its reading of responses are under
 * test.
 */
export async function startAmpState(t: Scope) {
  const requests: ReceivedRequest[] = []
  const state = {
    requests,
    registries: [] as PeerRegistry[],
    budget: null as unknown,
    calls: ((response) =>
      json(response, 201, {
        id: 'run-1',
        state: 'succeeded',
        output: answered.output,
        conversationId: 'c-1',
      })) as AmpReply,
    waits: ((response) => json(response, 404, {})) as AmpReply,
    away: false,
  }
  const url = await listen(
    t,
    createServer(async (request, response) => {
      const seen = await received(request)
      if (state.away) return void response.destroy()
      if (await certifying(testIssuer, bearerOf(seen), seen, response)) return
      requests.push(seen)
      if (seen.path === '/amp/directory') json(response, 200, { registries: state.registries })
      else if (seen.path === '/amp/calls') state.calls(response, seen)
      else if (seen.path.startsWith('/amp/calls/')) state.waits(response, seen)
      else if (seen.path.startsWith('/budgets/remaining')) json(response, 200, { budget: state.budget })
      else json(response, 404, {})
    }),
  )
  return Object.assign(state, { url })
}

// The token of a launcher in these tests is the uid of its agent.
function bearerOf({ headers }: ReceivedRequest): string {
  return headers.authorization?.replace('Bearer ', '') ?? ''
}

async function received(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) chunks.push(part)
  const { method = '', url = '', headers } = request
  return { method, path: url, headers, text: Buffer.concat(chunks).toString('utf8') }
}

/** A peer with the key of an agent, whose responses a test sets. */
export async function startPeer(t: Scope, agent: KeyedAgent, reply: AmpReply) {
  const requests: ReceivedRequest[] = []
  const { privateKey, certificate } = agent.launcher
  const peer = { requests, reply }
  const server = createTlsServer(createTlsIdentity(privateKey, certificate), (request, response) => {
    // A test that cuts the connection ends the handler, too.
    received(request).then(
      (seen) => {
        requests.push(seen)
        return peer.reply(response, seen)
      },
      () => undefined,
    )
  })
  const url = (await listen(t, server)).replace('http:', 'https:')
  return Object.assign(peer, { url, server, entry: { ...agent.peer, url } satisfies Peer })
}

/** A launcher in this process with port 2997 in both directions. */
export async function startAmpLauncher(
  t: Scope,
  agent: KeyedAgent,
  {
    stateUrl,
    config = {},
    env = {},
    ...more
  }: { stateUrl: string; config?: Partial<LauncherConfig>; env?: Record<string, string> } & Pick<
    TestLauncherOptions,
    'command' | 'supervision'
  >,
) {
  const { namespace, name } = agent
  const started = await startTestLauncher(t, {
    signed: true,
    config: { name, namespace, uid: agent.peer.uid, ...config },
    files: { MESH_STATE_TOKEN_FILE: `${agent.peer.uid}\n` },
    env: {
      A2A_PORT: '0',
      MESH_AMP_INBOUND_PORT: '0',
      AGENT_REGISTRY_ID: 'default/team',
      STATE_URL: stateUrl,
      ...env,
    },
    ...more,
  })
  const { open } = started
  const isCertified = async (): Promise<boolean> =>
    !(await (await fetch(`https://127.0.0.1:${open['invoke']}/healthz`)).text()).includes('no_certificate')
  await until(isCertified, 'the launcher has its certificate')
  return {
    ...started,
    url: `http://127.0.0.1:${open['amp']}`,
    entry: { ...agent.peer, url: `https://127.0.0.1:${open['ampInbound']}` } satisfies Peer,
  }
}
