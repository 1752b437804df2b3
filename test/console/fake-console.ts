import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PackedFile } from '#core/http/console/console-files.ts'
import { CONSOLE_POLICY } from '#core/http/console/routes.ts'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'

/** Bodies of the API by path; a number is a status, a function writes the response itself. */
export type CannedResponses = Readonly<Record<string, unknown>>

/** Writes the response to a request, such as a stream. */
export type CannedHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Responds with the body that a function makes of a request; a number is a status. */
export function cannedBody(make: (request: IncomingMessage) => unknown): CannedHandler {
  return (request, response) => {
    Promise.resolve(make(request)).then(
      (body) => sendJson(response, body),
      () => sendJson(response, 500),
    )
  }
}

/** Serves a packed console under its policy, in front of responses that are always the same. Returns its address. */
export function serveConsole(t: Scope, files: readonly PackedFile[], api: CannedResponses = {}): Promise<string> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname
    const canned = api[path]
    if (typeof canned === 'function') return (canned as CannedHandler)(request, response)
    if (path in api) return sendJson(response, canned)
    if (path === '/api/events') return openStream(response)
    if (path.startsWith('/api/')) return sendJson(response, 404)
    const file = files.find((one) => one.path === path) ?? files.find((one) => one.path === '/')
    const headers = {
      'content-type': file?.type,
      'content-encoding': 'gzip',
      'content-security-policy': CONSOLE_POLICY,
    }
    return response.writeHead(200, headers).end(Buffer.from(file?.gzip ?? '', 'base64'))
  })
  return listen(t, server)
}

// Without an event, as on a quiet day.
function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
}

function sendJson(response: ServerResponse, body: unknown): void {
  const status = typeof body === 'number' ? body : 200
  const problem = { title: 'Refused.', detail: 'The fake API has no such response.', status }
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify(status === 200 ? body : problem))
}

const sections: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  '': [
    ['home', 'Home'],
    ['approvals', 'Approvals'],
  ],
  Build: [
    ['agents', 'Agents'],
    ['templates', 'Templates'],
    ['workflows', 'Workflows'],
    ['knowledge', 'Knowledge'],
  ],
  Run: [
    ['runs', 'Runs'],
    ['shares', 'Shares'],
  ],
  Observe: [
    ['traces', 'Traces'],
    ['cost', 'Cost'],
    ['audit', 'Audit'],
  ],
  Quality: [
    ['evals', 'Evals'],
    ['feedback', 'Feedback'],
  ],
  Platform: [
    ['topology', 'Topology'],
    ['tenants', 'Tenants'],
  ],
  Settings: [['settings', 'Settings']],
}

const pages = Object.entries(sections).flatMap(([section, list]) =>
  list.map(([id, title]) => ({ id, title, section, path: id === 'home' ? '/' : `/${id}`, capability: id })),
)

const off: Readonly<Record<string, string>> = { tenants: 'denied', evals: 'disabled', audit: 'unconfigured' }

const noPercentiles = { p50: null, p95: null, p99: null }

/** A caller with two namespaces, a page that is off, one that is not configured and one that is denied. */
export const cannedShell: CannedResponses = {
  '/session': {
    session: {
      username: 'mira.lang@example.com',
      startedAt: '2026-11-24T08:00:00Z',
      endsAt: new Date(Date.now() + 28_800_000).toISOString(),
      idleEndsAt: new Date(Date.now() + 3_600_000).toISOString(),
      personas: ['viewer', 'developer', 'operator'],
      persona: 'operator',
    },
    ended: null,
    signIn: { code: true, oidc: null },
  },
  '/api/namespaces': {
    items: [
      { metadata: { name: 'support', annotations: { 'mesh.dev/display-name': 'Customer support' } } },
      { metadata: { name: 'finance' } },
    ],
    nextCursor: null,
  },
  '/api/capabilities': {
    profile: 'open',
    pages,
    capabilities: pages.map(({ id }) => (id in off ? { id, enabled: false, reason: off[id] } : { id, enabled: true })),
  },
  // What the palette looks for, and Home reads.
  '/api/agents': { items: [], nextCursor: null },
  '/api/runs': { items: [], nextCursor: null },
  '/api/runs/stats': {
    from: '2026-11-23T08:00:00Z',
    to: '2026-11-24T08:00:00Z',
    count: 0,
    succeeded: 0,
    failed: 0,
    paused: 0,
    durationMs: noPercentiles,
    queueMs: noPercentiles,
    firstTokenMs: noPercentiles,
    usage: {},
    cost: [],
    interval: null,
    bins: [],
    groupBy: null,
    groups: [],
    other: null,
  },
  '/api/summary': {
    waiting: { runs: { count: 5, items: [] }, manifests: null },
    unwell: { agents: null, failing: null },
    spend: null,
    forecast: null,
  },
  '/api/feedback': {
    items: Array.from({ length: 30 }, (_, index) => ({
      id: `score-${index}`,
      namespace: 'support',
      agent: ['triage', 'refund-agent', 'invoice-matcher'][index % 3],
      name: 'helpful',
      value: index % 5,
      createdBy: index % 4 === 0 ? 'system:serviceaccount:support:bot' : 'ada@example.com',
      createdAt: new Date(1_795_975_000_000 - index * 3_600_000).toISOString(),
      comment: index % 2 === 0 ? 'Found the order, and said so in one sentence.' : null,
    })),
    nextCursor: 'older',
  },
}
