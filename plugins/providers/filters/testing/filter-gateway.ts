import { EventEmitter, once } from 'node:events'
import type { TestContext } from 'node:test'
import type OpenAI from 'openai'
import { Type } from 'typebox'
import { defineErrors } from '#core/errors/define-errors.ts'
import { contribute } from '#core/jobs/extension-point.ts'
import type { Contribution } from '#core/jobs/extension-point.ts'
import { isObject } from '#core/json/is-object.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { modelFilter } from '../../contract/points.ts'
import { addRoute, startGateway, startUpstream } from '../../testing/gateway.ts'
import type { ModelFilter } from '../../contract/model-filter.ts'

/** A filter of a scenario. It applies to calls whose conversation has the scenario's name. */
export interface ScenarioFilter extends Omit<ModelFilter, 'open'> {
  readonly scenario: string
  readonly open: ModelFilter['open']
}

/** Errors of the third-party plugin. */
export const errors = defineErrors({ acme_secret: { status: 403, title: 'The text contains a secret.' } })

/** Contributions of a third-party plugin with these filters. */
export function contributionsOf(filters: readonly ScenarioFilter[]): readonly Contribution[] {
  const plugin = definePlugin({
    contract: 1,
    name: 'acme',
    summary: 'Filters of a third party.',
    settings: Type.Object({}),
    errors,
    create: () => ({}),
    contributions: () =>
      filters.map(({ scenario, open, ...filter }) =>
        contribute(modelFilter, {
          ...filter,
          open: (call, context) => (call.conversationId === scenario ? open(call, context) : undefined),
        }),
      ),
  })
  return plugin.contributions?.({}) ?? []
}

/** Script of a call's upstream: writes these pieces, split as given, and may keep the connection open at the end. */
export interface Script {
  readonly json?: unknown
  readonly pieces?: readonly string[]
  readonly hang?: boolean
  /** Settles before the second piece is written. */
  readonly pause?: Promise<void>
}

/** A gateway with the filters, one route, and a provider that responds as the last scripted message specifies. */
export async function startFilterGateway(
  t: TestContext,
  filters: readonly ScenarioFilter[],
  more: readonly Contribution[] = [],
) {
  const gateway = await startGateway(t, [...contributionsOf(filters), ...more])
  const { a } = gateway.namespaces
  const cut = { count: 0 }
  const closing = new EventEmitter()
  let script: Script = {}
  const upstream = await startUpstream(t, async (response) => {
    response.on('close', () => closing.emit('closed', ++cut.count))
    const { json, pieces = [], hang = false, pause } = script
    if (json !== undefined)
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [index, piece] of pieces.entries()) {
      if (index === 1) await pause
      response.write(piece)
    }
    if (!hang) response.end()
  })
  await addRoute(gateway.admin, a, 'up', { provider: { type: 'openai', baseUrl: upstream.url } })
  return {
    ...gateway,
    upstream,
    closedUpstreams: () => cut.count,
    /** Resolves when at least `least` responses of the provider have ended or were cut off. */
    upstreamsClosed: async (least: number) => {
      while (cut.count < least) await once(closing, 'closed', { signal: AbortSignal.timeout(20_000) })
    },
    answer: (next: Script) => {
      script = next
    },
    client: (scenario: string): OpenAI =>
      gateway.as('developer', { 'x-mesh-namespace': a, 'x-conversation-id': scenario }),
  }
}

/** A plain completion with this message. */
export function completionOf(message: object): object {
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'test-1',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', logprobs: null }],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  }
}

/** The messages of a request as the provider received them. */
export function contentsOf(body: unknown): readonly unknown[] {
  const messages: readonly unknown[] = isObject(body) && Array.isArray(body.messages) ? body.messages : []
  return messages.map((message) => (isObject(message) ? message.content : message))
}
