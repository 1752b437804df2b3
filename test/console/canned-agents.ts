import { readFileSync } from 'node:fs'
import { cannedShell } from './fake-console.ts'
import type { CannedHandler, CannedResponses } from './fake-console.ts'
import { answeringEvents, askingEvents } from './played-events.ts'

/** Words that would do harm as markup, or turn the line around. */
export const hostileWords = '<img src=x onerror="document.title=1"> \u202e\u0007 \u{1f680} نص'

const at = '2026-11-24T08:00:00Z'
const bins = Array.from({ length: 24 }, (_, index) => ({ ok: index, failed: index % 5 === 0 ? 2 : 0 }))
const stats = {
  runs: 276,
  failed: 10,
  p50Ms: 812.4,
  p95Ms: 4350,
  cost: { amount: '2.491200', currency: 'USD' },
  tokens: 1_281_004,
  bins,
}
const rights = { update: true, patch: true, delete: true, invoke: true, scale: true, readLogs: true }
/** What a developer may do. */
export const cannedRights = { complete: true, ...rights, listVersions: true, listRuns: true, cancelRuns: true }
/** What a viewer may do. */
export const viewerRights = Object.fromEntries(
  Object.keys(cannedRights).map((name) => [name, name === 'complete' || name === 'listRuns']),
)

function condition(type: string, status: string, reason: string, message = '') {
  return { type, status, reason, message, lastTransitionTime: at }
}

const conditions = [
  condition('Accepted', 'True', 'Accepted', 'The spec can be run here.'),
  condition('Ready', 'True', 'Serving', hostileWords),
  condition('Degraded', 'False', 'AsExpected', 'No problem with the newest revision.'),
]

const status = { conditions, replicas: 2, readyReplicas: 2, servingRevisions: [14], latestSuccessfulTime: at }

/** An agent, as far as a page reads it. */
export function cannedAgent(name: string, more: object = {}): object {
  return {
    apiVersion: 'mesh.dev/v1alpha1',
    kind: 'AgentDeployment',
    metadata: { name, namespace: 'support', uid: name, resourceVersion: '7', creationTimestamp: at },
    spec: { systemPrompt: hostileWords, model: { route: 'fast' } },
    status,
    stats,
    ...more,
  }
}

const degraded = [
  condition('Ready', 'False', 'ToolUnavailable'),
  condition('Degraded', 'True', 'ToolUnavailable', hostileWords),
]

const listed = [
  cannedAgent('triage'),
  cannedAgent('refund-agent', { status: { conditions: degraded, replicas: 2 } }),
  // An object without status, and one that a person wrote past the schema.
  cannedAgent('brand-new', { status: undefined, stats: undefined }),
  { metadata: { name: hostileWords, namespace: 'x'.repeat(63) } },
  ...Array.from({ length: 16 }, (_, index) => cannedAgent(`agent-${index}`)),
]

const opened = cannedAgent('triage', {
  can: cannedRights,
  status: { ...status, evalGate: { phase: 'Failed', score: 0.4, minScore: 0.8, revision: 'triage-14' } },
  budget: {
    currency: 'USD',
    window: 'month',
    spent: '87.120000',
    held: '0.400000',
    limit: '100.00',
    remaining: '12.480000',
    windowStart: at,
    resetsAt: '2026-12-01T00:00:00Z',
  },
  pods: [
    {
      name: 'triage-7c9d',
      phase: 'Running',
      ready: true,
      restarts: 0,
      revision: 14,
      startedAt: at,
      lastTermination: null,
    },
    {
      name: 'triage-8d1e',
      phase: 'CrashLoopBackOff',
      ready: false,
      restarts: 12,
      revision: 14,
      startedAt: at,
      lastTermination: { container: 'agent', reason: 'OOMKilled', exitCode: 137, finishedAt: at },
    },
  ],
  events: [
    {
      object: 'Pod/triage-8d1e',
      type: 'Warning',
      reason: 'BackOff',
      message: hostileWords,
      count: 1204,
      lastSeenAt: at,
    },
    {
      object: 'AgentDeployment/triage',
      type: 'Normal',
      reason: 'RolledOut',
      message: 'Rolled out.',
      count: 1,
      lastSeenAt: at,
    },
  ],
})

const version = (revision: number, more: object = {}) => ({
  revision,
  name: `triage-${revision}`,
  createdAt: at,
  formerRevisions: [],
  createdBy: 'ada@example.com',
  createdByExact: revision % 2 === 0,
  source: 'update',
  override: null,
  rollbackTo: null,
  summary: 'systemPrompt, tools',
  current: revision === 14,
  ...more,
})

const run = {
  id: askingEvents[0]?.runId ?? '',
  agent: { namespace: 'support', name: 'triage', revision: 14 },
  conversationId: 'talk-1',
  subject: 'ada@example.com',
  state: 'succeeded',
  usage: { inputTokens: 28, outputTokens: 15, cachedTokens: 0, reasoningTokens: 0 },
  cost: { amount: '0.0061', currency: 'USD' },
  unpricedCalls: 0,
  pendingCalls: 0,
  createdAt: at,
  durationMs: 1400,
  firstTokenMs: 612,
  inputPreview: hostileWords,
}

const paged = (...items: readonly unknown[]) => ({ items, nextCursor: null })

/** Sends events, and leaves the stream open unless it is the last one. */
export function streamOf(events: readonly object[], isEnded: boolean): CannedHandler {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) {
      const { seq, kind } = event as { readonly seq?: number; readonly kind: string }
      response.write(`${seq === undefined ? '' : `id: ${seq}\n`}event: ${kind}\ndata: ${JSON.stringify(event)}\n\n`)
    }
    if (isEnded) response.end('event: stream.end\ndata: {}\n\n')
  }
}

const sections = [
  { path: '/systemPrompt', from: 'You triage.', to: hostileWords },
  { path: '/tools', to: [{ name: 'orders' }] },
]

const agentPath = '/api/agents/support/triage'

/** Responses of the API about agents, with one that has all tabs. */
export const cannedAgents: CannedResponses = {
  ...cannedShell,
  '/openapi.json': JSON.parse(
    readFileSync(new URL('../../docs/reference/openapi.json', import.meta.url), 'utf8'),
  ) as object,
  '/api/agents': paged(...listed),
  [agentPath]: opened,
  [`${agentPath}/references`]: paged(
    { kind: 'ModelRoute', namespace: 'support', name: 'fast', field: 'spec.model.route', found: true },
    { kind: 'GuardrailPolicy', namespace: 'support', name: hostileWords, field: 'spec.guardrails[0]', found: false },
  ),
  '/api/usedby': paged({
    kind: 'Workflow',
    namespace: 'support',
    name: 'nightly',
    field: 'spec.steps[0]',
    found: true,
  }),
  [`${agentPath}/runs`]: paged(run),
  [`${agentPath}/versions`]: paged(
    version(14),
    version(13, { rollbackTo: 12, override: { by: 'ann@example.com', at, reason: hostileWords } }),
    version(12, { summary: hostileWords }),
  ),
  [`${agentPath}/versions/diff`]: { from: '13', to: '14', patch: [{ op: 'add', path: '/tools' }], sections },
  [`${agentPath}/logs`]: ((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.end(`{"time":"${at}","level":"error","msg":"away"}\n${hostileWords}\n`)
  }) satisfies CannedHandler,
  [`${agentPath}/memory`]: {
    session: {
      conversations: [{ id: 'talk-1', owner: 'caller', bytes: 128, expiresAt: at }],
      usage: { conversations: 1, bytes: 128 },
    },
    items: [
      {
        id: 'i',
        text: hostileWords,
        metadata: {},
        subject: null,
        runId: null,
        bytes: 64,
        createdAt: at,
        expiresAt: null,
      },
    ],
    usage: { items: 1, bytes: 64 },
    nextCursor: null,
  },
  [`${agentPath}/effective`]: {
    guardrails: [
      {
        namespace: 'support',
        name: 'pii',
        found: true,
        rules: [{ name: 'cards', action: 'mask' }],
        from: { kind: 'AgentDeployment', namespace: 'support', name: 'triage', field: 'spec.guardrails[0]' },
      },
    ],
    namespaceGuardrails: false,
    quotas: [],
    limits: [{ name: 'timeout', value: '10m', from: { kind: 'Default', namespace: null, name: null, field: 'x' } }],
  },
  [`${agentPath}/tracepolicy`]: { tracePolicy: null },
  '/api/recipes': paged(),
  '/api/runs': ((_, response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(run))
  }) satisfies CannedHandler,
  '/api/conversations/talk-1': paged({
    runId: run.id,
    agent: run.agent,
    subject: run.subject,
    state: 'succeeded',
    input: hostileWords,
    output: 'The answer is 42.',
    truncated: false,
    error: null,
    usage: run.usage,
    createdAt: at,
    finishedAt: at,
  }),
  [`/api/runs/${run.id}`]: run,
  [`/api/runs/${run.id}/events`]: streamOf([...askingEvents, ...answeringEvents], true),
}

/** Id of the run of the conversation. */
export const cannedRunId = run.id
