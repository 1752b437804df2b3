import assert from 'node:assert/strict'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { Type } from 'typebox'
import { Fail } from '#core/errors/domain-error.ts'
import { endpoint } from '../endpoint/endpoint.ts'
import { buildServer } from '../testing/build-server.ts'
import { checkedResponses } from './validate-response.ts'
import type { CheckedResponse } from './validate-response.ts'

const RpcResponse = Type.Object({ error: Type.Optional(Type.Object({ code: Type.Integer() })) })

/** Calls an endpoint that writes its errors with this status and body. */
async function fail(t: TestContext, status: number, error: object) {
  const published: CheckedResponse[] = []
  const note = (response: unknown): void => void published.push(response as CheckedResponse)
  checkedResponses.subscribe(note)
  t.after(() => checkedResponses.unsubscribe(note))
  const rpc = endpoint({
    method: 'POST',
    url: '/rpc',
    summary: 'x',
    authz: { kind: 'bearer' },
    response: { 200: RpcResponse },
    writeError: () => ({ status, headers: {}, contentType: 'application/json', body: JSON.stringify({ error }) }),
    handle: () => Promise.reject(new Fail('conflict')),
  })
  const { app } = await buildServer(t, [{ endpoints: [rpc] }])
  const headers = { authorization: 'Bearer good-token' }
  const { statusCode } = await app.inject({ method: 'POST', url: '/api/rpc', headers })
  return { statusCode, published }
}

test('an error that an endpoint writes as a success is checked and published as one', async (t) => {
  const { statusCode, published } = await fail(t, 200, { code: -32001 })
  assert.equal(statusCode, 200)
  const [only] = published
  assert.deepEqual([published.length, only?.endpoint.url, only?.value], [1, '/api/rpc', { error: { code: -32001 } }])
})

test('an error that differs from the declared response fails the request', async (t) => {
  const { statusCode, published } = await fail(t, 200, { code: 'not_found' })
  assert.deepEqual([statusCode, published], [500, []])
})

test('an error with the status of a refusal is no declared response', async (t) => {
  const { statusCode, published } = await fail(t, 409, { code: -32000 })
  assert.deepEqual([statusCode, published], [409, []])
})
