import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { consoleFiles } from '#test/harness/packed-console.ts'
import { readWaiting } from '../../plugins/mcp/console/approvals/waiting-manifests.ts'
import { wordsOfRefusal } from '../../plugins/mcp/console/shared/refusal-words.ts'
import { asksForAcceptance } from '../../plugins/mcp/console/shared/server-state.ts'
import { toServerStatus } from '../../plugins/mcp/status/server-status.ts'
import { needsChromium } from './browser-session.ts'
import { answering } from './canned-answer.ts'
import type { CannedAnswer, CannedRequest } from './canned-answer.ts'
import { cannedMcp, driftedServer, waitingManifests } from './canned-mcp.ts'
import { checkLooks } from './check-looks.ts'
import { serveConsole } from './fake-console.ts'
import { axeViolations, openLook, startBrowser } from './look.ts'

const packed = consoleFiles()
const wide = { scheme: 'light', width: 'wide' } as const
const problem = (status: number, code: string): CannedAnswer => ({
  status,
  body: { title: 'No.', detail: 'The server says no.', code, status },
})

test('whether a status asks for an acceptance is what the reconciler writes', () => {
  const digest = `sha256:${'a'.repeat(64)}`
  const manifest = { digest, tools: [{ name: 'echo', inputSchema: '{}' }] }
  const server = { metadata: { name: 'a', namespace: 'demo' }, spec: { url: 'https://a.example/mcp' } }
  const drifted = { manifestDigest: `sha256:${'b'.repeat(64)}`, tools: [] }
  for (const status of [undefined, drifted])
    for (const approved of [undefined, new Map<string, string>()]) {
      const found = { credential: {}, discovery: { manifest, protocolVersion: '1' }, approved, now: new Date(0) }
      const written = toServerStatus({ ...server, status } as never, found as never)
      const isRequired = approved !== undefined
      // Without an approval, the manifest that was accepted is in use no more.
      assert.equal(written.proposed?.digest === digest, isRequired || status !== undefined)
      if (written.proposed !== undefined) assert.equal(asksForAcceptance({ status: written }, digest), !isRequired)
    }
  assert.equal(asksForAcceptance({ status: undefined }, digest), false)
})

test('refusals of a decision are said in the words of the page', () => {
  const words = (status: number, code: string, more = {}) =>
    wordsOfRefusal(new ApiProblem({ status, title: 'No.', detail: 'The API.', code, ...more }))
  assert.match(words(409, 'manifest_changed'), /has changed meanwhile/)
  assert.match(words(412, 'precondition_failed'), /has changed meanwhile/)
  assert.match(words(403, 'author_may_not_approve'), /Another person/)
  assert.match(words(409, 'author_unknown'), /not known yet/)
  const right = { verb: 'approve', resource: 'mcpapprovals', group: 'mesh.dev' }
  assert.match(words(403, 'forbidden', { right }), /may not approve mcpapprovals/)
  for (const code of ['toString', '__proto__', '']) assert.equal(words(500, code), 'The API.')
  assert.equal(wordsOfRefusal(new Error('x')), 'x')
})

test('pages without a server that waits are read on, to an end', async () => {
  const asked: (string | undefined)[] = []
  const read = async (cursor: string | undefined) => {
    asked.push(cursor)
    return { items: asked.length === 2 ? waitingManifests : [], nextCursor: asked.length === 2 ? null : 'next' }
  }
  assert.deepEqual(await readWaiting(read), { items: waitingManifests, hasMore: false })
  assert.deepEqual(asked, [undefined, 'next'])
  const endless = await readWaiting(async () => ({ items: [], nextCursor: 'again' }))
  assert.deepEqual(endless, { items: [], hasMore: true })
})

test('tool approvals in each look: no violation, no sideways scroll, hostile words', needsChromium, async (t) => {
  const url = await serveConsole(t, await packed, cannedMcp)
  const browser = await startBrowser(t)
  const paths = [
    ['/mcpapprovals', '.cm-editor'],
    ['/mcpapprovals?item=demo%2Fmail', 'text=Rejected by'],
    [`/mcpapprovals?item=${'x'.repeat(63)}%2F${'y'.repeat(63)}`, 'text=You wrote this server.'],
    ['/mcpapprovals?item=demo%2Fgone', 'text=Nothing of this server waits'],
  ] as const
  await checkLooks(browser, url, paths)
})

test('nothing that waits, a denied list and one that is not enabled', needsChromium, async (t) => {
  const browser = await startBrowser(t)
  const denied = {
    title: 'Denied.',
    detail: 'No.',
    status: 403,
    cluster: { message: 'mira cannot list resource "mcpservers" in API group "mesh.dev"' },
  }
  for (const [answer, shown] of [
    [{ status: 200, body: { items: [], nextCursor: null } }, 'No tools wait for an approval'],
    [{ status: 403, body: denied }, 'mcpservers'],
    [
      { status: 501, body: { title: 'Not enabled.', detail: 'No.', setting: 'DATABASE_URL', status: 501 } },
      'DATABASE_URL',
    ],
  ] as const) {
    const url = await serveConsole(t, await packed, { ...cannedMcp, '/api/mcp/approvals': answering(() => answer) })
    const { page } = await openLook(browser, `${url}/mcpapprovals`, wide)
    await page.getByRole('main').getByText(shown).first().waitFor()
    assert.deepEqual(await axeViolations(page), [])
    await page.context().close()
  }
})

test('a manifest is rejected with a reason, and approved as it is then', needsChromium, async (t) => {
  const sent: CannedRequest[] = []
  const refusals = ['manifest_changed', 'author_unknown']
  let waiting = waitingManifests
  const decide = answering((request) => {
    sent.push(request)
    const code = refusals.shift()
    if (code === 'manifest_changed')
      waiting = waitingManifests.map((one) => ({ ...one, digest: `sha256:${'e'.repeat(64)}` }))
    return code === undefined ? { status: 200, body: {} } : problem(409, code)
  })
  const url = await serveConsole(t, await packed, {
    ...cannedMcp,
    '/api/mcp/approvals': answering(() => ({ status: 200, body: { items: waiting, nextCursor: null } })),
    '/api/mcp/approvals/demo/weather': decide,
    '/api/mcp/approvals/demo/weather/reject': decide,
  })
  const browser = await startBrowser(t)
  const { page } = await openLook(browser, `${url}/mcpapprovals`, wide)
  const press = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true }).click()
  await press('Reject')
  await page.getByText('Write a reason to reject.').waitFor()
  assert.equal(sent.length, 0)
  await press('Approve')
  await page.getByText('The server has changed meanwhile.').waitFor()
  await page.getByLabel('Note').fill(' Read with Ann. ')
  await press('Approve')
  await page.getByText('Who wrote this server is not known yet.').waitFor()
  await press('Approve')
  await page.getByText('Approved. Agents can call the tools in a moment.').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Approve', exact: true }).count(), 0)
  assert.deepEqual(
    sent.map(({ body }) => body),
    [
      { digest: `sha256:${'b'.repeat(64)}` },
      { digest: `sha256:${'e'.repeat(64)}`, note: 'Read with Ann.' },
      { digest: `sha256:${'e'.repeat(64)}`, note: 'Read with Ann.' },
    ],
  )
  await page.getByRole('button', { name: /^mail/ }).click()
  await page.getByLabel('Note').fill('It asks for passwords.')
  assert.deepEqual(await axeViolations(page), [])
})

test(
  'the card of drift approves; without the right it writes the spec only where that has an effect',
  needsChromium,
  async (t) => {
    const sent: string[] = []
    const note = (answer: CannedAnswer, object: unknown = undefined) =>
      answering(({ method, path }) => {
        if (method === 'GET') return { status: 200, body: object }
        sent.push(`${method} ${path}`)
        return answer
      })
    const asking = (message: string) => ({
      ...driftedServer,
      status: {
        ...driftedServer.status,
        conditions: [{ type: 'ManifestAccepted', status: 'False', reason: 'Drifted', message, lastTransitionTime: '' }],
      },
    })
    const digest = `sha256:${'b'.repeat(64)}`
    const browser = await startBrowser(t)
    const accept = async (refusal: CannedAnswer, object: object, words: string) => {
      sent.length = 0
      const url = await serveConsole(t, await packed, {
        ...cannedMcp,
        '/api/mcp/approvals/demo/weather': note(refusal),
        '/api/mcpservers/demo/weather': note({ status: 200, body: object }, object),
      })
      const { page } = await openLook(browser, `${url}/mcpservers/demo/weather`, wide)
      await page.getByRole('button', { name: 'Accept these definitions' }).click()
      await page.getByText(words).first().waitFor()
      await page.context().close()
      return sent.map((one) => one.split(' ')[0])
    }
    const required = asking(`not approved: another person than its author approves ${digest}.`)
    const free = asking(`not accepted: set spec.acceptedManifest to ${digest}.`)
    const done = 'The definitions of weather are accepted'
    assert.deepEqual(await accept({ status: 200, body: {} }, required, done), ['POST'])
    assert.deepEqual(await accept(problem(403, 'author_may_not_approve'), required, 'You wrote this server.'), ['POST'])
    assert.deepEqual(await accept(problem(403, 'forbidden'), required, 'The server says no.'), ['POST'])
    assert.deepEqual(await accept(problem(403, 'forbidden'), free, done), ['POST', 'PUT'])
    assert.deepEqual(await accept(problem(409, 'approval_not_required'), free, done), ['POST', 'PUT'])
  },
)
