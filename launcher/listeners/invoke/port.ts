import { definePort } from '../../contract/http/port.ts'
import { unreadyReasons } from './launcher-pod.ts'
import {
  anyObject,
  anyOrAbsent,
  anyValue,
  count,
  list,
  object,
  enumOf,
  optionalField,
  string,
} from '#schemas/wire/schema.ts'

const time = string({ format: 'date-time' }, (value) =>
  Number.isNaN(Date.parse(value)) ? 'must be a time (RFC 3339)' : undefined,
)

const resolution = object(
  {
    interruptId: string(),
    decision: optionalField(enumOf('approve', 'reject')),
    payload: optionalField(anyValue),
    reason: optionalField(string()),
    arguments: optionalField(anyObject),
  },
  { open: true },
)

const invokeRequest = object({
  input: anyValue,
  conversationId: optionalField(string()),
  context: optionalField(
    object({
      history: optionalField(list(object({ input: anyOrAbsent, output: anyOrAbsent }, { open: true }))),
      resume: optionalField(object({ resolutions: list(resolution), checkpoint: anyOrAbsent })),
      lineage: optionalField(object({ rootRunId: string(), path: list(string()), deadline: optionalField(time) })),
    }),
  ),
})

const about = { runId: string(), agentRevision: optionalField(count) }
const running = object({ ...about, state: enumOf('running') })
// The fields of each state are those of `InvokeResult` in schemas/runs/run.ts.
const ended = object(
  { ...about, state: enumOf('succeeded', 'failed', 'paused', 'cancelled', 'timed_out') },
  { open: true },
)
const known = { 200: ended, 202: running } as const
const forRun = ['unauthenticated', 'keys_unavailable', 'stale_epoch', 'unknown_run'] as const
const status = (...values: readonly string[]) => object({ status: enumOf(...values) })

const unready = object({ status: enumOf('unavailable'), reason: enumOf(...unreadyReasons) })

/** Port 8080: workers start and follow runs, the kubelet probes. schemas/runs/run.ts describes the protocol. */
export const invokePort = definePort({
  name: 'invoke',
  // The history has at most 64 KiB; the checkpoint of a resumed run may be larger.
  bodyLimit: 16 * 1024 * 1024,
  routes: {
    live: {
      method: 'GET',
      path: '/livez',
      summary: 'Liveness: all ports are bound.',
      responses: { 200: status('ok') },
    },
    agentLive: {
      method: 'GET',
      path: '/agent/livez',
      summary: "Liveness probe of the agent's container.",
      responses: { 200: status('ok'), 503: status('ending') },
    },
    idle: {
      method: 'GET',
      path: '/idle',
      summary:
        "PreStop hook of the agent's container: refuses new runs, and responds when all runs have ended. `X-Mesh-Hook` is the token of the revision.",
      responses: { 200: status('idle') },
      refusals: ['unauthenticated'],
    },
    health: {
      method: 'GET',
      path: '/healthz',
      summary: 'Readiness: the launcher has a valid certificate and is not shutting down, and the agent responds.',
      responses: { 200: status('ok'), 503: unready },
    },
    invoke: {
      method: 'POST',
      path: '/invoke',
      summary:
        'Starts a run, or returns the existing one. Without `X-Mesh-Run-Id` an unsigned launcher waits for the outcome.',
      body: invokeRequest,
      responses: known,
      stream: 'text/event-stream',
      refusals: [
        'unauthenticated',
        'keys_unavailable',
        'stale_epoch',
        'run_acknowledged',
        'stale_ticket',
        'too_many_runs',
        'agent_not_ready',
        'other_revision',
        'draining',
      ],
    },
    run: {
      method: 'GET',
      path: '/runs/:id',
      summary: 'Returns the state of a run.',
      responses: known,
      refusals: forRun,
    },
    events: {
      method: 'GET',
      path: '/runs/:id/events',
      summary: 'Streams the entries of a run after `?after=`, then `stream.end`.',
      responses: {},
      stream: 'text/event-stream',
      refusals: forRun,
    },
    ticket: {
      method: 'GET',
      path: '/runs/:id/ticket',
      summary:
        'Issues a ticket for the start of a run in this process. `X-Mesh-Agent-Revision` names the only revision that may run it.',
      responses: { 200: object({ ticket: string() }) },
      refusals: ['unauthenticated', 'keys_unavailable', 'agent_not_ready', 'other_revision', 'draining'],
    },
    acknowledge: {
      method: 'POST',
      path: '/runs/:id/ack',
      summary: 'Drops the journal and the result of an ended run.',
      responses: { 204: null },
      refusals: forRun,
    },
    cancel: {
      method: 'POST',
      path: '/runs/:id/cancel',
      summary: "Stops a run, and responds when the agent's work has stopped.",
      responses: known,
      refusals: forRun,
    },
  },
})
