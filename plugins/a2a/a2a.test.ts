import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { Fail } from '#core/errors/domain-error.ts'
import { toProblemResponse } from '#core/http/problem/problem.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { LiveFrame } from '#plugins/runs/contract/api.ts'
import { entryKinds, pauseReasons, runStates } from '#schemas/runs/run.ts'
import { a2aTaskStates } from '#schemas/api/a2a.ts'
import { toRpcUrl } from './card/card-url.ts'
import { a2aErrors } from './contract/errors.ts'
import { writeRpcError } from './rpc/error-codes.ts'
import { createTaskUpdates } from './tasks/task-updates.ts'
import { runsInState, toState } from './tasks/to-task.ts'

const at = { ns: parseLabel('ns', 'demo'), name: parseName('name', 'hello') }

test('A2A: cards name the URL of the setting, else that of the request', () => {
  const call = { request: { protocol: 'http', host: 'localhost:8080' } } as Parameters<typeof toRpcUrl>[1]
  assert.equal(toRpcUrl(undefined, call, at), 'http://localhost:8080/api/agents/demo/hello/a2a')
  for (const base of ['https://mesh.example', 'https://mesh.example/', 'https://mesh.example/base'])
    assert.equal(toRpcUrl(base, call, at), `${base.replace(/\/$/, '')}/api/agents/demo/hello/a2a`)
})

test('A2A: errors of the protocol have status 200, refusals of the platform keep theirs', () => {
  const write = (error: unknown, body?: unknown) => {
    const { status, headers, body: text } = writeRpcError(toProblemResponse(error), body)
    return { status, headers, ...(JSON.parse(text) as { id: unknown; error: { code: number; message: string } }) }
  }
  const known = write(new Fail(a2aErrors.a2a_task_not_found), { id: 'x' })
  assert.deepEqual([known.status, known.id, known.error.code], [200, 'x', -32001])
  const busy = write(new Fail('too_many_requests', undefined, { retryAfter: 5 }), { id: 7 })
  assert.deepEqual([busy.status, busy.headers['retry-after'], busy.id, busy.error.code], [429, '5', 7, -32000])
  const broken = write(new Error('a secret'), { id: { a: 1 } })
  assert.deepEqual([broken.status, broken.id, broken.error.code], [500, null, -32603])
  assert.doesNotMatch(JSON.stringify(broken), /a secret/)
  // A8: the name of a refused parameter is in the problem document only.
  const query = write(
    new Fail('invalid_query', 'canary is not known.', { errors: [{ pointer: '?canary', detail: 'x' }] }),
  )
  assert.doesNotMatch(query.error.message, /canary/)
})

test('A2A: each state of a run is one state of a task, by which a list finds it', () => {
  for (const state of runStates)
    for (const reason of state === 'paused' ? pauseReasons : [null]) {
      const found = a2aTaskStates.filter((one) => {
        const { states, pauseReasons: reasons } = runsInState(one)
        return states.includes(state) && (reasons === undefined || (reason !== null && reasons.includes(reason)))
      })
      assert.deepEqual(found, [toState(state, reason)])
    }
})

const junk = fc.oneof(fc.jsonValue(), fc.constantFrom('a', 'x'.repeat(2000)))
const frame = fc.record({
  v: fc.constant(1 as const),
  seq: fc.nat(),
  runId: fc.constant('r'),
  ts: fc.constant('2026-01-01T00:00:00.000Z'),
  kind: fc.constantFrom(...entryKinds, 'constructor', 'stream.gone'),
  agent: fc.constant('robot'),
  path: fc.constant([]),
  spanId: fc.constant('s'),
  data: fc.record(
    {
      messageId: junk,
      text: junk,
      offset: junk,
      pauseReason: junk,
      interrupts: fc.oneof(junk, fc.array(junk)),
      output: junk,
      failReason: junk,
      message: junk,
    },
    { requiredKeys: [] },
  ),
})

test('A2A, F5: whatever an agent reports, the updates of a task have its id and a state of the protocol', () => {
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 40 }), (frames) => {
      const updates = createTaskUpdates({ id: 'r', contextId: 'c' })
      for (const item of frames.flatMap((one: LiveFrame) => updates(one))) {
        assert.ok('statusUpdate' in item || 'artifactUpdate' in item)
        const { taskId, contextId } = 'statusUpdate' in item ? item.statusUpdate : item.artifactUpdate
        assert.deepEqual([taskId, contextId], ['r', 'c'])
        if ('statusUpdate' in item) assert.ok(a2aTaskStates.includes(item.statusUpdate.status.state))
      }
    }),
  )
})

test('A2A: a text is sent once, whether as parts, as a text so far or at its end', () => {
  const updates = createTaskUpdates({ id: 'r', contextId: 'c' })
  const say = (kind: string, text: string) =>
    updates({
      v: 1,
      runId: 'r',
      ts: '',
      kind,
      agent: '',
      path: [],
      spanId: '',
      data: { messageId: 'm', text },
    }).flatMap((item) => ('statusUpdate' in item ? (item.statusUpdate.status.message?.parts ?? []) : []))
  const said = [say('message.snapshot', 'Hel'), say('message.delta', 'lo'), say('message.finished', 'Hello.')]
  assert.deepEqual(said.flat(), [{ text: 'Hel' }, { text: 'lo' }, { text: '.' }])
})
