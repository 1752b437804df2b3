import assert from 'node:assert/strict'
import type { RequestListener, ServerResponse } from 'node:http'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { packConsole } from '../../scripts/console/pack-console.ts'
import { cannedDetail, cannedRunId, cannedRuns, cannedTree } from './canned-runs.ts'
import { needsChromium } from './browser-session.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, looks, openLook, overflowOf, startBrowser } from './look.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { files } = await packConsole(root)

/** Pages, with what they show. */
const pages: readonly (readonly [string, string])[] = [
  ['/runs', 'tr[data-index="3"]'],
  [`/runs/${cannedRunId(3)}`, '[role="row"][aria-selected="true"]'],
  [`/runs/${cannedRunId(13)}?view=messages`, 'article'],
]

/** Requests of a page to the API. */
function requestsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith('/api/'))",
  )
}

test(
  'pages of runs: no violation, no error, no sideways scroll, few requests, hostile words as text',
  needsChromium,
  async (t) => {
    const url = await serveConsole(t, files, cannedRuns)
    const browser = await startBrowser(t)
    for (const [path, shown] of pages)
      for (const look of looks) {
        const name = `${path} ${look.scheme} ${look.width}`
        const { page, problems } = await openLook(browser, url + path, look)
        await page.waitForSelector(shown)
        assert.deepEqual(await axeViolations(page), [], name)
        assert.ok((await overflowOf(page)) <= 0, `${name} scrolls sideways`)
        assert.deepEqual(problems, [], name)
        assert.ok((await requestsOf(page)).filter((one) => !/capabilities|namespaces/.test(one)).length <= 6, name)
        assert.doesNotMatch(await page.title(), /^x$/)
        await page.context().close()
      }
  },
)

test('a denied list of runs names the right; a list that fails offers another try', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  for (const status of [403, 404, 429, 500]) {
    const url = await serveConsole(t, files, { ...cannedRuns, '/api/runs': status })
    const { page } = await openLook(browser, `${url}/runs`, { scheme: 'light', width: 'wide' })
    await page.waitForSelector(status === 403 ? 'text=You may not see this page' : 'text=Try again')
    await page.context().close()
  }
})

test('a live run grows by its stream, which is opened again where it was cut', needsChromium, async (t) => {
  const path = `/api/runs/${cannedRunId(0)}`
  const asked: (string | undefined)[] = []
  let state = 'running'
  const events: RequestListener = (request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (asked.length === 1) {
      sendEvent(response, 1, 'run.started', {})
      sendEvent(response, undefined, 'run.progress', { message: 'Reads the ledger' })
      // Cut in the middle of an event.
      response.write('id: 2\nevent: step.started\ndata: {"kind":')
      setTimeout(() => response.destroy(), 300)
      return
    }
    state = 'succeeded'
    sendEvent(response, 2, 'run.succeeded', { output: 'Done.' })
    sendEvent(response, undefined, 'stream.end', {})
    response.end()
  }
  const run: RequestListener = (_, response) => sendJson(response, cannedDetail(0, { state, output: 'Done.' }))
  const tree: RequestListener = (_, response) =>
    sendJson(response, cannedTree(12, state === 'running' ? 'live' : 'ended'))
  const api = { ...cannedRuns, [path]: run, [`${path}/tree`]: tree, [`${path}/events`]: events }
  const url = await serveConsole(t, files, api)
  const { page, problems } = await openLook(await startBrowser(t), `${url}/runs/${cannedRunId(0)}`, looks[0]!)
  await page.waitForSelector('text=Reads the ledger')
  await page.waitForSelector('text=Succeeded')
  assert.deepEqual(asked, [undefined, '1'])
  assert.deepEqual(
    problems.filter((one) => !one.includes('ERR_INCOMPLETE_CHUNKED_ENCODING')),
    [],
  )
})

test('a failed run opens on the failure, keys move in its spans, a share is shown once', needsChromium, async (t) => {
  const shares: RequestListener = (_, response) =>
    sendJson(response, {
      id: 'share-1',
      token: 'mesh_share_invented',
      url: '/api/shared/runs/mesh_share_invented',
      expiresAt: '2026-12-01T00:00:00.000Z',
      redaction: { content: 'none', reason: 'trace_policy' },
    })
  const path = `/runs/${cannedRunId(3)}`
  const url = await serveConsole(t, files, { ...cannedRuns, [`/api${path}/shares`]: shares })
  const { page, problems } = await openLook(await startBrowser(t), url + path, looks[0]!)
  const selected = () => page.getAttribute('[role="row"][aria-selected="true"]', 'aria-label')
  await page.waitForSelector('[role="treegrid"]')
  assert.match((await selected()) ?? '', /^ledger\.search, tool, failed/)
  assert.equal(await page.title(), 'invoice-matcher, Runs, mesh')
  await page.focus('[role="treegrid"]')
  await page.keyboard.press('ArrowLeft')
  assert.match((await selected()) ?? '', /^Step \d+, step, failed/)
  assert.match(page.url(), /[?&]span=/)
  await page.click('text=Go to the step')
  assert.match((await selected()) ?? '', /^ledger\.search/)
  await page.click('text=Share')
  await page.click('text=Create the link')
  await page.waitForSelector('input[readonly]')
  assert.equal(await page.inputValue('input[readonly]'), `${url}/shared/mesh_share_invented`)
  assert.ok(await page.isVisible('text=the trace policy of the agent hides it'))
  assert.deepEqual(problems, [])
})

function sendEvent(response: ServerResponse, seq: number | undefined, kind: string, data: object): void {
  const event = { v: 1, seq, ts: '2026-11-24T14:00:00.000Z', kind, agent: 'a', spanId: null, data }
  response.write(`${seq === undefined ? '' : `id: ${seq}\n`}event: ${kind}\ndata: ${JSON.stringify(event)}\n\n`)
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
