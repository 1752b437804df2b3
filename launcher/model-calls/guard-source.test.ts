import assert from 'node:assert/strict'
import test from 'node:test'
import { createLog } from '../telemetry/log.ts'
import type { StateAnswer } from '../state/state-client.ts'
import { createGuardSource } from './guard-source.ts'

const policies = [{ namespace: 'default', name: 'p', rules: [{ name: 'r', action: 'block', pii: {} }] }]
const answerOf = (status: number, body: StateAnswer['body']): StateAnswer => ({
  status,
  headers: {},
  body,
  bytes: Buffer.alloc(0),
})
const options = { signer: () => undefined, agentUid: 'u', log: createLog('error') }

test('policies that are no longer confirmed are not applied', async () => {
  let answer: StateAnswer | undefined = answerOf(200, { digest: 'd', policies })
  const state = async (): Promise<StateAnswer> => answer ?? Promise.reject(new Error('away'))
  const clock = { ms: 1_000 }
  const source = createGuardSource({ ...options, state, freshMs: 0, staleMs: 200, now: () => clock.ms })
  await source.current()
  answer = undefined
  clock.ms += 199
  await source.current()
  clock.ms += 1
  await assert.rejects(source.current(), { code: 'guardrail_unavailable' })
  answer = answerOf(304, {})
  await source.current()
})

test('a policy that became invalid at the state role is applied no more', async () => {
  let answer: StateAnswer = answerOf(200, { digest: 'd', policies })
  const source = createGuardSource({ ...options, state: async () => answer, freshMs: 0 })
  await source.current()
  answer = answerOf(503, { code: 'guardrail_unavailable' })
  await assert.rejects(source.current(), { code: 'guardrail_unavailable' })
})
