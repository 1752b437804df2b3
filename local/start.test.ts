import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { mainProgram } from '#test/harness/program.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const severalCommands = fileURLToPath(import.meta.resolve('./testdata/several-commands.ts'))

interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

function mesh(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const options = { cwd, env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env }, timeout: 150_000 }
  return new Promise((resolve) => {
    execFile(process.execPath, [mainProgram, ...args], options, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, out, err })
    })
  })
}

/** What one command printed after another in one process: most of the cost of a command that ends is the import of the platform. */
async function inOneProcess(
  folder: string,
  commands: readonly { readonly args: readonly string[]; readonly cwd: string; readonly env?: Case['env'] }[],
): Promise<readonly Outcome[]> {
  const results = join(folder, 'results.json')
  await promisify(execFile)(process.execPath, [severalCommands, JSON.stringify(commands), results], {
    timeout: 150_000,
  })
  return JSON.parse(readFileSync(results, 'utf8')) as readonly Outcome[]
}

/** A process in a folder with these files; the default data folder is `data`. */
interface Case {
  readonly files?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly code?: number
  readonly says: RegExp
}

/** Runs the starts in one process, and holds what each printed against its case. */
async function refused(t: TestContext, cases: Readonly<Record<string, Case>>): Promise<void> {
  const folder = tempFolder('start')
  t.after(folder.remove)
  const starts = Object.entries(cases).map(([name, { files = {}, args = [], env = {} }]) => {
    const cwd = join(folder.path, name)
    for (const [file, text] of Object.entries({ '.keep': '', ...files })) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true })
      writeFileSync(join(cwd, file), text)
    }
    return { cwd, env, args: ['all', '--port', '0', '--output', 'json', '--no-demo', '--data', 'data', ...args] }
  })
  const found = await inOneProcess(folder.path, starts)
  for (const [index, [name, { code = 1, says }]] of Object.entries(cases).entries()) {
    const one = found[index]
    assert.ok(one, name)
    assert.equal(one.code, code, `${name}: ${one.err}`)
    assert.match(one.err, says, name)
    assert.equal(one.out, '', name)
    assert.doesNotMatch(one.err, /pa55word|\n {4}at /, name)
  }
}

const ours = { 'data/lock': '' }

test('UXL8: what is wrong with the data folder is said with its path and what to do', async (t) => {
  await refused(t, {
    file: { files: { data: 'x' }, says: /^mesh: --data data: is a file, not a folder\n$/ },
    below: {
      files: { data: 'x' },
      args: ['--data', 'data/sub'],
      says: /cannot be created: a part of its path is a file/,
    },
    proc: { args: ['--data', '/proc/x'], says: /^mesh: --data \/proc\/x: cannot be created: / },
    long: { args: ['--data', 'x'.repeat(300)], says: /its path is too long/ },
    foreign: { files: { 'data/thesis.txt': '' }, says: /is not empty and was not created by mesh/ },
    tokens: {
      files: { ...ours, 'data/tokens.json': '{\n "admin": pa55word' },
      says: /^mesh: \/.*\/data\/tokens\.json is not JSON \(line 2\); remove it to get new tokens\n$/,
    },
    issuer: {
      files: { ...ours, 'data/apiserver/issuer.key': 'pa55word' },
      says: /^mesh: \/.*\/issuer\.key is not a private key in PEM; restore the file, or remove it/,
    },
    serving: {
      files: { ...ours, 'data/apiserver/serving.json': 'pa55word' },
      says: /serving\.json is not JSON; remove it to get a new serving certificate/,
    },
    store: {
      files: { ...ours, 'data/database/data/PG_VERSION': '17\n', 'data/database/data/global/pg_control': 'torn' },
      says: /^mesh: the store in \/.*\/data\/database cannot be opened; start with --fresh .*, or restore a copy/,
    },
  })
})

test('PODA24, UXH2: a wrong setting or connection of mesh.yaml ends the start and is named with its place', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const yaml = (text: string) => ({ 'mesh.yaml': text })
  await refused(t, {
    typo: {
      files: yaml('profil: open\n'),
      says: /^mesh: \/.*\/mesh\.yaml:1:1: profil is not a known setting; did you mean profile\?\n$/,
    },
    disable: {
      files: yaml('disable: [audti]\n'),
      says: /mesh\.yaml:1:11: disable: unknown plugin "audti"; did you mean audit\? \(plugins: a2a, agents, /,
    },
    named: {
      env: { MESH_CONFIG: '/gone/mesh.yaml' },
      says: /^mesh: \/gone\/mesh\.yaml: the settings file cannot be read: there is no such file\n$/,
    },
    level: { env: { LOG_LEVEL: 'loud' }, says: /^mesh: LOG_LEVEL must be debug, info, warn or error, not "loud"\n$/ },
    database: {
      files: yaml('databaseUrl: postgres://u:pa55word@127.0.0.1:1/d\n'),
      says: /^mesh: \/.*\/mesh\.yaml:1:1: databaseUrl: 127\.0\.0\.1:1 refused the connection\n$/m,
    },
    url: { files: yaml('databaseUrl: pa55word\n'), says: /mesh\.yaml:1:1: databaseUrl: must be postgres:\/\// },
    nats: {
      files: yaml('natsUrl: nats://u:pa55word@127.0.0.1:1\n'),
      says: /^mesh: \/.*\/mesh\.yaml:1:1: natsUrl: 127\.0\.0\.1:1 refused the connection\n$/m,
    },
    plugin: {
      files: {
        ...yaml('plugins: [./boom.mjs]\n'),
        'boom.mjs': "export const x = 1\nthrow new Error('boom')",
      },
      says: /^mesh: plugin \.\/boom\.mjs cannot be loaded: boom \(\/.*\/boom\.mjs:2:7\)\n$/,
    },
    port: { args: ['--port', String(port)], says: /--port \d+: the port is taken by another process/ },
    flag: {
      args: ['--prot', '1'],
      code: 2,
      says: /^mesh: unknown option "--prot"; did you mean --port\?[^]*usage: mesh all/,
    },
  })
})

test('UXL8: a full disk and a read-only disk are reported as such', async (t) => {
  const small = mounted(t, 'size=6m')
  const fixed = mounted(t, 'ro')
  if (small === undefined || fixed === undefined)
    return t.skip('NOT RUN: a small file system can only be mounted by root on Linux')
  await refused(t, {
    full: {
      args: ['--data', join(small, 'd')],
      says: /^mesh: the data folder \/.* is full \(no space left on device, about \d+ MB missing\)/m,
    },
    fixed: {
      args: ['--data', join(fixed, 'd')],
      says: /^mesh: --data \/.*\/d: cannot be created: the file system is read-only\n$/,
    },
  })
})

test('UXL1: mesh, --help and --version print help, and an unknown command is answered with the nearest one', async (t) => {
  const folder = tempFolder('help')
  t.after(folder.remove)
  const cases: readonly (readonly [string, number, RegExp])[] = [
    ['', 0, /^mesh: a control plane[^]*\n {2}mesh all  [^]*\n {2}mesh keys rotate /],
    ['--version', 0, /^\d+\.\d+\.\d+\n$/],
    ['all --help', 0, /^ {2}mesh all  [^]*\n {2}--data DIR/],
    ['bff --help', 0, /^ {2}mesh bff [^]*takes no flags/],
    ['restore --help', 0, /usage: mesh restore/],
    ['wroker', 2, /^mesh: unknown command "wroker"; did you mean mesh worker\?\n/],
    ['worker dead-letters', 2, /there is mesh worker dead-letters list and mesh worker dead-letters redrive/],
    ['worker dead-leters', 2, /did you mean mesh worker dead-letters\?/],
    ['bff --port', 2, /^mesh: mesh bff takes no flags \(--port\)/],
    ['keys', 2, /there is mesh keys init and mesh keys rotate/],
    [`x${'y'.repeat(100_000)}`, 2, /^mesh: unknown command "xy{59}"\n/],
  ]
  const commands = cases.map(([words]) => ({ args: words.split(' ').filter((word) => word !== ''), cwd: folder.path }))
  const found = await inOneProcess(folder.path, commands)
  for (const [index, [words, code, says]] of cases.entries()) {
    assert.equal(found[index]?.code, code, words.slice(0, 40))
    assert.match((code === 0 ? found[index]?.out : found[index]?.err) ?? '', says, words.slice(0, 40))
  }
  const alone = await mesh(['wroker'], folder.path)
  assert.deepEqual([alone.code, alone.err], [2, found[cases.findIndex(([words]) => words === 'wroker')]?.err])
})

test('a plugin of mesh.yaml has commands of its own; one that does not load is named', async (t) => {
  const folder = tempFolder('commands')
  t.after(folder.remove)
  const acme = `import * as mesh from '@mesh.dev/mesh/plugin'
export default mesh.definePlugin({
    contract: 1, name: 'acme', settings: mesh.Type.Object({ greeting: mesh.Type.String({ default: 'hello' }) }), create: () => ({}),
    commands: [mesh.defineCommand({
      words: 'acme greet', summary: 'greet a person', options: { name: { positional: true, required: true, help: 'whom' } },
      load: async () => async ({ values, settings, out }) => {
        if (values.name === 'no') throw new mesh.BadArguments('NAME: not this one')
        out((await settings()).greeting + ' ' + values.name + '\\n')
        return 5
      },
    })],
  })`
  const files = {
    'good/mesh.yaml': 'plugins: [./acme.mjs]\nacme: {greeting: good day}\n',
    'good/acme.mjs': acme,
    'bad/mesh.yaml': 'plugins: [./boom.mjs]\n',
    'bad/boom.mjs': "throw new Error('boom')",
    'taken/mesh.yaml': 'plugins: [./acme.mjs]\n',
    'taken/acme.mjs': acme.replace('acme greet', 'keys init'),
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, file)), { recursive: true })
    writeFileSync(join(folder.path, file), text)
  }
  const cases: readonly (readonly [string, string, number, RegExp])[] = [
    ['good', 'acme greet Ada', 5, /^good day Ada\n$/],
    ['good', 'acme greet', 2, /^mesh: NAME is required\n\nusage: mesh acme greet NAME\n/],
    ['good', 'acme greet no', 2, /^mesh: NAME: not this one\n/],
    ['good', 'acme greet --help', 0, /^usage: mesh acme greet NAME\n/],
    ['good', 'acme gret', 2, /did you mean mesh acme greet\?/],
    ['good', '--help', 0, /\n {2}mesh audit verify .*\n {2}mesh acme greet +greet a person\n/],
    [
      'bad',
      'acme greet Ada',
      2,
      /unknown command "acme"; plugins of the settings are not loaded: plugin \.\/boom\.mjs cannot be loaded: boom/,
    ],
    ['bad', '--version', 0, /^\d/],
    [
      'taken',
      'acme greet',
      2,
      /plugin acme \(.*acme\.mjs:2:\d+\): its command "keys init" begins with keys, a command or role of the platform/,
    ],
  ]
  const commands = cases.map(([where, words]) => ({ args: words.split(' '), cwd: join(folder.path, where) }))
  for (const [index, { code, out, err }] of (await inOneProcess(folder.path, commands)).entries()) {
    const [, words, expected, says] = cases[index] ?? ['', '', 0, /never/]
    assert.equal(code, expected, `${words}: ${err}`)
    assert.match(code === 0 || code === 5 ? out : err, says, words)
  }
  const help = await mesh([], join(folder.path, 'bad'))
  assert.equal(help.code, 0)
  assert.match(
    help.err,
    /^mesh: commands of the plugins of the settings are not listed: plugin \.\/boom\.mjs cannot be loaded: boom/,
  )
})

function mounted(t: TestContext, options: string): string | undefined {
  const { path, remove } = tempFolder('disk')
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    return void remove()
  }
  t.after(() => {
    execFileSync('umount', ['-l', path])
    remove()
  })
  return path
}
