import assert from 'node:assert/strict'
import test from 'node:test'
import { readProblem } from '../../ui/api/api-problem.ts'

const respond = (body: unknown, init: ResponseInit): Response => new Response(JSON.stringify(body), init)

test('a denied request names verb, resource, group and namespace as the cluster did', async () => {
  const message =
    'tenants.mesh.dev is forbidden: User "viewer" cannot list resource "tenants" in API group "mesh.dev" in the namespace "demo"'
  const { facts } = await readProblem(
    respond({ title: 'Denied.', detail: message, cluster: { message } }, { status: 403 }),
  )
  assert.deepEqual(facts.right, { verb: 'list', resource: 'tenants', group: 'mesh.dev', namespace: 'demo' })
  const whole = { cluster: { message: 'cannot get resource "pods/log" in API group "" at the cluster scope' } }
  const { facts: atScope } = await readProblem(respond(whole, { status: 403 }))
  assert.deepEqual(atScope.right, { verb: 'get', resource: 'pods/log', group: '', namespace: undefined })
})

test('a response that is no problem document keeps its status', async () => {
  for (const body of [null, [], 'text', { title: 5, detail: {}, errors: 'x', cluster: { message: 7 } }]) {
    const { facts } = await readProblem(respond(body, { status: 502 }))
    assert.deepEqual(facts, { status: 502, title: 'The request failed.', detail: 'The server responded with 502.' })
  }
})

test('the wait that the server asks for is bounded, and refused fields are read one by one', async () => {
  const body = {
    title: 'Slow down.',
    detail: 'Too many.',
    errors: [{ pointer: '/spec', detail: 'Bad.' }, null, { pointer: 1 }],
  }
  const waitOf = async (value: string): Promise<number | undefined> =>
    (await readProblem(respond(body, { status: 429, headers: { 'retry-after': value } }))).facts.retryAfter
  assert.deepEqual(
    [await waitOf('7'), await waitOf('99999'), await waitOf('-2'), await waitOf('soon')],
    [7, 3600, 0, undefined],
  )
  const { facts } = await readProblem(respond(body, { status: 400 }))
  assert.deepEqual(facts.errors, [{ pointer: '/spec', detail: 'Bad.' }])
})
