import assert from 'node:assert/strict'
import test from 'node:test'
import { startLauncherSubject, startPlatformSubject } from './list.ts'
import type { Listener } from './list.ts'
import type { Door } from './corpus.ts'
import { exchangeRaw, statusOf } from './raw-exchange.ts'

// Limit for a response on a machine that runs many tests at once.
const boundMs = 30_000
const fewest = 8
const options = { timeout: 300_000, skip: process.platform === 'linux' ? (false as const) : 'reads /proc' }

for (const [name, start] of [
  ['mesh all', startPlatformSubject],
  ['launcher', startLauncherSubject],
] as const)
  test(`R2-M15: every refusal of a listener of ${name} says what is wrong`, options, async (t) => {
    const { listeners } = await start(t)
    // The embedded API server responds as Go's HTTP server does, and a broken frame of HTTP/2 has no response.
    const asked = listeners.filter((one) => !one.name.startsWith('API server') && one.http2 !== true)
    assert.ok(asked.length > 5, `${asked.length} listeners`)
    for (const listener of asked) await t.test(listener.name, async () => refuseAll(listener))
  })

async function refuseAll(listener: Listener): Promise<void> {
  const wrong: string[] = []
  const statuses: number[] = []
  for (const [name, bytes] of refusedRequests(listener)) {
    const { text } = await exchangeRaw(listener, bytes, boundMs)
    const status = statusOf({ text, end: 'answered' }) ?? 0
    if (status >= 400) statuses.push(status)
    if (status === 0 || (status >= 400 && !isExplained(text))) wrong.push(`${name}: ${text.slice(0, 400)}`)
  }
  assert.deepEqual(wrong, [])
  assert.ok(statuses.length >= fewest, `refused: ${statuses.join(', ')}`)
}

/** Whether the body is a problem document, an error of a model API, a refusal of a port, or a line of text. */
function isExplained(text: string): boolean {
  const at = text.indexOf('\r\n\r\n')
  const [fields, body] = [text.slice(0, at).toLowerCase(), text.slice(at + 4)]
  if (/^content-type: application\/problem\+json/m.test(fields)) return /"detail":"[^"]/.test(body)
  if (/^content-type: application\/json/m.test(fields)) return /"message":"[^"]/.test(body)
  return /^content-type: text\/plain/m.test(fields) && body.trim() !== ''
}

const json = 'Content-Type: application/json'

function refusedRequests({ port, doors }: Listener): readonly (readonly [name: string, bytes: string])[] {
  const host = `Host: 127.0.0.1:${port}`
  const [door] = doors
  const path = door?.path ?? '/'
  const request = (line: string, fields: readonly string[], body = ''): string =>
    `${[`${line} HTTP/1.1`, ...fields, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`
  const many = Array.from({ length: 300 }, (_, n) => `X-${n}: 1`)
  return [
    ['a broken request', 'broken\r\n\r\n'],
    ['no host', request(`GET ${path}`, [])],
    ['a foreign host', request(`GET ${path}`, ['Host: evil.example'])],
    ['a target that is no path', request('GET *', [host])],
    ['a malformed percent escape', request('GET /%zz', [host])],
    ['an unknown path', request('GET /none', [host])],
    ['an unknown path of the API', request('GET /api/none', [host, ...(door?.headers ?? [])])],
    ['an unknown method', request(`PROPFIND ${path}`, [host, ...(door?.headers ?? [])])],
    ['another method', request(`PATCH ${path}`, [host, ...(door?.headers ?? [])])],
    ['too many fields', request(`GET ${path}`, [host, ...many])],
    ['a field of 80 KiB', request(`GET ${path}`, [host, `X: ${'x'.repeat(80 * 1024)}`])],
    ['two lengths', request(`POST ${path}`, [host, json, 'Content-Length: 2', 'Content-Length: 3'], '{}')],
    ...doors.flatMap((one) => refusedBodies(one, host, request)),
  ]
}

function refusedBodies(
  { method, path, headers }: Door,
  host: string,
  request: (line: string, fields: readonly string[], body?: string) => string,
): readonly (readonly [name: string, bytes: string])[] {
  const line = `${method} ${path}`
  const send = (fields: readonly string[], body: string): string =>
    request(line, [host, ...fields, `Content-Length: ${body.length}`], body)
  return [
    [`${line} without a bearer`, send([json], '{}')],
    [`${line} with an odd bearer`, send([json, 'Authorization: Bearer none'], '{}')],
    [`${line} of another type`, send([...headers, 'Content-Type: text/plain'], '{}')],
    [`${line} without JSON`, send([...headers, json], '{')],
    [`${line} with a list`, send([...headers, json], '[]')],
    [`${line} with NUL`, send([...headers, json], '{"\\u0000":"\\ud800"}')],
    [`${line} that is too large`, request(line, [host, ...headers, json, 'Content-Length: 2000000000'])],
  ]
}
