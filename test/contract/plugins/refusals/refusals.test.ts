import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { ADMIN, startTestServer } from '@mesh.dev/embedded-apiserver/testing'
import { Type } from 'typebox'
import type { Role } from '#core/config/profile.ts'
import { openSettings, readCoreSettings, readSettings } from '#core/config/settings.ts'
import { defineEvent } from '#core/event-store/event.ts'
import { createHost } from '#core/host/process/host.ts'
import { standalonePlatform } from '#core/host/testing/standalone-platform.ts'
import { loadPlugins } from '#core/host/third-party/load-plugins.ts'
import { coverPackage } from '#core/host/third-party/package-files.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { createKubeClient } from '#core/kube/create-client.ts'
import { createPool } from '#core/kube/connection-pool.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { defineCommand } from '#core/plugin/command.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { installKinds } from '#local/cluster/install-kinds.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const done = defineEvent({ plugin: 'works', fact: 'done', summary: 'Done.', data: Type.Object({}) })
const builtIn = definePlugin({
  contract: 1,
  name: 'works',
  settings: Type.Object({}),
  events: [done],
  commands: [defineCommand({ words: 'works list', summary: 'list', load: async () => async () => 0 })],
  projections: () => [
    { name: 'works.list', version: 1, tables: ['works_list'], types: [done], apply: async () => undefined },
  ],
  create: () => ({}),
})

/** A plugin in two lines before its slots, so that the position of its declaration is line 2. */
const declare = (slots: string): string => `import * as mesh from '@mesh.dev/mesh/plugin'
export default mesh.definePlugin({ contract: 1, name: 'bad', settings: mesh.Type.Object({}), create: () => ({}),
${slots} })`

const kind = (more: string, options: string): string => `kinds: [mesh.crud(mesh.defineKind({
  group: 'acme.example', kind: 'Crate', plural: 'crates', description: 'A crate.',
  spec: mesh.Type.Object({ names: mesh.Type.Array(mesh.Type.String()) }), ${more}
}), { verbs: ['list'], ${options} })],`

const route = (fields: string): string =>
  `mesh.endpoint({ method: 'GET', url: '/g/:ns', summary: 'x', response: { 200: mesh.Type.Object({}) }, handle: async () => ({}), ${fields} })`
const bearer = "authz: { kind: 'bearer' }"
const wanted =
  "authz: { kind: 'review', verb: 'get', resource: 'crates.acme.example', namespace: { in: 'path', field: 'ns' } }"
const projection = (name: string, type: string): string =>
  `projections: () => [{ name: '${name}', version: 1, tables: ['x_bad_list'], types: [${type}], apply: async () => {} }],`

const hooks = 'pluginHooks: {startSeconds: 1, closeSeconds: 1}\n'
const listen = 'listen: {host: 127.0.0.1, bff: 0, gateway: 0, state: 0, admin: 0}\n'

async function hostWith(t: TestContext, source: string, role: Role = 'bff') {
  const { path: folder, remove } = tempFolder('refusals')
  t.after(remove)
  const file = join(folder, 'mesh.yaml')
  writeFileSync(join(folder, 'bad.mjs'), source)
  writeFileSync(file, `plugins: [./bad.mjs]\n${hooks}${listen}`)
  const settings = openSettings({ env: {}, file })
  const { plugins, thirdParty } = await loadPlugins([builtIn], settings, readCoreSettings(settings, {}))
  const lines: string[] = []
  const host = createHost({
    roles: [role],
    plugins,
    settings: readSettings(settings, {}, plugins),
    openPlatform: standalonePlatform(),
    keys: testKeyring(),
    version: '0.0.0',
    log: createLogger({ destination: { write: (line) => lines.push(line) } }),
    thirdParty,
  })
  t.after(() => host.close().catch(() => undefined))
  return { host, lines, plugins }
}

/** What ends the start: the plugin, its file with the line, and the cause. */
const refused: readonly (readonly [string, string, RegExp, Role?])[] = [
  [
    'a duplicate route',
    `routes: () => [${route(bearer)}, ${route(bearer)}]`,
    /^plugin bad \(.*bad\.mjs:2:\d+\): routes failed: .*GET \/api\/x\/bad\/g\/:ns/,
  ],
  [
    'an undeclared event',
    projection(
      'bad.list',
      "mesh.defineEvent({ domain: 'com.acme', plugin: 'bad', fact: 'x', summary: 'x', data: mesh.Type.Object({}) })",
    ),
    /^plugin bad \(.*bad\.mjs:2:\d+\): the event com\.acme\.bad\.x\.v1, which feeds its projection bad\.list, is declared by no plugin; list it in `events`$/,
  ],
  [
    'a misspelt event of the platform',
    "consumers: () => [mesh.on('bad.x', [mesh.event('dev.mesh.works.doen.v1')], { order: 'none', from: 'now' }, async () => {})]",
    /^plugin bad \(.*bad\.mjs:2:\d+\): the event dev\.mesh\.works\.doen\.v1, .*; did you mean dev\.mesh\.works\.done\.v1\?$/,
    'worker',
  ],
  [
    'clashing projections',
    projection('works.list', "mesh.event('dev.mesh.works.done.v1')"),
    /^plugin works and plugin bad \(.*bad\.mjs:2:\d+\) both declare the projection works\.list$/,
  ],
  [
    'a factory that throws',
    "create: () => {\n  throw new Error('no door')\n}",
    /^plugin bad: create failed: no door \(.*bad\.mjs:4:9\)$/,
  ],
  [
    'a factory that never resolves',
    'create: () => new Promise(() => {})',
    /^plugin bad \(.*bad\.mjs:2:\d+\): create did not end within 1 s \(the setting pluginHooks\.startSeconds\)$/,
  ],
  [
    'an unknown capability',
    "console: [{ id: 'bad', title: 'Bad', section: 'Observe', path: '/x/bad', capability: 'wroks' }]",
    /^plugin bad \(.*bad\.mjs:2:\d+\): console page "bad": unknown capability "wroks"; did you mean works\?$/,
  ],
  [
    'a missing access rule',
    `routes: () => [${route(wanted)}]`,
    /^plugin bad \(.*bad\.mjs:2:\d+\): endpoint GET \/g\/:ns reviews get on crates of acme\.example, which no rule of access gives to viewer, developer, operator; add it to `access`$/,
  ],
  [
    'a kind without a sample',
    kind('', ''),
    /^plugin \.\/bad\.mjs cannot be loaded: crud: sample must be the spec of a valid object \(.*bad\.mjs:3:\d+\)$/,
  ],
  [
    'a sample that its schema refuses',
    kind('', "sample: { names: ['a', 5] }"),
    /^plugin \.\/bad\.mjs cannot be loaded: crud: the sample of Crate: spec\.names\.1 must be string \(.*bad\.mjs:3:\d+\)$/,
  ],
  [
    'an indexed field that the spec lacks',
    kind("indexed: ['labels']", "sample: { names: ['a'] }"),
    /^plugin \.\/bad\.mjs cannot be loaded: defineKind: indexed must be a list of fields of the spec \(names\) \(.*bad\.mjs:\d+:\d+\)$/,
  ],
  [
    'a command with the name of another',
    "commands: [mesh.defineCommand({ words: 'works list', summary: 'x', load: async () => async () => 0 })]",
    /^the command "works list" of plugin bad \(.*bad\.mjs:2:\d+\) conflicts with "works list" of plugin works$/,
  ],
]

for (const [what, slots, message, role] of refused)
  test(`${what} ends the start with plugin, file and cause`, async (t) => {
    const start = async (): Promise<void> => (await hostWith(t, declare(slots), role)).host.start()
    await assert.rejects(start(), { name: 'BootError', message })
  })

test('a job that ignores its signal does not hold the close, and is named with plugin and file', async (t) => {
  const job = "jobs: () => [{ name: 'bad.loop', leaderOnly: false, run: () => new Promise(() => {}) }]"
  const { host, lines } = await hostWith(t, declare(job), 'worker')
  await host.start()
  const begin = performance.now()
  await host.close()
  assert.ok(performance.now() - begin < 10_000)
  const named = lines.flatMap((line) => (JSON.parse(line) as { handlers?: readonly string[] }).handlers ?? [])
  assert.equal(named.length, 1, lines.join(''))
  assert.match(named[0] ?? '', /^job bad\.loop of plugin bad \(.*bad\.mjs:2:\d+\)$/)
})

test('an unbounded CEL rule is refused by the API server, and named with plugin, file and kind', async (t) => {
  const within = (depth: number): string =>
    depth === 0 ? 'true' : `self.spec.names.all(n${depth}, ${within(depth - 1)})`
  const rules = `rules: [{ rule: '${within(4)}', message: 'x' }],`
  const { plugins } = await hostWith(t, declare(kind(rules, 'sample: { names: [] }')))
  const server = await startTestServer(t, { crds: [] })
  const pool = createPool(server.url)
  t.after(() => pool.close())
  const cluster = createKubeClient({ server: server.url, pool, bearer: ADMIN })
  await assert.rejects(installKinds(cluster, plugins), {
    name: 'BootError',
    message: /^plugin bad \(.*bad\.mjs:2:\d+\): the API server refuses its kind Crate: .*cost exceeds budget/,
  })
})

test('a package that was changed after its hash was taken ends the start, and is named with both hashes', async (t) => {
  const { path: folder, remove } = tempFolder('tampered')
  t.after(remove)
  const at = join(folder, 'node_modules/@acme/mesh-bad')
  const files = { 'package.json': '{ "type": "module", "exports": "./index.js" }', 'index.js': declare('') }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(at, name)), { recursive: true })
    writeFileSync(join(at, name), text)
  }
  const { integrity } = await coverPackage(at)
  const file = join(folder, 'mesh.yaml')
  writeFileSync(file, `plugins: [{ from: '@acme/mesh-bad', integrity: ${integrity} }]\n`)
  const load = async (): Promise<readonly string[]> => {
    const settings = openSettings({ env: {}, file })
    const { plugins } = await loadPlugins([], settings, readCoreSettings(settings, {}))
    return plugins.map(({ name }) => name)
  }
  assert.deepEqual(await load(), ['bad'], 'a plugin with a hash imports the entry of the platform')
  writeFileSync(join(at, 'index.js'), declare("summary: 'Changed.'"))
  await assert.rejects(load(), {
    name: 'BootError',
    message: /^plugin @acme\/mesh-bad: its integrity is sha256-\S+, the settings say sha256-/,
  })
})
