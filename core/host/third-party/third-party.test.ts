import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { openSettings, readCoreSettings, readSettings } from '#core/config/settings.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { testKeyring } from '#core/http/testing/build-server.ts'
import { createHost } from '../process/host.ts'
import { definePlugin } from '#core/plugin/plugin.ts'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { definePoint } from '#core/jobs/extension-point.ts'
import { Type } from 'typebox'
import { standalonePlatform } from '../testing/standalone-platform.ts'
import { loadThirdParties } from './third-party.ts'

const run = promisify(execFile)
const greeters = definePoint<string>('runs.greeters')
const builtin = definePlugin({
  contract: 1,
  name: 'runs',
  settings: Type.Object({}),
  points: [greeters],
  create: (core) => ({ all: () => core.extensions(greeters) }),
  api: () => ({ answer: 42 }),
  routes: ({ all }) => [
    endpoint({
      method: 'GET',
      url: '/greeters',
      summary: 'x',
      authz: { kind: 'bearer' },
      response: { 200: Type.Array(Type.String()) },
      handle: async () => [...all()],
    }),
  ],
})

const local = `
import * as mesh from '@mesh.dev/mesh/plugin'
const errors = mesh.defineErrors({ too_cold: { status: 409, title: 'It is too cold.' } })
export default mesh.definePlugin({
  contract: 1,
  name: 'local',
  summary: 'Greets.',
  errors,
  needs: { runs: mesh.need('runs') },
  settings: mesh.Type.Object({ greeting: mesh.Type.String({ default: 'hello' }) }),
  events: [mesh.defineEvent({ domain: 'com.acme', plugin: 'local', fact: 'greeted', summary: 'x', data: mesh.Type.Object({}) })],
  create: (_core, settings, needs) => ({ text: settings.greeting + ' ' + (needs.runs as unknown as { answer: number }).answer }),
  contributions: ({ text }) => [mesh.contribute(mesh.point('runs.greeters'), text)],
  routes: ({ text }) => [mesh.endpoint({
    method: 'GET', url: '/greet/:ns', summary: 'Greets.', authz: { kind: 'bearer' },
    response: { 200: mesh.Type.Object({ text: mesh.Type.String() }) },
    handle: async ({ params }) => {
      if (params.ns === 'arctic') throw new mesh.Fail(errors.too_cold)
      return { text: text + ' ' + params.ns }
    },
  })],
})
`
const packaged = `import * as mesh from '@mesh.dev/mesh/plugin'
export default mesh.definePlugin({
  contract: 1, name: 'mesh-x', settings: mesh.Type.Object({}), create: () => ({}),
  routes: () => [mesh.endpoint({ method: 'GET', url: '/', summary: 'x', authz: { kind: 'bearer' }, response: { 200: mesh.Type.Object({}) }, handle: async () => ({}) })],
})
`

async function folderWith(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mesh-plugins-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

async function start(t: TestContext, file: string) {
  const settingsFile = openSettings({ env: {}, file })
  const core = readCoreSettings(settingsFile, {})
  const loaded = await loadThirdParties(core.plugins, {
    folder: dirname(file),
    plugins: [builtin],
    profile: core.profile,
  })
  const plugins = [builtin, ...loaded]
  const host = createHost({
    roles: ['bff'],
    plugins,
    settings: readSettings(settingsFile, {}, plugins),
    openPlatform: standalonePlatform(),
    keys: testKeyring(),
    version: '0.0.0',
    log: createLogger({ destination: { write: () => undefined } }),
    thirdParty: new Set(loaded.map(({ name }) => name)),
  })
  t.after(() => host.close())
  await host.start()
  return async (url: string) => {
    const answer = await host.app('bff')?.inject({ url, headers: { authorization: 'Bearer good-token' } })
    return [answer?.statusCode, answer?.json<unknown>()]
  }
}

const ports = 'listen: {host: 127.0.0.1, bff: 0, gateway: 0, state: 0, admin: 0}\n'

test('third parties: a plugin from ./local.ts and one from a packed tarball load under the contract', async (t) => {
  const folder = await folderWith(t, {
    'mesh.yaml': `${ports}plugins: [./local.ts, '@acme/mesh-x']\nlocal: {greeting: good day}\n`,
    'local.ts': local,
    'source/package.json': JSON.stringify({
      name: '@acme/mesh-x',
      version: '1.0.0',
      type: 'module',
      exports: { '.': { import: './dist/index.js' } },
      files: ['dist'],
    }),
    'source/dist/index.js': packaged,
  })
  // As npm packs and unpacks it, without a registry.
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(folder, 'source') })
  await mkdir(join(folder, 'node_modules/@acme/mesh-x'), { recursive: true })
  await run('tar', [
    '-xzf',
    join(folder, 'acme-mesh-x-1.0.0.tgz'),
    '-C',
    join(folder, 'node_modules/@acme/mesh-x'),
    '--strip-components=1',
  ])
  const get = await start(t, join(folder, 'mesh.yaml'))
  assert.deepEqual(await get('/api/x/local/greet/default'), [200, { text: 'good day 42 default' }])
  assert.deepEqual((await get('/api/x/local/greet/UPPER'))[0], 400)
  assert.deepEqual(await get('/api/greeters'), [200, ['good day 42']])
  const [status, problem] = (await get('/api/x/local/greet/arctic')) as [number, Record<string, unknown>]
  assert.deepEqual([status, problem['code'], problem['title']], [409, 'too_cold', 'It is too cold.'])
  assert.match(JSON.stringify((await get('/openapi.json'))[1]), /"enum":\[[^\]]*"too_cold"/)
  assert.deepEqual(await get('/api/x/mesh-x/'), [200, {}])
  assert.deepEqual((await get('/api/greet/default'))[0], 404)
})

test('third parties: hardened wants the integrity hash, and a wrong one refuses to boot', async (t) => {
  const folder = await folderWith(t, {
    'x.js': packaged,
    'evil.js': packaged.replace('mesh-x', 'runs'),
    'none.js': 'export default 1',
  })
  const hash = createHash('sha256')
    .update(await readFile(join(folder, 'x.js')))
    .digest('base64')
  const input = { folder, plugins: [builtin], profile: 'hardened' as const }
  const [loaded] = await loadThirdParties([{ from: './x.js', integrity: `sha256-${hash}` }], input)
  assert.equal(loaded?.name, 'mesh-x')
  await assert.rejects(
    loadThirdParties(['./x.js'], input),
    /plugin .\/x.js: the profile hardened requires its integrity \(currently sha256-/,
  )
  await assert.rejects(
    loadThirdParties([{ from: './evil.js', integrity: `sha256-${hash}` }], input),
    /its integrity is .*, the settings say/,
  )
  const open = { ...input, profile: 'open' as const }
  await assert.rejects(loadThirdParties(['./evil.js'], open), /the name runs is taken/)
  await assert.rejects(loadThirdParties(['./none.js'], open), /its default export must be definePlugin/)
  await assert.rejects(loadThirdParties(['@acme/missing'], open), /@acme\/missing is not installed/)
  await assert.rejects(loadThirdParties(['./gone.js'], open), /plugin .\/gone.js cannot be loaded/)
})

test('UXM21, CON15: a plugin that fails names itself, the file and line, and the cause', async (t) => {
  const plugin = (more: string): string =>
    `import * as mesh from '@mesh.dev/mesh/plugin'; export default mesh.definePlugin({ contract: 1, name: 'x', settings: mesh.Type.Object({}), create: () => ({}),\n${more} })`
  const route = (fields: string): string => `routes: () => [\n  mesh.endpoint({ method: 'GET', url: '/g', ${fields} })]`
  const loading: readonly (readonly [string, string, RegExp])[] = [
    [
      'a.mjs',
      "export const x = 1\nthrow new Error('boom')",
      /^plugin \.\/a\.mjs cannot be loaded: boom \(.*a\.mjs:2:7\)$/,
    ],
    ['b.mts', 'export const x: number =\nexport default 1', /^plugin \.\/b\.mts cannot be loaded: .*b\.mts:2/],
    [
      'c.mjs',
      "import * as mesh from '@mesh.dev/mesh/plugin'\nmesh.nope.nope",
      /^plugin \.\/c\.mjs cannot be loaded: Cannot read .*'nope'.*c\.mjs:2:/,
    ],
    ['d.cjs', 'export default 1', /the file is read as CommonJS: write "type": "module"/],
    ['e.mjs', "throw 'text'", /^plugin \.\/e\.mjs cannot be loaded: it threw string, not an Error$/],
    ['f.mjs', 'export default Promise.resolve({})', /its default export is a promise/],
    ['f2.mjs', 'export default (mesh) => mesh.definePlugin({})', /is a function; write export default definePlugin/],
    ['f3.mjs', "import { nope } from '@mesh.dev/mesh/plugin'", /does not provide an export named 'nope'/],
    [
      'g.mjs',
      plugin("needs: { runs: 'nope' }"),
      /needs\.runs must be a plugin, such as need\('runs'\) \(there are runs\)/,
    ],
    ['h.mjs', plugin('needs: { audit: undefined }'), /needs\.audit must be a plugin/],
    ['h2.mjs', plugin("needs: { a: mesh.need('runns') }"), /needs\.a: unknown plugin "runns"; did you mean runs\?/],
    [
      'h3.mjs',
      plugin("needs: { a: mesh.optional(mesh.need('run')) }"),
      /needs\.a: unknown plugin "run"; did you mean runs\?/,
    ],
    ['i.mjs', plugin('rotues: () => 1'), /rotues is not a field of a plugin; did you mean routes\?/],
    ['j.mjs', plugin('jobs: 5'), /jobs must be a function/],
    ['k.mjs', plugin('settings: null'), /settings must be a schema/],
    ['l.mjs', plugin('create: 1'), /create must be a function/],
  ]
  const starting: readonly (readonly [string, string, RegExp])[] = [
    [
      'm.mjs',
      plugin("create: () => {\n  throw new Error('no\\nsecret')\n}"),
      /^plugin x: create failed: no \(.*m\.mjs:3:9\)$/,
    ],
    [
      'n.mjs',
      plugin(route('handle: async () => ({})')),
      /^plugin x: routes failed: endpoint GET \/g: authz is required.*n\.mjs:3:8\)$/,
    ],
    ['o.mjs', plugin(route("authz: { kind: 'bearer' }")), /endpoint GET \/g: handle must be a function \(.*o\.mjs:3/],
    [
      'p.mjs',
      plugin("wiring: () => {\n  throw new TypeError('later')\n}"),
      /^plugin x: wiring failed: later \(.*p\.mjs:3:9\)$/,
    ],
  ]
  const files = Object.fromEntries([...loading, ...starting].map(([name, text]) => [name, text]))
  const settings = Object.fromEntries(starting.map(([name]) => [`${name}.yaml`, `${ports}plugins: [./${name}]\n`]))
  const folder = await folderWith(t, { ...files, ...settings })
  const input = { folder, plugins: [builtin], profile: 'open' as const }
  for (const [name, , message] of loading) {
    const failed = await loadThirdParties([`./${name}`], input).catch((error: unknown) => error)
    assert.ok(failed instanceof Error && failed.name === 'BootError', name)
    assert.match(failed.message, message, name)
  }
  for (const [name, , message] of starting)
    await assert.rejects(start(t, join(folder, `${name}.yaml`)), { name: 'BootError', message }, name)
})

test('CON15: a helper that gets no or wrong arguments names them, the file and the line', async (t) => {
  const calls: readonly (readonly [string, RegExp])[] = [
    ['defineEvent()', /defineEvent: the argument must be \{ domain/],
    ["defineEvent({ domain: 'com.acme' })", /defineEvent: plugin must be a string/],
    ["defineEvent({ domain: 'com.acme', plugin: 'x', fact: 'y', summary: 'z' })", /defineEvent: data must be a schema/],
    ['defineErrors()', /defineErrors: the argument must be/],
    ['defineErrors({ a: 409 })', /defineErrors: the argument must be/],
    ["defineErrors({ a: { status: 200, title: 'x' } })", /error a: the status must be an integer from 400 to 599/],
    ['contribute()', /contribute: the first argument must be a point/],
    ['need()', /need: the argument must be the name of a plugin/],
    ['event()', /event: the argument must be an event type, such as dev\.mesh\.runs\.failed\.v1/],
    ["event('runs\\0.failed')", /event: the argument must be an event type/],
    ['definePlugin()', /definePlugin: the argument must be \{ contract: 1, name, settings, create \}/],
    ['point()', /point: the argument must be a name/],
    ['optional()', /optional: the argument must be a plugin/],
    ['on()', /on: the first argument must be the name of the consumer/],
    ["on('x.a', [undefined], {}, () => {})", /on x\.a: the second argument must be a list of event types/],
    ["on('x.a', 'all')", /on x\.a: the third argument must be/],
    ['endpoint()', /an endpoint must be an object, not undefined/],
    ['crud()', /crud: the first argument must be a kind/],
    ['resourceRoutes({})', /resourceRoutes: the first argument must be a kind/],
    ['defineKind()', /defineKind: the argument must be/],
    ['openEventStream()', /openEventStream: the first argument must be the call that the handler received/],
    ['openEventStream({ headers: {} })', /openEventStream: the first argument must be the call/],
    ['storeList()', /storeList: the first argument must be the call/],
    ['versioned()', /versioned: the first argument must be the call/],
    ['requireVersion(null)', /requireVersion: the first argument must be the call/],
  ]
  const folder = await folderWith(
    t,
    Object.fromEntries(
      calls.map(([call], index) => [`p${index}.mjs`, `import * as mesh from '@mesh.dev/mesh/plugin'\nmesh.${call}`]),
    ),
  )
  const input = { folder, plugins: [builtin], profile: 'open' as const }
  for (const [index, [call, message]] of calls.entries()) {
    const failed = await loadThirdParties([`./p${index}.mjs`], input).catch((error: unknown) => error)
    assert.ok(failed instanceof Error && failed.name === 'BootError', call)
    assert.match(failed.message, message, call)
    assert.match(
      failed.message,
      new RegExp(`^plugin \\./p${index}\\.mjs cannot be loaded: .*p${index}\\.mjs:2:6\\)$`),
      call,
    )
  }
})

test('CON15: a wrong declaration names the line of definePlugin, and an error of another file that file', async (t) => {
  const declared = (more: string): string =>
    `import * as mesh from '@mesh.dev/mesh/plugin'\nexport default mesh.definePlugin({ contract: 1, name: 'x', settings: mesh.Type.Object({}), create: () => ({}), ${more} })`
  const folder = await folderWith(t, {
    'a.mjs': declared('events: [undefined]'),
    'b.mjs': declared('needs: null'),
    'c.mjs': declared('migrations: "./migrations"'),
    'd.mjs': declared("contributions: () => [mesh.contribute(mesh.definePoint('runs.gone'), 1)]"),
    'd.yaml': `${ports}plugins: [./d.mjs]\n`,
    'e.mjs': `import { boom } from './lib/helper.mjs'\n${declared('create: () => boom()')}`,
    'e.yaml': `${ports}plugins: [./e.mjs]\n`,
    'lib/helper.mjs': "export const boom = () => {\n  throw new Error('deep')\n}",
    'node_modules/broken/package.json': '{ "main": ',
  })
  const input = { folder, plugins: [builtin], profile: 'open' as const }
  const refused = async (from: string, message: RegExp): Promise<void> =>
    assert.rejects(loadThirdParties([from], input), { name: 'BootError', message })
  await refused('./a.mjs', /^plugin \.\/a\.mjs \(.*a\.mjs:2:21\): events must be a list of defineEvent/)
  await refused('./b.mjs', /b\.mjs:2:21\): needs must be an object/)
  await refused('./c.mjs', /c\.mjs:2:21\): migrations must be a URL/)
  await refused('broken', /^plugin broken: .*package\.json cannot be read/)
  const starting = (name: string, message: RegExp): Promise<void> =>
    assert.rejects(start(t, join(folder, `${name}.yaml`)), { name: 'BootError', message })
  await starting('d', /^plugin x \(.*d\.mjs:2:21\) contributes to the point runs\.gone, which no plugin declares$/)
  await starting('e', /^plugin x: create failed: deep \(.*lib\/helper\.mjs:2:9\)$/)
})
