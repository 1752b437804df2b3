import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import test, { after, before } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { packTarball } from '../../scripts/pack/pack.ts'
import { networkVariables } from '#test/harness/network-variables.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { filesOfPage } from '../docs/page-files.ts'
import { commandsOf } from '../flows/readme.ts'
import { findOldNode, install, processesOf, readOnly, start } from './installation.ts'
import type { Running } from './installation.ts'
import { checkAudit, checkCrud, checkEvents, checkManifests, checkMatrix } from './third-party-kind.ts'
import { namespaceAsYaml } from './namespace-as-yaml.ts'
import { checkOncall } from './oncall-example.ts'
import { checkPlugin, checkPodPart } from './third-party-plugin.ts'
import { compiler, typeErrors } from './type-errors.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const notLinux = process.platform !== 'linux' && 'processes are looked up in /proc'
const work = tempFolder('pack')
const folder = join(work.path, 'installation')
const mesh = (...flags: string[]) => ['all', '--data', 'd', '--port', '0', '--output', 'json', ...flags]
let tarball = ''
after(() => work.remove())

const testdata = join(root, 'test', 'pack', 'testdata')
const oncall = join(root, 'examples', 'plugins', 'oncall')
const ownSettings = `plugins: ['@library/mesh-shelves', '@library/mesh-lending', '@example/mesh-oncall']
lending: {limit: 5}
oncall: {escalateSeconds: 2}
`
const page = join(root, 'docs', 'how-to', 'write-a-plugin.md')
const library = filesOfPage(page)
const packaged = `import { Type, definePlugin, endpoint } from '@mesh.dev/mesh/plugin'
export default definePlugin({
  contract: 1,
  name: 'mesh-x',
  settings: Type.Object({}),
  create: () => ({}),
  routes: () => [endpoint({
    method: 'GET', url: '/', summary: 'Answers.', authz: { kind: 'bearer' },
    response: { 200: Type.Object({ from: Type.String() }) },
    handle: async () => ({ from: 'a packed tarball' }),
  })],
})
`
const shout = `require('node:http').createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += chunk)).on('end', () => {
    const output = request.url === '/invoke' ? JSON.parse(body).input.toUpperCase() : 'ok'
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ output }))
  })
}).listen(process.env.AGENT_PORT, '127.0.0.1')
`

before(async () => {
  mkdirSync(folder)
  const [commands = ''] = commandsOf(page, 'Install')
  runShell(folder, commands, { CHECKOUT: root, npm_config_prefer_offline: 'true' })
  writeFiles(folder, library)
  const settings = library.get('mesh.yaml') ?? ''
  writeFileSync(join(folder, 'mesh.yaml'), settings.replace('./library/index.ts', "./library/index.ts, '@acme/mesh-x'"))
  tarball = packedByPage()
  const sources = [join(testdata, 'shelves'), join(testdata, 'lending'), oncall]
  const packed = sources.map((source) => packTarball(source, work.path))
  writeFileSync(join(folder, 'packages.yaml'), ownSettings)
  install(folder, [tarball, packTarball(thirdParty(), work.path), ...packed])
})

test('packed: the tarball holds JavaScript and declarations, with everything it reads beside it', () => {
  const files = readdirSync(join(folder, 'node_modules/@mesh.dev/mesh'), { recursive: true, encoding: 'utf8' })
  assert.deepEqual(
    // Examples are read by users, and run by their own Node.js.
    files.filter((path) => path.endsWith('.ts') && !/^(?:types\/.*\.d|examples\/.*)\.ts$/.test(path)),
    [],
  )
  assert.ok(!existsSync(join(folder, 'node_modules/fastify')), 'running needs none of the packages that types do')
  for (const path of ['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES', 'deploy/crds/agentdeployments.yaml'])
    assert.ok(files.includes(path), `${path} is missing`)
})

test('packed: the thread that reads documents starts from its own file', async () => {
  const worker = new Worker(join(folder, 'node_modules/@mesh.dev/mesh/plugins/knowledge/documents/parse-worker.js'), {
    workerData: {
      format: 'html',
      contentType: 'text/html',
      bytes: new TextEncoder().encode('<h1>Refunds</h1><p>within 30 days'),
      maxCharacters: 1_000,
    },
  })
  const [report] = (await once(worker, 'message')) as [object]
  await worker.terminate()
  assert.match(JSON.stringify(report), /within 30 days/)
})

test('packed: the thread of the liveness probe starts from its own file', async () => {
  const worker = new Worker(join(folder, 'node_modules/@mesh.dev/mesh/core/host/probes/liveness-thread.js'), {
    workerData: { host: '127.0.0.1', port: 0, blockedMs: 1_000, answered: new Int32Array(new SharedArrayBuffer(4)) },
  })
  const [{ port }] = (await once(worker, 'message')) as [{ port: number }]
  assert.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200)
  await worker.terminate()
})

test(
  'R2-UX-5: mesh all of the packed tarball starts in an empty folder and serves agents and third parties',
  { skip: notLinux },
  async (t) => {
    const running = await start(t, folder, [join(folder, 'node_modules/.bin/mesh'), ...mesh()])
    const invoke = async (agent: object, input: string) => {
      const [status, run] = await running.call('developer', '/api/invoke', { agent, input })
      return [status, run['state'], run['output']]
    }
    assert.deepEqual(await invoke({ namespace: 'demo', name: 'hello' }, 'hi'), [200, 'succeeded', 'MOCK_OK'])
    const listed = ['runs', 'list', '-n', 'demo', '--kubeconfig', running.ready.kubeconfig, '-o']
    const runsAs = (format: string) =>
      String(execFileSync(join(folder, 'node_modules/.bin/meshctl'), [...listed, format]))
    assert.match(runsAs('name'), /^run\/[0-9a-f-]{36}$/m)
    assert.match(runsAs('yaml'), /^items:\n {2}- id: /)
    assert.match(await namespaceAsYaml(t, running.ready), /^kind: Namespace$/m)

    const config = { name: 'shout', runtime: { command: [process.execPath, '-e', shout] } }
    const [created, answer] = await running.call('developer', '/api/agents', { namespace: 'default', config })
    assert.equal(created, 201, JSON.stringify(answer))
    assert.deepEqual(await invoke({ namespace: 'default', name: 'shout' }, 'loud'), [200, 'succeeded', 'LOUD'])

    await lend(running)
    assert.deepEqual(await running.call('viewer', '/api/x/mesh-x/'), [200, { from: 'a packed tarball' }])

    assert.ok(processesOf(folder).length >= 4, 'the platform, its launchers and a command were running')
    const commands = processesOf(folder).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    const flagged = commands.filter((one) =>
      /--max-semi-space-size=4\0[^\0]*(?:mesh\.mjs|run\.mjs\0\.\.\/main\.js)\0all\0/.test(one),
    )
    assert.equal(flagged.length, 1, 'the young generation of the platform is not bounded')
    assert.equal(await running.stop('SIGTERM'), 0)
    assert.deepEqual(processesOf(folder), [], 'no process is left')
  },
)

test('packed: plugins of third parties', { skip: notLinux, timeout: 480_000 }, async (t) => {
  const env = { MESH_CONFIG: join(folder, 'packages.yaml') }
  const bin = join(folder, 'node_modules/.bin/mesh')
  const run = (...args: string[]) =>
    String(execFileSync(bin, args, { cwd: folder, env: { ...process.env, ...env, KUBECONFIG: '' } }))
  const { ready, stop } = await start(t, folder, [bin, ...mesh('--no-demo')], { env })
  await t.test('a CRUD kind is 20 lines, with curl, kubectl, audit, events and the matrix', async (part) => {
    assert.ok(readFileSync(join(testdata, 'shelves/index.js'), 'utf8').trimEnd().split('\n').length <= 20)
    await checkCrud(part, ready)
    await checkMatrix(part, ready)
    await checkAudit(part, ready)
    await checkEvents(ready)
    await checkManifests(part, run('manifests', '--third-party'))
  })
  await t.test('a kind, a route, an event, a consumer, an error, a command and a pod part', async (part) => {
    await checkPlugin(part, ready)
    await checkPodPart(part, ready)
    assert.equal(run('lending', 'limit'), '5\n')
    assert.match(run('--help'), /mesh lending limit/)
  })
  await t.test('the example oncall pages people about a failed run', async (part) => {
    // Commands find the platform of the folder: this start has another name for it.
    symlinkSync('d', join(folder, '.mesh'))
    await checkOncall(part, ready, run)
  })
  assert.equal(await stop('SIGTERM'), 0)
})

test(
  'packed: an installation that its user may not write starts, with its store prepared in the user’s own cache',
  { skip: notLinux },
  async (t) => {
    const home = join(work.path, 'home')
    const as = readOnly(t, folder, home)
    chmodSync(work.path, 0o755)
    const own = join(folder, 'node_modules/.bin/node')
    const run = [own, join(folder, 'node_modules/@mesh.dev/mesh/bin/mesh.mjs'), ...mesh('--no-demo')]
    const running = await start(t, folder, run, as)
    assert.equal((await running.call('viewer', '/api/agents?namespace=default'))[0], 200)
    assert.equal(await running.stop('SIGTERM'), 0)
    const [image] = readdirSync(join(home, '.cache/mesh'))
    assert.match(image ?? '', /^pglite-\d+\.\d+\.\d+$/)
    assert.equal(statSync(join(home, '.cache/mesh')).mode & 0o777, 0o700)
  },
)

test('packed: the plugin of write-a-plugin type-checks under strict beside the tarball, and four wrong ones do not', () => {
  const author = join(work.path, 'author')
  const [commands = ''] = commandsOf(page, 'Check the types')
  const [command = '', check = ''] = commands.split('\n')
  const packages = command.replace('npm install --save-dev ', '').split(' ')
  mkdirSync(author)
  writeFileSync(join(author, 'package.json'), '{ "type": "module" }')
  install(author, ['--omit=optional', tarball, ...packages])
  writeFiles(author, library)
  runShell(author, check.replace('npx tsc', `${process.execPath} ${compiler}`))
  const index = library.get('library/index.ts') ?? ''
  const routes = library.get('library/routes.ts') ?? ''
  const errors = typeErrors(author, {
    'library/index.ts': index,
    'library/unknown-slot.ts': index.replace('create:', 'onStart: async () => undefined,\n    create:'),
    'library/no-authz.ts': routes.replace(/authz: .*\n/, '\n'),
    'library/wrong-need.ts': index.replace('create:', "needs: { runs: 'runs' },\n    create:"),
    'library/wrong-event.ts': `import { event } from '@mesh.dev/mesh/plugin'\nevent('dev.mesh.runs.faild.v1')\n`,
  })
  const wrong = ['no-authz.ts', 'unknown-slot.ts', 'wrong-event.ts', 'wrong-need.ts'].map((name) => `library/${name}`)
  assert.deepEqual([...errors.keys()].toSorted(), wrong, [...errors].join('\n'))
  assert.match(errors.get('library/unknown-slot.ts') ?? '', /'onStart' does not exist in type 'Plugin</)
  assert.match(errors.get('library/no-authz.ts') ?? '', /Property 'authz' is missing in type/)
  assert.match(
    errors.get('library/wrong-event.ts') ?? '',
    /'"dev\.mesh\.runs\.faild\.v1"' is not assignable to .* 'keyof PlatformEvents'/,
  )
  assert.match(errors.get('library/wrong-need.ts') ?? '', /Type 'string' is not assignable to type 'AnyPlugin /)
})

const oldNode = findOldNode()
const noOldNode = oldNode === undefined && 'no Node.js from 20 to 23 on PATH'

test(
  'packed: an older Node.js hands over, and what it started ends with it',
  { skip: notLinux || noOldNode, timeout: 480_000 },
  async (t) => {
    const bin = join(folder, 'node_modules/@mesh.dev/mesh/bin/mesh.mjs')
    const first = await start(t, folder, [oldNode ?? '', bin, ...mesh('--no-demo')])
    assert.notEqual(first.ready.pid, first.pid)
    const [status] = await first.call('developer', '/api/agents/default/shout')
    assert.equal(status, 200, 'a second start finds its data')
    assert.equal(await first.stop('SIGINT'), 0)
    assert.deepEqual(processesOf(folder), [])

    const second = await start(t, folder, [oldNode ?? '', bin, ...mesh()])
    assert.equal(await second.stop('SIGKILL'), null)
    while (processesOf(folder).length > 0) await setTimeout(20)
  },
)

// The tarball that the commands of the page have made.
function packedByPage(): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return join(root, 'dist', `mesh.dev-mesh-${version}.tgz`)
}

/** The calls of the page against the running platform, and what it says about rights and audit. */
async function lend({ call }: Running): Promise<void> {
  const [, commands = ''] = commandsOf(page, 'Run it')
  // The data folder of this start has another name.
  const answers = runShell(folder, commands.replace('env --as', 'env --data d --as'))
  assert.match(answers, /"room":"Attic".*\{"book":"Duino Elegies"\}\n\{"items":\[\{"book":"Duino Elegies"\}\]\}\n$/s)
  const loans = '/api/x/library/bookshelves/default/poetry/loans'
  assert.equal((await call('other-tenant', loans))[0], 403)
  assert.equal((await call('developer', loans, { book: 'Duino Elegies' }))[1]['code'], 'book_lent')
  const rows = async (): Promise<readonly unknown[]> => {
    const [, { items }] = await call('operator', '/api/audit?action=lend')
    return (items as { actor: string; resource_name: string; outcome: string }[])
      .filter(({ outcome }) => outcome === 'success')
      .map((row) => `${row.actor} ${row.resource_name}`)
  }
  for (const end = Date.now() + 90_000; (await rows()).length === 0 && Date.now() < end;) await setTimeout(100)
  assert.deepEqual(await rows(), ['developer poetry'])
}

function writeFiles(into: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(into, path)), { recursive: true })
    writeFileSync(join(into, path), text)
  }
}

function runShell(cwd: string, commands: string, more: Readonly<Record<string, string>> = {}): string {
  const env = { ...networkVariables(), PATH: process.env['PATH'], HOME: process.env['HOME'], ...more }
  const { status, stdout, stderr } = spawnSync('bash', ['-ec', commands], { cwd, encoding: 'utf8', env })
  assert.equal(status, 0, `${commands}\n${stdout}${stderr}`)
  return stdout
}

// As npm packs it, from an unrelated folder.
function thirdParty(): string {
  const source = join(work.path, 'mesh-x')
  mkdirSync(source)
  const exports = { '.': { import: './index.js' } }
  writeFileSync(
    join(source, 'package.json'),
    JSON.stringify({ name: '@acme/mesh-x', version: '1.0.0', type: 'module', exports }),
  )
  writeFileSync(join(source, 'index.js'), packaged)
  return source
}
