import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import Anthropic, { APIError as AnthropicError } from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { contribute } from '#core/jobs/extension-point.ts'
import type { AgentCall } from '../contract/agent-model.ts'
import { errors, startFilterGateway } from '../filters/testing/filter-gateway.ts'
import type { ScenarioFilter } from '../filters/testing/filter-gateway.ts'
import { agentRuns } from '../contract/points.ts'
import { addRoute } from './gateway.ts'

/** A question. */
export const hello = [{ role: 'user' as const, content: 'what time is it?' }]
/** A tool. */
export const time = {
  name: 'time',
  description: 'The time.',
  input_schema: { type: 'object' as const, properties: {} },
}
/** A word that the filter of the scenario `guarded` masks. */
export const secret = 'MAGENTA-7'

/** Masks the secret in responses, and refuses requests that contain it. */
const filter: ScenarioFilter = {
  name: 'acme.secrets',
  scenario: 'guarded',
  open: () => ({
    request: ({ texts }) =>
      texts().some(({ text }) => text.includes(secret))
        ? { refuse: errors.acme_secret, message: 'A secret.' }
        : undefined,
    text: {
      lookBack: secret.length,
      check: ({ text }) => {
        const start = text.indexOf(secret)
        return start === -1 ? undefined : { change: [{ start, end: start + secret.length, text: '***' }] }
      },
    },
  }),
}

/** A gateway with mocks, an upstream, an agent and a filter, and the SDKs of both APIs. */
export async function startApis(t: TestContext) {
  const asked: AgentCall[] = []
  const usage = { inputTokens: 4, outputTokens: 2 }
  const runs = {
    invokeForGateway: async (call: AgentCall) => {
      asked.push(call)
      call.onText('I am ')
      const failed = { state: 'failed', output: null, error: { code: 'agent_error', message: 'no' } }
      const done = { state: 'succeeded', output: 'I am robot', error: null }
      return { runId: 'r1', usage, ...(call.input === 'fail' ? failed : done) }
    },
    agentOf: async () => undefined,
    agentsAbove: async () => [],
  }
  const gateway = await startFilterGateway(t, [filter], [contribute(agentRuns, runs)])
  const { a } = gateway.namespaces
  const script = [{ contains: 'time', toolCalls: [{ name: 'time', arguments: { zone: 'UTC' } }], reply: 'it is late' }]
  await addRoute(gateway.admin, a, 'mock', { provider: { type: 'mock' } })
  await addRoute(gateway.admin, a, 'scripted', { provider: { type: 'mock', mock: { script } } })
  const headers = (scenario: string) => ({ 'x-mesh-namespace': a, 'x-conversation-id': scenario })
  const token = gateway.kube.tokens['developer'] ?? ''
  return {
    ...gateway,
    asked,
    anthropic: (scenario = 'plain', bearer = token) =>
      new Anthropic({
        baseURL: gateway.url,
        apiKey: null,
        authToken: bearer,
        maxRetries: 0,
        defaultHeaders: headers(scenario),
      }),
    openai: (scenario = 'plain', bearer = token) =>
      new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: bearer, maxRetries: 0, defaultHeaders: headers(scenario) }),
    post: (path: string, body: string, more: Record<string, string> = {}) =>
      fetch(gateway.url + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          'x-mesh-namespace': a,
          ...more,
        },
        body,
      }),
  }
}

/** The gateway of {@link startApis}. */
export type ApiGateway = Awaited<ReturnType<typeof startApis>>

/** The error that Anthropic's SDK throws. */
export async function refusedByAnthropic(work: Promise<unknown>) {
  const error: unknown = await work.then(
    () => assert.fail('was not refused'),
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof AnthropicError, String(error))
  const { error: inner } = error.error as { error: { type: string; code: string; message: string } }
  return { status: error.status, ...inner }
}

/** A frame with this value. */
export const frame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
/** A frame of a streamed chat completion. */
export const delta = (content: object, reason: string | null = null): string =>
  frame({ model: 'test-1', choices: [{ index: 0, delta: content, finish_reason: reason }] })
/** The usage of a stream. */
export const usageFrame = frame({
  choices: [],
  usage: {
    prompt_tokens: 9,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 3 },
  },
})
/** The end of a stream. */
export const doneFrame = 'data: [DONE]\n\n'
