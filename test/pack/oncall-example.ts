import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { listen } from '#test/harness/listen.ts'
import type { Scope } from '#test/harness/scope.ts'
import { asker } from './third-party-kind.ts'
import type { Asked, Installed } from './third-party-kind.ts'
import { readEvents } from './third-party-plugin.ts'

interface Page {
  readonly person: string
  readonly namespace: string
  readonly runId: string
}

/** Output of `mesh <words>`. */
type Run = (...args: string[]) => string

/** A failed run pages the first person, then the next one until the page is acknowledged; the command lists open pages. */
export async function checkOncall(t: Scope, installed: Installed, run: Run): Promise<void> {
  const ask = asker(t, installed)
  const { url, pages } = await startReceiver(t)
  const rota = { metadata: { name: 'support', namespace: 'default' }, spec: { webhook: url, people: ['ada', 'grace'] } }
  assert.equal((await ask('viewer', 'POST /api/x/oncall/rotas', rota)).status, 403)
  const created = await ask('developer', 'POST /api/x/oncall/rotas', rota)
  assert.equal(created.status, 201, created.text)
  const runId = await failRun(ask, pages)
  await until('the first person is paged', () => pages.some((page) => page.runId === runId && page.person === 'ada'))
  assert.match(run('oncall', 'pages', '--namespace', 'default'), new RegExp(`^${runId} support ada$`, 'm'))
  await until('the next person is paged', () => pages.some((page) => page.runId === runId && page.person === 'grace'))
  const open = async () => (await ask('viewer', 'GET /api/x/oncall/pages/default')).json<{ items: object[] }>().items
  await until('the page is listed', async () =>
    (await open()).some((page) => 'person' in page && page.person === 'grace'),
  )
  await acknowledge(ask, runId)
  assert.deepEqual(await open(), [])
  assert.equal(run('oncall', 'pages', '--namespace', 'default'), '')
  // A busy server may end a connection that waits for it with 408.
  await until('the page is an event', async () =>
    /"person":"ada"/.test(await readEvents(installed, 'developer', 'com.example.oncall.paged.v1')),
  )
  await checkConsole(ask)
}

async function startReceiver(t: Scope) {
  const pages: Page[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      pages.push(JSON.parse(body) as Page)
      response.end()
    })
  })
  return { url: await listen(t, server), pages }
}

// The manager copies the rota into its table meanwhile, so the first failures may page no one.
async function failRun(ask: Asked, pages: readonly Page[]): Promise<string> {
  const config = { name: 'breaks', runtime: { command: [process.execPath, '-e', fails] } }
  const agent = { namespace: 'default', name: 'breaks' }
  const created = await ask('developer', 'POST /api/agents', { namespace: 'default', config })
  assert.equal(created.status, 201, created.text)
  for (const end = performance.now() + 60_000; pages.length === 0; await pause(500)) {
    assert.ok(performance.now() < end, 'no failed run is paged')
    const run = await ask('developer', 'POST /api/invoke', { agent, input: 'x' })
    assert.equal(run.json<{ state: string }>().state, 'failed', run.text)
  }
  return pages[0]?.runId ?? ''
}

const fails = `require('node:http').createServer((request, response) => {
  response.statusCode = request.url === '/invoke' ? 500 : 200
  response.end('{}')
}).listen(process.env.AGENT_PORT, '127.0.0.1')`

async function acknowledge(ask: Asked, runId: string): Promise<void> {
  const open = (await ask('viewer', 'GET /api/x/oncall/pages/default')).json<{ items: { run: string }[] }>().items
  for (const { run } of open) {
    const path = `POST /api/x/oncall/pages/default/${run}/acknowledge`
    assert.equal((await ask('viewer', path)).status, 403)
    const done = await ask('developer', path)
    assert.equal(done.status, 200, done.text)
    assert.equal((await ask('developer', path)).status, 404, 'it is acknowledged once')
  }
  assert.ok(open.some(({ run }) => run === runId))
}

/** The capabilities report the declared page, whose bytes have the reported hash. */
async function checkConsole(ask: Asked): Promise<void> {
  const { pages } = (await ask('viewer', 'GET /api/capabilities')).json<{
    pages: { id: string; entry?: { path: string; integrity: string } }[]
  }>()
  const entry = pages.find(({ id }) => id === 'oncall')?.entry
  assert.ok(entry)
  const declared = await ask('viewer', `GET ${entry.path}`)
  assert.equal(declared.status, 200, declared.text)
  assert.equal(entry.integrity, `sha256-${createHash('sha256').update(declared.text).digest('base64')}`)
  assert.equal(declared.json<{ source: string }>().source, '/api/x/oncall/pages/{ns}')
  assert.equal((await ask('none', `GET ${entry.path}`)).status, 401)
}

async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 60_000; !(await look()); await pause(200))
    assert.ok(performance.now() < end, what)
}
