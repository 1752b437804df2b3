import assert from 'node:assert/strict'
import test from 'node:test'
import type { RawAnswer, RawRequest } from './send.ts'
import { untilObserved } from './until-observed.ts'

const invoke = (name: string): RawRequest => ({
  method: 'POST',
  path: '/api/invoke',
  body: { agent: { namespace: 'demo', name }, input: 'x' },
})

function answerOf(status: number, body: object = {}): RawAnswer {
  return { status, headers: {}, text: JSON.stringify(body), json: <T>() => body as T }
}

/** A platform that observes an agent after some refused runs. */
function platform(refusals: number) {
  const asked: string[] = []
  const send = untilObserved(async ({ method = 'GET', path }) => {
    asked.push(`${method} ${path}`)
    if (method === 'DELETE') return answerOf(204)
    if (path.startsWith('/api/agents')) return answerOf(201, { metadata: { namespace: 'demo', name: 'bot' } })
    return answerOf(asked.length <= refusals + 1 ? 404 : 200)
  })
  return { asked, send }
}

test('a run of an agent that was just created is repeated until the agent is observed', async () => {
  const { asked, send } = platform(3)
  await send({ method: 'POST', path: '/api/agents?namespace=demo', body: { config: {} } })
  assert.equal((await send(invoke('bot'))).status, 200)
  assert.equal(asked.length, 5)
})

test('an agent that was not created here, or is deleted, is a 404 at once', async () => {
  const { asked, send } = platform(1_000)
  assert.equal((await send(invoke('bot'))).status, 404)
  await send({ method: 'POST', path: '/api/agents', body: { namespace: 'demo', config: {} } })
  assert.equal((await send(invoke('other'))).status, 404)
  await send({ method: 'DELETE', path: '/api/agents/demo/bot' })
  assert.equal((await send(invoke('bot'))).status, 404)
  assert.equal(asked.length, 5)
})

test('an agent that is never observed is a 404 in the end', async () => {
  const { asked, send } = platform(1_000)
  await send({ method: 'POST', path: '/api/agents', body: { namespace: 'demo', config: {} } })
  assert.equal((await send(invoke('bot'))).status, 404)
  assert.equal(asked.length, 31)
})
