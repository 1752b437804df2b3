import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseTraceparent } from '#core/telemetry/traceparent.ts'
import { singleHeader } from '../http/guard.ts'
import { readJson } from '../http/json-body.ts'
import { answer } from '../http/listener.ts'
import type { Exchange, Route } from '../http/listener.ts'
import { Refusal } from '../http/refusal.ts'
import type { Attempt } from '../runs/attempt.ts'
import type { Authorizer } from './authorizer.ts'
import { streamEvents } from './event-stream.ts'
import { parseInvokeRequest } from './invoke-request.ts'
import type { RunRegistry } from '../runs/run-registry.ts'

/** Maximum size of an invocation in bytes: history has at most 64 KiB; the checkpoint of a resumed run is the larger part. */
export const invokeBodyLimit = 16 * 1024 * 1024

/** Dependencies of the routes of port 8080. */
export interface InvokeRoutesOptions {
  readonly registry: RunRegistry
  readonly authorizer: Authorizer
  readonly unsigned: boolean
  /** Revision of the agent; undefined if unknown. */
  readonly agentRevision: number | undefined
  /** True if the launcher serves: false while it drains and until the agent answers. */
  readonly health: () => Promise<boolean>
  /** True once the agent has been ready; runs do not start before. */
  readonly started: () => boolean
}

/** Routes of port 8080; schemas/run.ts documents requests and responses. */
export function invokeRoutes(options: InvokeRoutesOptions): readonly Route[] {
  const { registry, authorizer } = options
  const attach = async ({ request, params }: Exchange): Promise<{ attempt: Attempt; epoch: number }> => {
    const runId = parseRunId(params.id)
    const { epoch } = await authorizer.attach(request, runId)
    return { attempt: registry.attach(runId, epoch), epoch }
  }
  return [
    { method: 'GET', pattern: '/healthz', handle: ({ response }) => health(response, options) },
    { method: 'POST', pattern: '/invoke', handle: ({ request, response }) => invoke(request, response, options) },
    {
      method: 'GET',
      pattern: '/runs/:id',
      handle: async (exchange) => known(exchange.response, (await attach(exchange)).attempt, options),
    },
    {
      method: 'GET',
      pattern: '/runs/:id/events',
      handle: async (exchange) => {
        const after = parseAfter(exchange)
        streamEvents(exchange.response, (await attach(exchange)).attempt, after)
      },
    },
    {
      method: 'GET',
      pattern: '/runs/:id/ticket',
      handle: async ({ request, response, params }) => {
        await authorizer.attach(request, parseRunId(params.id))
        answer(response, 200, { ticket: registry.ticket(options.started()) })
      },
    },
    {
      method: 'POST',
      pattern: '/runs/:id/ack',
      handle: async ({ request, response, params }) => {
        const runId = parseRunId(params.id)
        registry.acknowledge(runId, (await authorizer.attach(request, runId)).epoch)
        response.writeHead(204).end()
      },
    },
    {
      method: 'POST',
      pattern: '/runs/:id/cancel',
      handle: async (exchange) => {
        const { attempt } = await attach(exchange)
        attempt.stop('cancel')
        await attempt.stopped
        known(exchange.response, attempt, options)
      },
    },
  ]
}

async function health(response: ServerResponse, options: InvokeRoutesOptions): Promise<void> {
  const healthy = await options.health()
  answer(response, healthy ? 200 : 503, { status: healthy ? 'ok' : 'unavailable' })
}

// Responds with a known outcome, otherwise 202: the worker reads the journal by `GET /runs/{id}/events`.
function known(response: ServerResponse, attempt: Attempt, { agentRevision }: InvokeRoutesOptions): void {
  const result = attempt.result()
  const about = { runId: attempt.runId, ...(agentRevision === undefined ? {} : { agentRevision }) }
  const headers = { 'x-mesh-run-id': attempt.runId }
  if (result === undefined) answer(response, 202, { ...about, state: 'running' }, headers)
  else answer(response, 200, { ...about, ...result }, headers)
}

async function invoke(request: IncomingMessage, response: ServerResponse, options: InvokeRoutesOptions): Promise<void> {
  const given = singleHeader(request, 'x-mesh-run-id')
  const direct = given === undefined && options.unsigned
  const runId = direct ? randomUUID() : parseRunId(given)
  const { epoch } = await options.authorizer.invoke(request, runId)
  const body = parseInvokeRequest(await readJson(request, invokeBodyLimit))
  const parent = parseTraceparent(singleHeader(request, 'traceparent'))
  const ticket = singleHeader(request, 'x-mesh-ticket')
  const attempt = options.registry.start({ runId, epoch, request: body, parent, ticket, ready: options.started() })
  if (direct) await answerDirectly(request, response, attempt, options)
  else known(response, attempt, options)
}

// For curl (`meshctl dev`): no worker reads the journal, so the response contains the outcome.
async function answerDirectly(
  request: IncomingMessage,
  response: ServerResponse,
  attempt: Attempt,
  options: InvokeRoutesOptions,
): Promise<void> {
  const live = request.headers.accept?.includes('text/event-stream') === true
  if (live) streamEvents(response, attempt, 0)
  await attempt.done
  if (!live) known(response, attempt, options)
  options.registry.acknowledge(attempt.runId, 0)
}

function parseRunId(text: string | undefined): string {
  if (text === undefined) throw new Refusal('unauthenticated', 'X-Mesh-Run-Id is required')
  if (!/^[\w.-]{1,128}$/.test(text)) throw new Refusal('malformed_request', 'the run id is malformed')
  return text
}

function parseAfter({ request, query }: Exchange): number {
  const text = query.get('after') ?? singleHeader(request, 'last-event-id') ?? '0'
  if (!/^\d{1,12}$/.test(text)) throw new Refusal('malformed_request', 'after: must be a whole number')
  return Number(text)
}
