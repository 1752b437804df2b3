import assert from 'node:assert/strict'
import test from 'node:test'
import { createLog } from '#launcher/telemetry/log.ts'
import type { ReceivedResponse } from '#schemas/wire/read-response.ts'
import { pluginDisabled } from '#launcher/contract/state/plugin-disabled.ts'
import { createToolSource } from '#plugins/mcp/launcher/tool-source.ts'
import { policies as policiesPath } from '#plugins/guardrails/contract/wire.ts'
import { readResponse } from '#schemas/wire/read-response.ts'
import { stateResponse } from '#launcher/testdata/state-response.ts'
import { createGuardSource } from './guard-source.ts'
import { createHoldClient } from '../../budgets/launcher/holds.ts'

const policies = [
  { namespace: 'default', name: 'p', uid: 'u', generation: 1, rules: [{ name: 'r', action: 'block', pii: {} }] },
]
const options = { signer: () => undefined, agentUid: 'u', log: createLog('error') }

test('policies that are no longer confirmed are not applied', async () => {
  let answer: ReceivedResponse | undefined = stateResponse(200, { digest: 'd', policies })
  const state = async (): Promise<ReceivedResponse> => answer ?? Promise.reject(new Error('away'))
  const clock = { ms: 1_000 }
  const source = createGuardSource({ ...options, state, freshMs: 0, staleMs: 200, now: () => clock.ms })
  await source.current()
  answer = undefined
  clock.ms += 199
  await source.current()
  clock.ms += 1
  await assert.rejects(source.current(), { code: 'guardrail_unavailable' })
  answer = stateResponse(304, {})
  await source.current()
})

test('a policy that became invalid at the state role is applied no more', async () => {
  let answer: ReceivedResponse = stateResponse(200, { digest: 'd', policies })
  const source = createGuardSource({ ...options, state: async () => answer, freshMs: 0 })
  await source.current()
  answer = stateResponse(503, { code: 'guardrail_unavailable' })
  await assert.rejects(source.current(), { code: 'guardrail_unavailable' })
})

test('R2-C1: while the plugin of guardrails is off, model calls are refused with its name', async () => {
  let answer: ReceivedResponse = stateResponse(200, { digest: 'd', policies })
  const source = createGuardSource({ ...options, state: async () => answer, freshMs: 0 })
  await source.current()
  answer = stateResponse(501, { code: 'not_wired', detail: 'The plugin guardrails is disabled.' })
  const refused = { code: 'plugin_disabled', message: 'The plugin guardrails is disabled.' }
  await assert.rejects(source.current(), refused)
  await assert.rejects(source.current(), refused)
  answer = stateResponse(200, { digest: 'd', policies })
  await source.current()
})

test('R2-C1: holds, tools and tool calls of a plugin that is off are refused as such', async () => {
  const state = async (): Promise<ReceivedResponse> => stateResponse(501, { code: 'not_wired' })
  const { log } = options
  const refused = { code: 'plugin_disabled' }
  const request = {
    runId: null,
    model: 'a/b',
    operation: 'embeddings',
    inputTokens: 1,
    maxOutputTokens: 0,
    choices: 1,
  } as const
  await assert.rejects(
    createHoldClient({ state, log }).open(request, () => undefined),
    refused,
  )
  await assert.rejects(createToolSource({ state, log }).current(), refused)
  const other = stateResponse(503, { code: 'plugin_disabled', detail: 'spec.recording needs the plugin recording.' })
  assert.equal(pluginDisabled(readResponse(policiesPath, other))?.message, 'spec.recording needs the plugin recording.')
  for (const [status, code] of [
    [501, 'other'],
    [503, 'store_unavailable'],
    [200, undefined],
  ] as const)
    assert.equal(pluginDisabled(readResponse(policiesPath, stateResponse(status, { code }))), undefined)
})
