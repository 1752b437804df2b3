import assert from 'node:assert/strict'
import test from 'node:test'
import type { ReceivedResponse } from '#schemas/wire/read-response.ts'
import type { StateCall } from '#launcher/contract/state/state-client.ts'
import { stateResponse } from '#launcher/testdata/state-response.ts'
import { createSettlements } from './settlements.ts'

const request = { usage: null, provider: null, estimated: false, outcome: 'succeeded' } as const
const ended = (state: string) => ({ cost: null, remaining: null, state })

interface Request {
  readonly call: StateCall
  answer(status: number, body: unknown): void
  fail(): void
}

/** A state role whose answers a test gives one by one. */
function createState() {
  const requests: Request[] = []
  const send = createSettlements((call) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReceivedResponse>()
    requests.push({
      call,
      answer: (status, body) => resolve(stateResponse(status, body)),
      fail: () => reject(new Error('reset')),
    })
    return promise
  })
  const settle = (id: string) => send({ id, body: request })
  const idsOf = ({ call: { path, body } }: Request): string =>
    path === '/budgets/settlements'
      ? (body as { items: { id: string }[] }).items.map(({ id }) => id).join()
      : (/holds\/(.*)\/settle$/.exec(path)?.[1] ?? path)
  return { requests, settle, sent: () => requests.map(idsOf) }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('settlements that become due while requests are in progress share the next one, each with its own answer', async () => {
  const { requests, settle, sent } = createState()
  const all = ['a', 'b', 'c', 'd', 'e'].map(settle)
  assert.deepEqual(sent(), ['a', 'b'], 'at once, and no more than two at a time')
  requests[0]?.answer(200, ended('a'))
  await turn()
  assert.deepEqual(sent(), ['a', 'b', 'c,d,e'])
  const { items } = (requests[2]?.call.body ?? { items: [] }) as { items: unknown[] }
  assert.deepEqual(items[0], { id: 'c', ...request })
  requests[2]?.answer(200, {
    items: [
      { id: 'c', ...ended('1') },
      { id: 'd', code: 'not_found' },
      { id: 'e', ...ended('3') },
    ],
  })
  requests[1]?.answer(200, ended('b'))
  const answers = await Promise.all(all)
  assert.deepEqual(
    answers.map(({ status, value }) => [status, value?.state]),
    [
      [200, 'a'],
      [200, 'b'],
      [200, '1'],
      [404, undefined],
      [200, '3'],
    ],
  )
})

test('B2: a request that hangs delays no other, and one that fails settles none of its holds', async () => {
  const { requests, settle, sent } = createState()
  const [hangs, first, ...rest] = ['a', 'b', 'c', 'd'].map(settle)
  requests[1]?.answer(200, ended('b'))
  await first
  await turn()
  assert.deepEqual(sent(), ['a', 'b', 'c,d'])
  requests[2]?.fail()
  for (const one of rest) await assert.rejects(one)
  const last = ['e', 'f'].map(settle)
  await turn()
  requests[3]?.answer(200, {})
  await turn()
  assert.deepEqual(sent(), ['a', 'b', 'c,d', 'e', 'f'])
  requests[4]?.answer(503, {})
  assert.deepEqual(
    (await Promise.all(last)).map(({ status }) => status),
    [200, 503],
  )
  requests[0]?.fail()
  await assert.rejects(hangs as Promise<unknown>)
})

test('a store that is down is an answer for none, and holds that are refused together are settled alone', async () => {
  const { requests, settle, sent } = createState()
  const all = ['a', 'b', 'c', 'd'].map(settle)
  requests[0]?.answer(200, {})
  requests[1]?.answer(200, {})
  await turn()
  requests[2]?.answer(503, { code: 'store_unavailable' })
  await assert.rejects(all[2] as Promise<unknown>)
  await assert.rejects(all[3] as Promise<unknown>)
  const more = ['e', 'f', 'g', 'h'].map(settle)
  for (const index of [3, 4]) requests[index]?.answer(200, {})
  await turn()
  requests[5]?.answer(400, { code: 'malformed_request' })
  await turn()
  assert.deepEqual(sent().slice(5), ['g,h', 'g'])
  requests[6]?.answer(400, {})
  await turn()
  requests[7]?.answer(200, {})
  assert.deepEqual(
    (await Promise.all(more)).map(({ status }) => status),
    [200, 200, 400, 200],
  )
})
