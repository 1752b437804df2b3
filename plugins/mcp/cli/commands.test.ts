import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { runCli } from '#cli/testing/run-cli.ts'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { readGivenCredential } from './read-credential.ts'

const digest = `sha256:${'a'.repeat(64)}`
const metadata = { namespace: 'demo', name: 'weather' }

type Respond = (route: string) => unknown

/** An API with one response, or one for each route, and the requests that it has received. */
async function start(t: TestContext) {
  const requests: { readonly route: string; readonly body: unknown }[] = []
  let response: unknown = {}
  const server = createServer((request, answer) => {
    const read = request.method === 'POST' ? json(request) : Promise.resolve(undefined)
    read.then(
      (body) => {
        requests.push({ route: `${request.method} ${request.url}`, body })
        const given: unknown =
          typeof response === 'function' ? (response as Respond)(`${request.method} ${request.url}`) : response
        if (given === undefined) return answer.writeHead(204).end()
        return answer.setHeader('content-type', 'application/json').end(JSON.stringify(given))
      },
      () => answer.destroy(),
    )
  })
  const { path, remove } = tempFolder('mcp-cli')
  t.after(remove)
  const env = { MESH_SERVER: await listen(t, server), MESH_TOKEN: 'token', TOKEN: 'canary' }
  const run = (...args: readonly string[]) => runCli(['mcp', ...args, '-n', 'demo'], { env })
  return { run, requests, folder: path, respond: (next: unknown) => (response = next) }
}

test('meshctl mcp connect sends the credential of a file or a variable, and prints the tools', async (t) => {
  const { run, requests, folder, respond } = await start(t)
  respond({ metadata, manifest: { digest, tools: [{ name: 'forecast' }] }, handshake: [] })
  const url = 'https://tools.example.com/mcp'
  const made = await run('connect', 'weather', '--url', url, '--credential-env', 'TOKEN')
  assert.deepEqual([made.code, made.out, made.err], [0, `demo\tweather\tforecast\t${digest}\n`, ''])
  assert.deepEqual(requests.pop(), {
    route: 'POST /api/mcp/connect',
    body: { namespace: 'demo', name: 'weather', url, credential: { kind: 'bearer', value: 'canary' } },
  })
  const file = join(folder, 'key')
  writeFileSync(file, 'Key canary\n')
  const header = ['--auth', 'header', '--header', 'x-api-key', '--credential-file', file]
  assert.equal((await run('connect', 'weather', '--url', url, ...header)).code, 0)
  assert.deepEqual(requests.pop()?.body, {
    namespace: 'demo',
    name: 'weather',
    url,
    credential: { kind: 'header', value: 'Key canary', header: 'x-api-key' },
  })
  respond({ metadata, handshake: [] })
  const granted = await run('connect', 'wiki', '--connector', 'shipped:linear', '--auth', 'oauth')
  assert.equal(granted.out, 'demo\tweather\tafter a grant\t-\n')
  assert.deepEqual(requests.pop()?.body, {
    namespace: 'demo',
    name: 'wiki',
    connectorId: 'shipped:linear',
    credential: { kind: 'oauth' },
  })
  const none = await run('connect', 'weather', '--url', url, '--credential-env', 'ABSENT')
  assert.deepEqual([none.code, none.out], [1, ''])
  assert.match(none.err, /ABSENT is not set/)
  const both = await run('connect', 'weather', '--url', url, '--credential-env', 'TOKEN', '--credential-file', file)
  assert.match(both.err, /both given/)
  const argument = await run('connect', 'weather', '--url', url, '--credential', 'canary')
  assert.equal(argument.code, 1)
  assert.equal(requests.length, 0)
})

test('a credential of standard input has no line break at its end, and is bounded', async () => {
  const read = (text: string) =>
    readGivenCredential(
      { env: {}, stdin: () => Readable.from([Buffer.from(text)]) },
      { 'credential-file': '-', 'credential-env': undefined },
    )
  assert.equal(await read('canary\r\n'), 'canary')
  await assert.rejects(read('\n'), /1 to 8192/)
  await assert.rejects(read('x'.repeat(8_193)), /1 to 8192/)
})

test('meshctl mcp publishes, approves, rejects and lists', async (t) => {
  const { run, requests, respond } = await start(t)
  respond(undefined)
  const texts = ['--title', 'Weather', '--description', 'Forecasts.']
  const published = await run('publish', 'weather', ...texts, '--tag', 'sun', '--visible-to', 'all')
  assert.equal(published.out, 'mcpserver/demo/weather published\n', published.err)
  assert.deepEqual(requests.pop()?.body, {
    namespace: 'demo',
    server: 'weather',
    title: 'Weather',
    description: 'Forecasts.',
    tags: ['sun'],
    visibleTo: 'all',
  })
  assert.match((await run('publish', 'weather', ...texts, '--visible-to', 'none')).out, /no longer published/)
  respond({ namespace: 'demo', server: 'weather', digest, state: 'approved', by: 'ben' })
  const approved = await run('approve', 'weather', '--digest', digest, '--note', 'Read.')
  assert.equal(approved.out, `demo\tweather\tapproved\tben\t${digest}\n`)
  assert.deepEqual(requests.pop(), {
    route: 'POST /api/mcp/approvals/demo/weather',
    body: { digest, note: 'Read.' },
  })
  await run('reject', 'weather', '--reason', 'No.')
  assert.deepEqual(requests.pop(), {
    route: 'POST /api/mcp/approvals/demo/weather/reject',
    body: { reason: 'No.' },
  })
  const change = { change: 'changed', tool: 'evil\u001b[31m' }
  respond({
    items: [{ ...metadata, server: 'weather', changes: [change], author: 'ann', decision: null, digest }],
    nextCursor: null,
  })
  const waiting = await run('approvals')
  assert.ok(waiting.out.startsWith('demo\tweather\tchanged evil'), waiting.out)
  assert.ok(!waiting.out.includes('\u001b'), waiting.out)
  respond({ bindings: [{ namespace: 'demo', name: 'b' }], registries: null, agents: [], complete: true })
  assert.equal((await run('references', 'weather')).out, 'binding\tdemo\tb\n')
  respond({ items: [], nextCursor: null })
  for (const list of ['list', 'tools', 'connectors']) assert.equal((await run(list)).code, 0, list)
})

test('meshctl mcp grant prints the address, waits for another grant than before, and lists and revokes grants', async (t) => {
  const { run, requests, respond } = await start(t)
  const authorizationUrl = 'https://auth.example.com/authorize?state=s'
  const expiresAt = new Date(Date.now() + 600_000).toISOString()
  respond({ authorizationUrl, expiresAt })
  const begun = await run('grant', 'tickets', '--scope', 'tickets.read')
  assert.deepEqual([begun.code, begun.out, begun.err], [0, `${authorizationUrl}\n`, ''])
  assert.deepEqual(requests.splice(0), [
    {
      route: 'POST /api/mcp/oauth/grant',
      body: { namespace: 'demo', server: 'tickets', scopes: ['tickets.read'] },
    },
  ])
  const grantOf = (createdAt: string, usable = true) => ({
    namespace: 'demo',
    server: 'tickets',
    scopes: ['tickets.read'],
    expiresAt: null,
    refreshable: true,
    usable,
    createdAt,
  })
  const old = grantOf('2026-01-01T00:00:00.000Z')
  const pages = [[old], [old], [grantOf('2026-01-02T00:00:00.000Z', false)], [grantOf('2026-01-03T00:00:00.000Z')]]
  respond((route: string) =>
    route.startsWith('POST ') ? { authorizationUrl, expiresAt } : { items: pages.shift() ?? [], nextCursor: null },
  )
  const waited = await run('grant', 'tickets', '--wait')
  assert.equal(waited.code, 0, waited.err)
  assert.match(waited.err, /Open this address to consent:\nhttps:\/\/auth\.example\.com/)
  assert.match(waited.out, /^demo\ttickets\ttrue\ttickets\.read\t/)
  assert.deepEqual(pages, [])
  const past = { authorizationUrl, expiresAt: new Date(0).toISOString() }
  respond((route: string) => (route.startsWith('POST ') ? past : { items: [old], nextCursor: null }))
  const late = await run('grant', 'tickets', '--wait')
  assert.deepEqual([late.code, late.out], [1, ''])
  assert.match(late.err, /no consent to mcpserver\/demo\/tickets/)
  requests.splice(0)
  assert.match((await run('grants')).out, /^demo\ttickets\ttrue/)
  assert.equal(requests[0]?.route, 'GET /api/mcp/oauth/grants', 'the route has no parameters')
  requests.splice(0)
  respond(undefined)
  assert.equal((await run('revoke', 'tickets')).out, 'grant/demo/tickets revoked\n')
  assert.equal(requests.pop()?.route, 'DELETE /api/mcp/oauth/grant/tickets?namespace=demo')
})
