import assert from 'node:assert/strict'
import test from 'node:test'
import { Client } from 'undici'
import type { Dispatcher } from 'undici'
import { ADMIN, OTHER, WIDGETS, startTestServer, widget } from '#testing/test-server.ts'

type Options = Dispatcher.DispatchOptions

const as = (token: string, more: object = {}) => ({ authorization: `Bearer ${token}`, ...more })
const json = { 'content-type': 'application/json' }

test('in process: every call has the status, headers and body of a call over the port', async (t) => {
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
    { method: 'GET', path: WIDGETS, headers: as('unknown') },
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

test('in process: a write is visible over the port, and an aborted or late call fails like a socket', async (t) => {
  const server = await startTestServer(t, { controllers: false })
  const post: Options = { method: 'POST', path: WIDGETS, headers: as(ADMIN, json), body: JSON.stringify(widget('one')) }
  assert.equal((await collect(server.calls, post)).status, 201)
  assert.equal((await server.call('GET', `${WIDGETS}/one`)).code, 200)
  const get: Options = { method: 'GET', path: WIDGETS, headers: as(ADMIN) }
  const aborted = collect(server.calls, get, (controller) => controller.abort(new Error('enough')))
  await assert.rejects(aborted, /enough/)
  await server.close()
  await assert.rejects(collect(server.calls, get), { code: 'ECONNREFUSED' })
})

test('the Audit-Id of an answer is the one of its request, or new', async (t) => {
  const server = await startTestServer(t, { controllers: false })
  const idOf = async (given: object): Promise<unknown> => {
    const { headers } = await collect(server.calls, { method: 'GET', path: WIDGETS, headers: as(ADMIN, given) })
    return headers['audit-id']
  }
  assert.equal(await idOf({ 'audit-id': 'trace-1' }), 'trace-1')
  assert.match(String(await idOf({})), /^[0-9a-f-]{36}$/)
})

async function answer(dispatcher: Dispatcher, options: Options) {
  const { status, headers, text } = await collect(dispatcher, options)
  return shown(status, headers, text)
}

interface Collected {
  readonly status: number
  readonly headers: Dispatcher.ResponseData['headers']
  readonly text: string
}

function collect(
  dispatcher: Dispatcher,
  options: Options,
  onStart: (controller: Dispatcher.DispatchController) => void = () => undefined,
): Promise<Collected> {
  const { promise, resolve, reject } = Promise.withResolvers<Collected>()
  const pieces: Buffer[] = []
  let head: Pick<Collected, 'status' | 'headers'> = { status: 0, headers: {} }
  dispatcher.dispatch(options, {
    onRequestStart: onStart,
    onResponseStart: (_controller, status, headers) => void (head = { status, headers }),
    onResponseData: (_controller, piece) => void pieces.push(piece),
    onResponseEnd: () => resolve({ ...head, text: Buffer.concat(pieces).toString() }),
    onResponseError: (_controller, error) => reject(error),
  })
  return promise
}

// What differs from call to call, or belongs to the connection, is left out.
const own = new Set(['audit-id', 'date', 'connection', 'keep-alive', 'transfer-encoding'])
const made = /(creationTimestamp|time|uid|resourceVersion)("?: ?)"?[\w:.-]+"?/g

function shown(status: number, headers: Dispatcher.ResponseData['headers'], text: string) {
  assert.ok(headers['audit-id'], 'every answer has an audit id')
  const rest = Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name)))
  return { status, headers: rest, text: text.replaceAll(made, '$1$2X') }
}
