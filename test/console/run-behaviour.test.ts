import assert from 'node:assert/strict'
import type { RequestListener, ServerResponse } from 'node:http'
import test from 'node:test'
import type { Page } from 'playwright-core'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { cannedDetail, cannedRunId, cannedRuns, cannedTree } from './canned-runs.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, looks, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()

/** Requests of a page to the API. */
function requestsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith('/api/'))",
  )
}

test('a shared run needs no session, and has no navigation; an unknown link is one page', needsChromium, async (t) => {
  const signedOut = { session: null, ended: null, signIn: { code: true, oidc: null } }
  const url = await serveConsole(t, await packed, { ...cannedRuns, '/session': signedOut, '/api/capabilities': 401 })
  const browser = await startBrowser(t)
  const { page, problems } = await openLook(browser, `${url}/shared/mesh_share_invented`, looks[0]!)
  await page.waitForSelector('text=The trace policy of the agent hides the content.')
  assert.equal(await page.title(), 'invoice-matcher, shared run, mesh')
  assert.equal(await page.getAttribute('meta[name="robots"]', 'content'), 'noindex')
  assert.equal(await page.locator('nav, [href^="/"]:not(link)').count(), 0)
  assert.deepEqual(await requestsOf(page), ['/api/shared/runs/mesh_share_invented'])
  assert.deepEqual(problems, [])
  await page.goto(`${url}/shared/unknown`)
  await page.waitForSelector('text=This link shows nothing')
  await page.goto(`${url}/shares`)
  await page.waitForSelector('text=Sign in to')
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
  const url = await serveConsole(t, await packed, api)
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
  const url = await serveConsole(t, await packed, { ...cannedRuns, [`/api${path}/shares`]: shares })
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
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await page.click('text=Create the link')
  await page.waitForSelector('input[readonly]')
  assert.equal(await page.inputValue('input[readonly]'), `${url}/shared/mesh_share_invented`)
  assert.ok(await page.isVisible('text=the trace policy of the agent hides it'))
  assert.deepEqual(problems, [])
})

test('a consent among decisions has its way, and no approval', needsChromium, async (t) => {
  const path = `/api/runs/${cannedRunId(1)}`
  const sent: unknown[] = []
  const interrupts = [
    { id: 'c', reason: 'auth_required', consent: { namespace: 'demo', server: 'a/../b?x', path: 'javascript:1' } },
    { id: 'e', reason: 'auth_required' },
    { id: 'q', reason: 'approval_required', tool: 'pay', arguments: {} },
  ]
  const resume = answering(({ body }) => {
    sent.push(body)
    return { status: 202, body: {} }
  })
  const run: RequestListener = (_, response) => sendJson(response, cannedDetail(1, { interrupts }))
  const url = await serveConsole(t, await packed, { ...cannedRuns, [path]: run, [`${path}/resume`]: resume })
  const { page, problems } = await openLook(await startBrowser(t), `${url}/runs/${cannedRunId(1)}`, looks[0]!)
  await page.getByRole('button', { name: 'Decide', exact: true }).first().click()
  const dialog = page.getByRole('dialog')
  const parts = dialog.locator('section')
  const way = parts.nth(0).getByRole('link', { name: 'Grant access' })
  assert.equal(await way.getAttribute('href'), `/consent/demo/a%2F..%2Fb%3Fx?run=${cannedRunId(1)}`)
  assert.match(await parts.nth(0).innerText(), /The agent needs a consent/)
  // Without a known server nothing leads there.
  assert.equal(await parts.nth(1).getByRole('link').count(), 0)
  assert.equal(await dialog.getByRole('button', { name: 'Approve' }).count(), 1)
  assert.deepEqual(await axeViolations(page), [])
  await parts.nth(0).getByRole('textbox').fill('not now')
  await parts.nth(0).getByRole('button', { name: 'Reject' }).click()
  while (sent.length === 0) await page.waitForTimeout(50)
  assert.deepEqual(sent, [{ decision: 'reject', reason: 'not now', interruptId: 'c' }])
  // There is no stream of this run.
  assert.deepEqual(
    problems.filter((one) => !one.includes('404')),
    [],
  )
})

function sendEvent(response: ServerResponse, seq: number | undefined, kind: string, data: object): void {
  const event = { v: 1, seq, ts: '2026-11-24T14:00:00.000Z', kind, agent: 'a', spanId: null, data }
  response.write(`${seq === undefined ? '' : `id: ${seq}\n`}event: ${kind}\ndata: ${JSON.stringify(event)}\n\n`)
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
