import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Persona } from '#local/data-folder/personas.ts'
import { agentCommand } from './platform/agent-command.ts'
import { allowInvoke } from './platform/allow-invoke.ts'
import { sharedEmbedded } from './platform/shared-platform.ts'

const traceId = 'c'.repeat(32)
const traceparent = `00-${traceId}-${'d'.repeat(16)}-01`

// Responds after the given number of milliseconds.
const command = agentCommand(async ({ input }) => {
  await new Promise((resolve) => setTimeout(resolve, Number(input)))
  return 'done'
})

interface Run {
  readonly id: string
  readonly state: string
  readonly output: unknown
  readonly traceId: string
}

test('R2-UX-3, SEC18, UXM1: what POST /api/invoke answers', async (t) => {
  const platform = await sharedEmbedded()
  const agent = { namespace: 'default', name: 'slow' }
  const ask = (persona: Persona, line: string, more: { body?: unknown; headers?: Record<string, string> } = {}) => {
    const [method = '', path = ''] = line.split(' ')
    const { body, headers = {} } = more
    const bearer = platform.tokens[persona]
    return platform.send({ method, path: `/api${path}`, bearer, headers, ...(body === undefined ? {} : { body }) })
  }
  const logs = (): string => platform.logFiles.map((file) => readFileSync(file, 'utf8')).join('')
  const earlier = logs().length
  const printed = (): string => logs().slice(earlier)
  const count = async (): Promise<number> =>
    (await ask('developer', 'GET /runs?namespace=default&limit=200')).json<{ items: Run[] }>().items.length
  const made = await ask('developer', 'POST /agents', {
    body: { namespace: 'default', config: { name: 'slow', runtime: { command }, limits: { concurrency: 8 } } },
  })
  assert.equal(made.status, 201, made.text)
  await allowInvoke(platform, 'other-tenant', 'slow')

  await t.test('R2-UX-3: 200 and 202 are the Run, with runId of the same value as id', async () => {
    const read = async (id: string) => (await ask('developer', `GET /runs/${id}`)).json<Run>()
    const done = await ask('developer', 'POST /invoke', { body: { agent, input: 0 } })
    assert.equal(done.status, 200, done.text)
    const ended = done.json<Run & { runId: string }>()
    assert.deepEqual(ended, { ...(await read(ended.id)), runId: ended.id })
    const waiting = await ask('developer', 'POST /invoke', { body: { agent, input: 3000, timeout: '1s' } })
    assert.equal(waiting.status, 202, waiting.text)
    const open = waiting.json<Run & { runId: string }>()
    assert.equal(open.runId, open.id)
    const names = (run: object): string[] => Object.keys(run).toSorted()
    assert.deepEqual(names(open), names(ended))
    assert.equal(waiting.headers['location'], `/api/runs/${open.id}`)
  })

  await t.test('SEC18: without get runs it is 202 with the run, and a repeat by key is the same run', async () => {
    const invoke = () =>
      ask('other-tenant', 'POST /invoke', { body: { agent, input: 0 }, headers: { 'idempotency-key': 'only-invoke' } })
    const before = await count()
    const first = await invoke()
    assert.equal(first.status, 202, first.text)
    const run = first.json<Run & { runId: string }>()
    assert.equal(run.runId, run.id, 'R2-UX-3')
    assert.equal(first.headers['location'], `/api/runs/${run.id}`)
    assert.equal(run.output, null, 'the outcome is for those who may get it')
    const again = await invoke()
    assert.deepEqual([again.status, again.text], [202, first.text])
    assert.equal(await count(), before + 1)
    // A wait without permission to get the run ends with an error in the log.
    assert.doesNotMatch(printed(), /waiting for a run failed/)
  })

  await t.test('SEC18: a stream without get runs, or with a key, is refused and makes no run', async () => {
    const before = await count()
    const accept = 'text/event-stream'
    const unreadable = await ask('other-tenant', 'POST /invoke', { body: { agent, input: 0 }, headers: { accept } })
    assert.equal(unreadable.status, 403, unreadable.text)
    const keyed = await ask('developer', 'POST /invoke', {
      body: { agent, input: 0 },
      headers: { accept, 'idempotency-key': 'streamed' },
    })
    assert.equal(keyed.status, 400, keyed.text)
    assert.match(keyed.json<{ detail: string }>().detail, /^Idempotency-Key: .*\/api\/runs\/\{id\}\/events/)
    assert.equal(await count(), before)
  })

  await t.test('SEC18, UXH10: a timeout out of bounds is a 400 that names the maximum, and makes no run', async () => {
    const before = await count()
    for (const timeout of ['0s', '30d', '50d', '60d']) {
      const answer = await ask('developer', 'POST /invoke', { body: { agent, input: 0, timeout } })
      assert.equal(answer.status, 400, answer.text)
      const { errors } = answer.json<{ errors: { pointer: string; detail: string }[] }>()
      assert.deepEqual([errors[0]?.pointer, /to 24h/.test(errors[0]?.detail ?? '')], ['/timeout', true])
    }
    assert.equal(await count(), before)
  })

  await t.test('SEC18: the gateway refuses a chat whose answer the caller may not get, and makes no run', async () => {
    const before = await count()
    const chat = (bearer: string, headers: Record<string, string> = {}) =>
      fetch(`${platform.gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'agent/default/slow', messages: [{ role: 'user', content: '0' }] }),
      })
    assert.equal((await chat(platform.tokens['other-tenant'])).status, 403)
    for (const id of ['../x', 'x'.repeat(129)])
      assert.equal((await chat(platform.tokens.developer, { 'x-conversation-id': id })).status, 400, 'SEC25')
    assert.equal(await count(), before)
    assert.equal((await chat(platform.tokens.developer, { 'x-conversation-id': 'ok', traceparent })).status, 200)
    const [newest] = (await ask('developer', 'GET /runs?namespace=default&limit=1')).json<{ items: Run[] }>().items
    assert.notEqual(newest?.traceId, traceId, 'SEC26')
  })

  await t.test('SEC26: neither a run nor its audit row is of the trace that its caller names', async () => {
    const answer = await ask('developer', 'POST /runs', { body: { agent, input: 0 }, headers: { traceparent } })
    const run = answer.json<Run>()
    assert.notEqual(run.traceId, traceId)
    for (;;) {
      const rows = (await ask('operator', 'GET /audit?kind=Run&action=create&limit=50')).json<{
        items: { resource_name: string; trace_id: string }[]
      }>()
      const row = rows.items.find((item) => item.resource_name === run.id)
      if (row) return assert.equal(row.trace_id, run.traceId)
      await pause(50)
    }
  })

  await t.test('UXM1: a wait of eight seconds prints no warning', async () => {
    const answer = await ask('developer', 'POST /invoke', { body: { agent, input: 8000 } })
    assert.deepEqual([answer.status, answer.json<Run>().state], [200, 'succeeded'], answer.text)
    assert.doesNotMatch(printed(), /MaxListenersExceededWarning|TimeoutOverflowWarning/)
  })
})
