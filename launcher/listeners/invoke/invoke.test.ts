import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { isAlive, launch, post, readEvents, until } from '../../testdata/launch.ts'
import { nodeAgent } from '../../testdata/node-agent.ts'

const run = (id: string) => ({ 'x-mesh-run-id': id })

test('invoke: JSON, text and failures of an agent become outcomes', async (t) => {
  const { url } = await launch(t, { command: nodeAgent })
  const invoke = async (input: unknown) => (await post(`${url}/invoke`, { input, conversationId: 'c1' })).body
  const echo = await invoke({ do: 'echo', value: 1 })
  assert.equal(echo.state, 'succeeded')
  assert.deepEqual(echo.output, { input: { do: 'echo', value: 1 }, conversationId: 'c1' })
  assert.equal((await invoke({ do: 'text' })).output, 'plain text')
  const failed = await invoke({ do: 'fail' })
  assert.equal(failed.failReason, 'agent_error')
  assert.equal(failed.message, 'the agent responded with 500: no luck')
})

test('invoke: traceparent and the run id reach the agent, the trace is the caller’s', async (t) => {
  const { url, line } = await launch(t, { command: nodeAgent })
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const headers = { ...run('r1'), traceparent: `00-${traceId}-b7ad6b7169203331-01` }
  await post(`${url}/invoke`, { input: { do: 'headers' } }, headers)
  const [last] = (await readEvents(`${url}/runs/r1/events`)).slice(-1)
  const output = last?.data.output as Record<string, string>
  assert.match(output.traceparent ?? '', new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
  assert.equal(output['x-mesh-run-id'], 'r1')
  const { span } = (await line((entry) => (entry.span as { name?: string } | undefined)?.name === 'run')) as {
    span: Record<string, unknown>
  }
  assert.equal(span.parentSpanId, 'b7ad6b7169203331')
  assert.equal(span.spanId, last?.spanId)
})

test('O6: 200 posts of one run invoke the agent once; the result answers later ones', async (t) => {
  const launched = await launch(t, { command: nodeAgent })
  const id = randomUUID()
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => post(`${launched.url}/invoke`, { input: { do: 'stream' } }, run(id))),
  )
  assert.ok(answers.every(({ status }) => status === 200 || status === 202))
  const entries = await readEvents(`${launched.url}/runs/${id}/events`)
  assert.equal(entries.at(-1)?.kind, 'run.succeeded')
  assert.equal(launched.notes().filter((note) => note.startsWith('invoke')).length, 1)
  const again = await post(`${launched.url}/invoke`, { input: { do: 'stream' } }, run(id))
  assert.equal(again.status, 200)
  assert.equal(again.body.output, 'Hello wörld')
})

test('O6: a takeover replays unread entries and the text of the open message, then follows', async (t) => {
  const launched = await launch(t, { command: nodeAgent, env: { AGENT_CANCELS: 'true' } })
  const { url } = launched
  await post(`${url}/invoke`, { input: { do: 'hang' } }, run('r2'))
  const first = await readEvents(`${url}/runs/r2/events`, { until: ({ kind }) => kind === 'message.delta' })
  assert.deepEqual(
    first.map(({ kind, n }) => [kind, n]),
    [
      ['message.started', 1],
      ['message.delta', undefined],
    ],
  )
  const second = readEvents(`${url}/runs/r2/events?after=1`)
  const cancelled = await post(`${url}/runs/r2/cancel`)
  assert.equal(cancelled.body.state, 'cancelled')
  const entries = await second
  assert.deepEqual(entries[0]?.data, { messageId: first[0]?.data.messageId, offset: 0, text: 'partial' })
  const rest = entries.slice(1).map(({ n, kind }) => [n, kind])
  assert.deepEqual(rest, [
    [2, 'message.finished'],
    [3, 'run.cancelled'],
  ])
  const replayed = await readEvents(`${url}/runs/r2/events?after=1`)
  assert.deepEqual(
    replayed.map(({ n, kind }) => [n, kind]),
    rest,
  )
})

test('runs: an unknown run is 404, an acknowledged run is dropped and never invoked again', async (t) => {
  const launched = await launch(t, { command: nodeAgent })
  const { url } = launched
  assert.equal((await post(`${url}/runs/unknown/ack`)).status, 404)
  assert.equal((await fetch(`${url}/runs/unknown/events`)).status, 404)
  await post(`${url}/invoke`, { input: {} }, run('r3'))
  await readEvents(`${url}/runs/r3/events`)
  assert.equal((await post(`${url}/runs/r3/ack`)).status, 204)
  assert.equal((await post(`${url}/runs/r3/ack`)).status, 204)
  assert.equal((await fetch(`${url}/runs/r3/events`)).status, 404)
  const late = await post(`${url}/invoke`, { input: {} }, run('r3'))
  assert.deepEqual([late.status, late.body.error], [409, 'run_acknowledged'])
  assert.equal(launched.notes().filter((note) => note.startsWith('invoke')).length, 1)
})

test('runs: known kinds are appended to the journal, an agent cannot report the state of its run', async (t) => {
  const { url } = await launch(t, { command: nodeAgent })
  await post(`${url}/invoke`, { input: { do: 'kinds' } }, run('r4'))
  const entries = await readEvents(`${url}/runs/r4/events`)
  const kinds = entries.filter(({ n }) => n !== undefined).map(({ kind }) => kind)
  assert.deepEqual(kinds, [
    'step.started',
    'tool.started',
    'tool.finished',
    'message.started',
    'usage.reported',
    'message.finished',
    'run.succeeded',
  ])
  const last = entries.at(-1)
  assert.deepEqual(last?.data.output, { answer: 42 })
  assert.deepEqual(last?.data.usage, { inputTokens: 3, outputTokens: 4, cachedTokens: 0, reasoningTokens: 0 })
  assert.equal(entries.find(({ kind }) => kind === 'message.finished')?.data.text, 'ab')
  assert.deepEqual(last?.path, ['robot'])
})

test('cancel: an agent that confirms the stop keeps its process', async (t) => {
  const launched = await launch(t, { command: nodeAgent, env: { AGENT_CANCELS: 'true' } })
  await post(`${launched.url}/invoke`, { input: { do: 'deaf' } }, run('r5'))
  await until(() => launched.notes().some((note) => note.startsWith('invoke r5')), 'the agent was invoked')
  const { status, body } = await post(`${launched.url}/runs/r5/cancel`)
  assert.deepEqual([status, body.state], [200, 'cancelled'])
  assert.equal(launched.notes().filter((note) => note.startsWith('listening')).length, 1)
})

test('cancel: an agent that does not stop is ended after the grace, before the cancel is acknowledged', async (t) => {
  const launched = await launch(t, {
    command: nodeAgent,
    env: { AGENT_STUBBORN: 'true', MESH_CANCEL_GRACE_SECONDS: '0.1' },
  })
  await post(`${launched.url}/invoke`, { input: { do: 'deaf' } }, run('r6'))
  await until(() => launched.notes().some((note) => note.startsWith('invoke r6')), 'the agent was invoked')
  const worked = Number(
    launched
      .notes()
      .find((note) => note.startsWith('invoke r6'))
      ?.split(' ')[2],
  )
  const { body } = await post(`${launched.url}/runs/r6/cancel`)
  assert.equal(body.state, 'cancelled')
  assert.equal(isAlive(worked), false, 'the process that worked on the run is gone')
  await until(async () => (await fetch(`${launched.url}/healthz`)).status === 200, 'a new process is ready')
  assert.equal((await post(`${launched.url}/invoke`, { input: {} })).body.state, 'succeeded')
})

test('limits: timeout ends a run as timed_out, concurrency is 429 with Retry-After', async (t) => {
  const { url } = await launch(t, {
    command: nodeAgent,
    config: { limits: { timeout: '300ms', concurrency: 1 } },
    env: { AGENT_CANCELS: 'true' },
  })
  await post(`${url}/invoke`, { input: { do: 'hang' } }, run('r7'))
  const second = await fetch(`${url}/invoke`, {
    method: 'POST',
    headers: { ...run('r8'), 'content-type': 'application/json' },
    body: '{"input":{}}',
  })
  assert.deepEqual([second.status, second.headers.get('retry-after')], [429, '1'])
  const last = (await readEvents(`${url}/runs/r7/events`)).at(-1)
  assert.deepEqual([last?.kind, last?.data.message], ['run.timed_out', 'longer than limits.timeout (300ms)'])
  const begin = async () => (await post(`${url}/invoke`, { input: {} }, run('r8'))).status
  await until(async () => (await begin()) !== 429, 'the agent has stopped and takes the next run')
})

test('UXL5: a run ends at its limit; its agent has 5 s to stop and counts against the concurrency until then', async (t) => {
  const launched = await launch(t, {
    command: nodeAgent,
    config: { limits: { timeout: '700ms', concurrency: 1 } },
    env: { MESH_CANCEL_GRACE_SECONDS: '5' },
  })
  const { url } = launched
  const startedAt = performance.now()
  await post(`${url}/invoke`, { input: { do: 'hang' } }, run('r7'))
  const entries = await readEvents(`${url}/runs/r7/events`)
  const tookMs = performance.now() - startedAt
  assert.ok(tookMs >= 690, `${tookMs} ms`)
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    ['message.started', 'message.delta', 'message.finished', 'run.timed_out'],
  )
  assert.equal(entries[2]?.data.text, 'partial', 'what was said before is kept')
  assert.equal((await post(`${url}/runs/r7/ack`)).status, 204)
  const worked = Number(
    launched
      .notes()
      .find((note) => note.startsWith('invoke r7'))
      ?.split(' ')[2],
  )
  assert.equal(isAlive(worked), true, 'it has its time to stop')
  assert.equal((await post(`${url}/invoke`, { input: {} }, run('r8'))).status, 429)
  await until(() => !isAlive(worked), 'the process that did not stop is ended')
  assert.ok(performance.now() - startedAt > 5_600, 'after its time to stop')
  await until(async () => (await post(`${url}/invoke`, { input: {} }, run('r8'))).status < 300, 'the next run begins')
})

test('interrupts: an agent pauses with a checkpoint; a resume is a new attempt, its repeat is not', async (t) => {
  const launched = await launch(t, { command: nodeAgent })
  const { url } = launched
  await post(`${url}/invoke`, { input: { do: 'ask' } }, run('r9'))
  const paused = (await readEvents(`${url}/runs/r9/events`)).at(-1)
  assert.equal(paused?.kind, 'run.paused')
  assert.deepEqual(paused?.data.checkpoint, { at: 3 })
  await post(`${url}/runs/r9/ack`)
  const resolutions = [{ interruptId: 'q1', payload: 'red' }]
  const resume = { input: { do: 'ask' }, context: { resume: { resolutions, checkpoint: paused?.data.checkpoint } } }
  const answers = await Promise.all(Array.from({ length: 20 }, () => post(`${url}/invoke`, resume, run('r9'))))
  assert.ok(answers.every(({ status }) => status === 200 || status === 202))
  const entries = await readEvents(`${url}/runs/r9/events`)
  assert.deepEqual(entries.at(-1)?.data.output, ['red', { at: 3 }])
  assert.equal(entries[0]?.n, 1)
  assert.equal(launched.notes().filter((note) => note.startsWith('invoke r9')).length, 2)
})

test('invoke: invalid bodies are 400 with the field', async (t) => {
  const { url } = await launch(t, { command: nodeAgent })
  const cases: [unknown, RegExp][] = [
    [{}, /input: is missing/],
    [[], /must be a JSON object/],
    [{ input: 1, extra: 1 }, /extra: unknown field/],
    [{ input: 1, conversationId: 3 }, /conversationId/],
    [{ input: 1, context: { histori: [] } }, /context.histori/],
    [{ input: 1, context: { resume: { resolutions: [{ decision: 'approve' }] } } }, /resolutions\[0\].interruptId/],
    [{ input: JSON.parse('['.repeat(70) + ']'.repeat(70)) as unknown }, /deeper than 64/],
  ]
  for (const [body, message] of cases) {
    const answer = await post(`${url}/invoke`, body)
    assert.equal(answer.status, 400)
    assert.match(String(answer.body.message), message)
  }
  assert.equal((await post(`${url}/invoke`, { input: 1 }, run('a/b'))).status, 400)
  assert.equal((await fetch(`${url}/runs/x/events?after=-1`)).status, 400)
})
