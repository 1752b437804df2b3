import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import type { RawAnswer, RawRequest } from '#test/flows/platform/send.ts'
import type { Platform } from '../../flows/platform/running-platform.ts'
import type { Collector } from './collector.ts'
import { as } from './credentials.ts'
import { caseOf, cells } from './matrix.ts'
import { sampled } from './sample.ts'
import type { Summary } from './summary.ts'
import type { World } from './world.ts'

// Not valid as a Kubernetes name: names appear in responses and in the audit log by design.
const canaries = Array.from({ length: 50 }, (_, at) => `SK_canary_${at}_${randomBytes(9).toString('hex')}_`)
// Share of the routes in everyday tests.
const SHARE = 0.25

const trace = /SK_canary_\d+_[0-9a-f]{18}_/

// Without X-Request-Id, which is the caller's own mark on log lines and responses.
const headerNames = [
  'x-api-key',
  'cookie',
  'user-agent',
  'referer',
  'x-forwarded-user',
  'baggage',
  'tracestate',
].concat(['idempotency-key', 'if-match', 'last-event-id', 'accept-language', 'origin'])

/**
 * Sends 50 secrets through every route: in headers, query, path and each string of the body. Asserts that none appears in refusals, logs,
 * audit log, events, tables, metrics, traces or requests to the API server (A8), and neither does any bearer.
 */
export async function sendCanaries(world: World, summary: Summary, collector: Collector): Promise<void> {
  let count = 0
  const next = (): string => canaries[count++ % canaries.length] ?? ''
  const one = new Map(cells().map((cell) => [cell.route, cell]))
  const senders = world.credentials.filter(({ name }) => ['viewer', 'developer', 'garbage'].includes(name))
  for (const { route, target } of sampled([...one.values()], SHARE)) {
    for (const credential of senders) {
      // The input of an allowed run is stored with the run by design.
      const keeps = /^POST \/api\/(?:runs|invoke|.*\/a2a|.*\/ag-ui)$/.test(route) && credential.name === 'developer'
      for (const request of variants(caseOf({ route }).request(target, world), next, keeps)) {
        await summary.hold('canaries', async () => {
          const traced = { traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01` }
          const answer = await world.platform.send(
            as(credential, { ...request, headersOnly: true, headers: { ...traced, ...request.headers } }),
          )
          if (answer.status >= 400) holdAnswer(answer, `${credential.name}: ${route}`)
        })
        summary.add('canaries', 'cells')
      }
    }
  }
  assert.ok(count >= canaries.length)
  await summary.hold('canaries', () => holdPlaces(world, collector))
}

function* variants(request: RawRequest, next: () => string, keeps: boolean): Generator<RawRequest> {
  for (const name of headerNames) yield { ...request, headers: { [name]: next() } }
  const mark = request.path.includes('?') ? '&' : '?'
  yield { ...request, path: `${request.path}${mark}q=${next()}` }
  yield { ...request, path: `${request.path}${mark}${next()}=1` }
  const parts = request.path.split('?', 1)[0]?.split('/') ?? []
  for (let at = 3; at < parts.length; at++) yield { ...request, path: parts.with(at, next()).join('/') }
  if (request.body === undefined || keeps) return
  yield { ...request, body: Buffer.from(`{"text": ${next()}}`) }
  yield { ...request, body: { ...(request.body as object), unknown: next() } }
  for (const body of withEachText(request.body, next)) yield { ...request, body }
}

/** Yields the value once per string in it, with that string replaced. */
function* withEachText(value: unknown, next: () => string): Generator<unknown> {
  if (typeof value === 'string') yield next()
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    for (const changed of withEachText(inner, next)) yield { ...value, [key]: changed }
}

// `instance` is the path as the caller wrote it (RFC 9457), and is returned to that caller only.
function holdAnswer({ status, text, headers }: RawAnswer, place: string): void {
  const { instance: _, ...problem } = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
  // The unknown parameter or field is named; its value never is.
  const disclosed = JSON.stringify(problem).replaceAll(
    /"pointer":"[^"]*"|"detail":"[^"]* is not a known parameter\."/g,
    '',
  )
  assert.doesNotMatch(disclosed, trace, `${place}: ${status}`)
  assert.doesNotMatch(JSON.stringify(headers), trace, `${place}: headers`)
}

async function holdPlaces({ platform, credentials }: World, collector: Collector): Promise<void> {
  const tokens = credentials.flatMap(({ name, bearer }) => (bearer === undefined || name === 'garbage' ? [] : [bearer]))
  const clean = (text: string, place: string): void => {
    const at = text.search(trace)
    assert.ok(at < 0, `${place}: ${text.slice(Math.max(0, at - 300), at + 100)}`)
    for (const token of tokens) assert.ok(!text.includes(token), `${place}: a bearer`)
  }
  const processes = [...new Map(Object.values(platform.processes).map((one) => [one.adminUrl, one])).values()]
  for (const { adminUrl } of processes)
    clean(await (await fetch(`${adminUrl}/metrics`)).text(), `metrics of ${adminUrl}`)
  for (const file of platform.logFiles) {
    const text = readFileSync(file, 'utf8')
    assert.ok(!file.endsWith('bff.log') || text.includes('"msg":"request"'), `${file} is talkative`)
    // Skips the line on stdout that gives the user of a local installation its own tokens.
    clean(
      text
        .split('\n')
        .filter((line) => !line.startsWith('{"url"'))
        .join('\n'),
      file,
    )
  }
  clean(JSON.stringify(await platform.upstream.since(0)), "the API server's audit log")
  clean(await auditOf(platform), 'audit log')
  clean(await spansOf(platform, collector), 'traces')
  if (platform.servers !== undefined) clean(await storeOf(platform.servers.postgres.url), 'tables')
}

// Spans are exported in order, so a later request's span proves that earlier ones were exported. A full exporter may drop that span;
// another request is then sent.
async function spansOf({ send, tokens }: Platform, collector: Collector): Promise<string> {
  const traceId = randomBytes(16).toString('hex')
  const until = performance.now() + 60_000
  while (!collector.text().includes(traceId)) {
    assert.ok(performance.now() < until, 'no span of a request was exported in a minute')
    const headers = { traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01` }
    await send({ path: '/api/whoami', bearer: tokens.viewer, headers })
    await collector.untilMore()
  }
  return collector.text()
}

async function auditOf({ send, tokens }: Platform): Promise<string> {
  let text = ''
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await send({ path: `/api/audit?limit=200${query}`, bearer: tokens.admin })
    assert.equal(page.status, 200, page.text)
    text += page.text
    cursor = page.json<{ nextCursor: string | null }>().nextCursor
  }
  return text
}

async function storeOf(url: string): Promise<string> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    )
    const texts: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from "${name}" t`)
      texts.push(...rows.map(({ text }) => text))
    }
    return texts.join('\n')
  } finally {
    await client.end()
  }
}
