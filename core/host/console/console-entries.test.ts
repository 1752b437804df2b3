import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { Type } from 'typebox'
import { readSettings } from '#core/config/settings.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { ConsolePage } from '#core/plugin/console-page.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { identity } from '#plugins/identity/index.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { createHost } from '../process/host.ts'
import { bareSettings, standalonePlatform } from '../testing/standalone-platform.ts'
import { checkEntryRoutes, readConsoleEntries, reportedEntry } from './console-entries.ts'

const page = { id: 'acme', title: 'Acme', section: 'Build', path: '/x/acme', capability: 'acme' }
const pluginWith = (entry: unknown) =>
  definePlugin({
    contract: 1,
    name: 'acme',
    settings: Type.Object({}),
    create: () => ({}),
    console: [{ ...page, entry } as ConsolePage],
  })
const columns = [{ title: 'Name', field: 'metadata.name' }]
const list = { layout: 'list', source: '/api/x/acme/things/{ns}', columns }

const folder = tempFolder('console-entries')
test.after(folder.remove)
let files = 0

function entryOf(content: unknown): URL {
  const file = join(folder.path, `${(files += 1)}.json`)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return pathToFileURL(file)
}

test('an entry is read once, and its hash is that of its bytes', () => {
  const text = `${JSON.stringify(list, undefined, 2)}\n`
  const [entry] = readConsoleEntries(pluginWith(entryOf(text)))
  assert.ok(entry)
  assert.equal(entry.text, text)
  assert.match(reportedEntry(entry).integrity, /^sha256-[A-Za-z0-9+/]{43}=$/)
  assert.equal(reportedEntry(entry).path, '/api/x/acme/console/acme')
  assert.deepEqual(readConsoleEntries(pluginWith(undefined)), [])
})

test('an entry that cannot be drawn names plugin, page and field', () => {
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    ['./page.json', /must be the URL of a file/],
    [new URL('https://acme.example/page.json'), /must be the URL of a file/],
    [pathToFileURL(join(folder.path, 'none.json')), /cannot be read: there is no such file$/],
    [pathToFileURL(folder.path), /cannot be read: it is a folder$|is larger/],
    [entryOf('{'), /is not JSON$/],
    [entryOf(' '.repeat(65_537)), /is larger than 65536 bytes$/],
    [entryOf('null'), /is not a declared page: /],
    [entryOf({ ...list, layout: 'html' }), /is not a declared page: layout: /],
    [entryOf({ ...list, script: 'x' }), /is not a declared page: script: /],
    [entryOf({ ...list, columns: [{ title: 'x', field: 'a\0' }] }), /columns\.0\.field: /],
    [entryOf({ ...list, columns: undefined }), /has the layout list without columns$/],
    [entryOf({ ...list, layout: 'detail' }), /has the layout detail without fields$/],
    [entryOf({ ...list, actions: [{ title: 'x', method: 'GET', path: '/' }] }), /actions\.0\.method: /],
  ]
  for (const [entry, message] of wrong)
    assert.throws(
      () => readConsoleEntries(pluginWith(entry)),
      (error: Error) =>
        error.name === 'BootError' &&
        error.message.startsWith('plugin acme: the entry of its console page "acme" ') &&
        message.test(error.message),
      String(message),
    )
})

test('source and actions of an entry are routes of its plugin', () => {
  const route = (method: 'GET' | 'POST', url: string, plugin = 'acme') => ({
    plugin,
    wiring: 'ready' as const,
    prefix: `/api/x/${plugin}`,
    endpoint: endpoint({
      method,
      url,
      summary: 'x',
      authz: { kind: 'bearer' },
      response: { 200: Type.Object({}) },
      handle: async () => ({}),
    }),
  })
  const catalog = [
    route('GET', '/things/:ns'),
    route('GET', '/of/:id'),
    route('POST', '/things/:ns/:name/run'),
    route('GET', '/other', 'other'),
  ]
  const check = (declared: object, tabOf?: 'run'): void => {
    for (const entry of readConsoleEntries(pluginWith(entryOf(declared))))
      checkEntryRoutes({ ...entry, tabOf }, catalog)
  }
  const action = { title: 'Run', method: 'POST', path: '/api/x/acme/things/{ns}/{name}/run' }
  check({ ...list, actions: [action] })
  const near = /names GET \/api\/x\/acme\/thngs\/\{ns\}, .*did you mean GET \/api\/x\/acme\/things\/\{ns\}\?/
  assert.throws(() => check({ ...list, source: '/api/x/acme/thngs/{ns}' }), near)
  const ofRun = { ...list, source: '/api/x/acme/of/{id}' }
  check(ofRun, 'run')
  assert.throws(() => check(ofRun), /has \{id\} in its source; the console fills in \{ns\} and \{name\}$/)
  assert.throws(() => check(list, 'run'), /has \{ns\} in its source; the console fills in \{id\}$/)
  for (const source of ['/api/x/other/other', '/api/runs', 'https://acme.example/'])
    assert.throws(() => check({ ...list, source }), /which is no route of the plugin/)
  assert.throws(() => check({ ...list, actions: [{ ...action, method: 'DELETE' }] }), /names DELETE .*no route/)
})

test('GET /api/capabilities has path and hash of an entry, and the path has these bytes', async (t) => {
  const text = JSON.stringify(list)
  const things = endpoint({
    method: 'GET',
    url: '/things/:ns',
    summary: 'x',
    authz: { kind: 'bearer' },
    response: { 200: Type.Object({}) },
    handle: async () => ({}),
  })
  const acme = definePlugin({ ...pluginWith(entryOf(text)), routes: () => [things] })
  const plugins = [identity, acme]
  const host = createHost({
    roles: ['bff'],
    plugins,
    settings: readSettings(bareSettings(), {}, plugins),
    openPlatform: standalonePlatform(),
    keys: testKeyring(),
    version: '0.0.0',
    log: createLogger({ destination: { write: () => undefined } }),
    thirdParty: new Set(['acme']),
  })
  t.after(() => host.close())
  await host.start()
  const headers = { authorization: 'Bearer good-token' }
  const answer = await host.app('bff')?.inject({ url: '/api/capabilities', headers })
  const [entry] = readConsoleEntries(acme)
  assert.ok(entry)
  const reported = reportedEntry(entry)
  assert.deepEqual(answer?.json<{ pages: readonly unknown[] }>().pages.slice(identity.console?.length), [
    { ...page, entry: reported },
  ])
  const served = await host.app('bff')?.inject({ url: reported.path, headers })
  assert.deepEqual([served?.statusCode, served?.body], [200, text])
  assert.match(String(served?.headers['content-type']), /^application\/json/)
  assert.equal((await host.app('bff')?.inject({ url: reported.path }))?.statusCode, 401)
})
