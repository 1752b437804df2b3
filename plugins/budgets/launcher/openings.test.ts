import assert from 'node:assert/strict'
import test from 'node:test'
import type { ReceivedResponse } from '#schemas/wire/read-response.ts'
import type { StateCall } from '#launcher/contract/state/state-client.ts'
import { stateResponse } from '#launcher/testdata/state-response.ts'
import { createOpenings } from './openings.ts'

const asked = {
  runId: null,
  operation: 'chat/completions',
  inputTokens: 1,
  maxOutputTokens: null,
  choices: 1,
} as const

const opened = (id: string) => ({
  id,
  amount: '0.5',
  currency: 'USD',
  maxOutputTokens: 10,
  expiresAt: '2026-11-28T00:00:00.000Z',
  renewEverySeconds: 20,
  remaining: '4.5',
})

interface Request {
  readonly call: StateCall
  answer(status: number, body?: object): void
  fail(code?: string): void
}

/** A state role whose answers a test gives one by one. */
function createState() {
  const requests: Request[] = []
  const clock = { now: 0 }
  const send = createOpenings(
    (call) => {
      const { promise, resolve, reject } = Promise.withResolvers<ReceivedResponse>()
      requests.push({
        call,
        answer: (status, body = {}) => resolve(stateResponse(status, body)),
        fail: (code) => reject(Object.assign(new Error('no answer'), { code })),
      })
      return promise
    },
    () => clock.now,
  )
  const keysOf = ({ call: { path, body, headers } }: Request): string =>
    path === '/budgets/openings'
      ? (body as { items: { key: string }[] }).items.map(({ key }) => key).join()
      : (headers?.['idempotency-key'] ?? path)
  return {
    requests,
    clock,
    open: (key: string) => send({ key, request: { ...asked, model: `model-${key}` } }),
    sent: () => requests.map(keysOf),
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Two requests of one hold are in progress, and a third one has the others. */
async function shared(keys: readonly string[]) {
  const state = createState()
  const [first, second, ...rest] = ['one', 'two', ...keys].map(state.open)
  state.requests[0]?.answer(201, opened('one'))
  await first
  await turn()
  assert.deepEqual(state.sent(), ['one', 'two', keys.join()])
  return { ...state, second, rest, request: state.requests[2] as Request }
}

test('R2-P5: holds asked for while requests are in progress share the next one, each with its key and answer', async () => {
  const { requests, rest, request } = await shared(['a', 'b', 'c', 'd'])
  assert.deepEqual(requests[0]?.call.path, '/budgets/holds')
  assert.deepEqual((request.call.body as { items: unknown[] }).items[1], { key: 'b', ...asked, model: 'model-b' })
  request.answer(200, {
    items: [
      opened('hold-a'),
      { status: 402, code: 'budget_exceeded', detail: 'No money.', headers: { 'x-mesh-on-exceed': 'pause' } },
      opened('hold-c'),
      { status: 429, code: 'rate_limited', detail: 'Too many.', headers: { 'retry-after': '7' } },
    ],
  })
  const answers = await Promise.all(rest)
  assert.deepEqual(
    answers.map(({ status, headers, value, problem }) => [status, headers, value?.id ?? problem.code]),
    [
      [201, {}, 'hold-a'],
      [402, { 'x-mesh-on-exceed': 'pause' }, 'budget_exceeded'],
      [201, {}, 'hold-c'],
      [429, { 'retry-after': '7' }, 'rate_limited'],
    ],
  )
})

test('R2-P5: a reset request is repeated once with the same keys, and no answer opens no hold', async () => {
  const { requests, sent, rest, request } = await shared(['a', 'b'])
  request.fail('ECONNRESET')
  await turn()
  assert.deepEqual(sent().slice(2), ['a,b', 'a,b'])
  const refused = rest.map((one) => assert.rejects(one))
  requests[3]?.fail('ECONNRESET')
  await turn()
  assert.equal(requests.length, 4, 'what may be held is not asked for again')
  await Promise.all(refused)
  const late = await shared(['c', 'd'])
  const unanswered = late.rest.map((one) => assert.rejects(one))
  late.request.fail('UND_ERR_HEADERS_TIMEOUT')
  await turn()
  assert.equal(late.requests.length, 3)
  await Promise.all(unanswered)
})

test('R2-P5: a state role without the path gets one hold after the other, for a minute', async () => {
  for (const status of [404, 405]) {
    const { requests, clock, open, sent, rest, request } = await shared(['a', 'b'])
    request.answer(status, { code: 'not_found' })
    await turn()
    assert.deepEqual(sent().slice(3), ['a', 'b'])
    requests[3]?.answer(201, opened('hold-a'))
    requests[4]?.answer(404, { code: 'unbudgeted' })
    assert.deepEqual(
      (await Promise.all(rest)).map((answer) => answer.status),
      [201, 404],
    )
    for (const key of ['c', 'd', 'e', 'f']) void open(key)
    assert.deepEqual(sent().slice(5), ['c', 'd', 'e', 'f'])
    clock.now = 60_000
    await turn()
    for (const key of ['g', 'h', 'i']) void open(key)
    requests[1]?.answer(201, opened('two'))
    await turn()
    assert.deepEqual(sent().slice(9), ['g', 'h,i'])
  }
})

test('R2-P5: holds that are refused together are asked for alone, and so is one that met an unexpected error', async () => {
  const { requests, sent, rest, request } = await shared(['a', 'b'])
  request.answer(400, { code: 'invalid_body' })
  await turn()
  assert.deepEqual(sent().slice(3), ['a', 'b'])
  requests[3]?.answer(400)
  requests[4]?.answer(201, opened('b'))
  assert.deepEqual(
    (await Promise.all(rest)).map(({ status }) => status),
    [400, 201],
  )
  const odd = await shared(['c', 'd'])
  odd.request.answer(200, { items: [{ status: 500, code: 'internal_error', detail: 'x', headers: {} }, opened('d')] })
  await turn()
  assert.deepEqual(odd.sent().slice(3), ['c'])
  odd.requests[3]?.answer(500)
  assert.deepEqual(
    (await Promise.all(odd.rest)).map(({ status }) => status),
    [500, 201],
  )
})

test('R2-P5: answers that are not one for each hold are an answer for none', async () => {
  for (const body of [{}, { items: null }, { items: [opened('a')] }, { items: 'ab' }]) {
    const { requests, sent, rest, request } = await shared(['a', 'b'])
    request.answer(200, body)
    await turn()
    assert.deepEqual(sent().slice(3), ['a', 'b'])
    for (const index of [3, 4]) requests[index]?.answer(201, opened('own'))
    assert.deepEqual(
      (await Promise.all(rest)).map((answer) => answer.value?.id),
      ['own', 'own'],
    )
  }
  const { rest, request } = await shared(['a', 'b'])
  request.answer(503, { code: 'store_unavailable' })
  assert.deepEqual(
    (await Promise.all(rest)).map(({ status }) => status),
    [503, 503],
  )
})
