import assert from 'node:assert/strict'
import test from 'node:test'
import { Client } from 'undici'
import type { Dispatcher } from 'undici'
import { collect } from '#core/kube/read-body.ts'
import { ADMIN, OTHER, WIDGETS, startTestServer, widget } from '../test-server.ts'

type Options = Dispatcher.DispatchOptions

const never = new AbortController().signal
const as = (token: string, more: object = {}) => ({ authorization: `Bearer ${token}`, ...more })
const json = { 'content-type': 'application/json' }

test('in process every call is answered as on the port: status, body and headers', async (t) => {
  const server = await startTestServer(t, { controllers: false })
  const port = new Client(server.url)
  t.after(() => port.destroy())
  await server.call('POST', WIDGETS, widget('one'))
  const calls: readonly Options[] = [
    { method: 'GET', path: WIDGETS, headers: as(ADMIN) },
    { method: 'GET', path: `${WIDGETS}/one`, headers: as(ADMIN) },
    { method: 'GET', path: `${WIDGETS}/none`, headers: as(ADMIN) },
    { method: 'GET', path: `${WIDGETS}?limit=many`, headers: as(ADMIN) },
    { method: 'GET', path: WIDGETS, headers: as(OTHER) },
    { method: 'GET', path: WIDGETS, headers: as('nobody') },
    { method: 'GET', path: WIDGETS },
    { method: 'GET', path: '/version', headers: as(ADMIN) },
    { method: 'GET', path: `${WIDGETS}/one`, headers: as(ADMIN, { accept: 'application/yaml' }) },
    { method: 'GET', path: `${WIDGETS}/one`, headers: as(ADMIN, { accept: 'text/html' }) },
    { method: 'POST', path: `${WIDGETS}?dryRun=All`, headers: as(ADMIN, json), body: JSON.stringify(widget('two')) },
    { method: 'POST', path: WIDGETS, headers: as(ADMIN, json), body: '{"not' },
    { method: 'POST', path: WIDGETS, headers: as(ADMIN, json), body: JSON.stringify(widget('one')) },
  ]
  const seen = new Set<number>()
  for (const options of calls) {
    const [inside, outside] = [await answer(server.calls, options), await answer(port, options)]
    assert.deepEqual(inside, outside, `${options.method} ${options.path}`)
    seen.add(inside.status)
  }
  assert.deepEqual([...seen].toSorted(), [200, 201, 400, 401, 403, 404, 406, 409])
})

test('in process a write is there for the port, and a call that was aborted or comes after the end fails as a socket would', async (t) => {
  const server = await startTestServer(t, { controllers: false })
  const post: Options = { method: 'POST', path: WIDGETS, headers: as(ADMIN, json), body: JSON.stringify(widget('one')) }
  assert.equal((await collect(server.calls, post, never)).status, 201)
  assert.equal((await server.call('GET', `${WIDGETS}/one`)).code, 200)
  const get: Options = { method: 'GET', path: WIDGETS, headers: as(ADMIN) }
  const aborting = new AbortController()
  const aborted = collect(server.calls, get, aborting.signal)
  aborting.abort(new Error('enough'))
  await assert.rejects(aborted, /enough/)
  await server.close()
  await assert.rejects(collect(server.calls, get, never), { code: 'ECONNREFUSED' })
})

async function answer(dispatcher: Dispatcher, options: Options) {
  const { status, headers, pieces } = await collect(dispatcher, options, never)
  return shown(status, headers, Buffer.concat(pieces).toString())
}

// What differs from call to call, or belongs to the connection, is left out.
const own = new Set(['audit-id', 'date', 'connection', 'keep-alive', 'transfer-encoding'])
const made = /(creationTimestamp|time|uid|resourceVersion)("?: ?)"?[\w:.-]+"?/g

function shown(status: number, headers: Dispatcher.ResponseData['headers'], text: string) {
  assert.ok(headers['audit-id'], 'every answer has an audit id')
  const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name)))
  return { status, headers: rest, text: text.replaceAll(made, '$1$2X') }
}
