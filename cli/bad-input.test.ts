import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import test, { after } from 'node:test'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import { runCli } from '#cli/testing/run-cli.ts'
import type { CliResult } from '#cli/testing/run-cli.ts'
import type { CommandOption } from '#core/command-line/option.ts'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import type { CliCommand } from './contract/command.ts'
import { cliCommands } from './main.ts'
import { optionsOf } from './run/line-of-command.ts'

const program = fileURLToPath(import.meta.resolve('../scripts/program/start-meshctl.mjs'))
const folder = tempFolder('bad-input')
after(folder.remove)
const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder.path, name), content)
  return join(folder.path, name)
}
const valid = file('valid.json', '{}')
const commands = await Promise.all(cliCommands.map((one) => one.load()))

/** A value that an option accepts. */
function sampleOf({ oneOf: choices, value = '', parse }: CommandOption): string {
  if (choices !== undefined) return choices[0] ?? ''
  if (/FILE|PATH/.test(value)) return valid
  const samples = ['x', '1', '019a0000-0000-7000-8000-000000000000', 'https://mesh.example.com']
  const accepted = samples.find((one) => {
    try {
      parse?.(one)
      return true
    } catch {
      return false
    }
  })
  assert.ok(accepted !== undefined, `no sample of ${value}`)
  return accepted
}

// What a command wants beyond its required options.
const further: Readonly<Record<string, readonly string[]>> = {
  'prompts label': ['1'],
  'providers connect': ['--url', 'https://models.example.com/v1', '--key-env', 'KEY'],
  'providers rotate': ['--key-env', 'KEY'],
  'mcp connect': ['--url', 'https://tools.example.com'],
}

/** The shortest valid arguments of a command. */
function argumentsOf({ words, options = {} }: CliCommand, given: Readonly<Record<string, string>> = {}): string[] {
  const texts = Object.entries(options).flatMap(([name, option]) => {
    const value = given[name] ?? (option.required === true ? sampleOf(option) : undefined)
    if (value === undefined) return []
    return option.positional === true ? [value] : [`--${name}`, value]
  })
  return [...words.split(' '), ...texts, ...(further[words] ?? [])]
}

/** One line says what is wrong, one what to do, nothing else is printed, and nothing acts on the terminal. */
function refusedBy(command: CliCommand, { code, out, err }: CliResult, message: RegExp): void {
  const { words, failureCode = 1 } = command
  assert.equal(code, failureCode, `${words}: ${err}`)
  assert.match(err, message, words)
  assert.match(err, /^meshctl: [^\n]+\n[^\n]+\n$/, words)
  // The hint names no option that the command lacks; those of another command follow its words.
  const [, hint = ''] = err.replaceAll(/meshctl [a-z ]+ --\S+/g, '').split('\n')
  for (const [, name = ''] of hint.matchAll(/--([a-z-]+)/g)) assert.ok(name in optionsOf(command), `${words}: ${hint}`)
  // oxlint-disable-next-line no-control-regex -- none may be printed
  assert.doesNotMatch(out + err, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\n\s+at /, words)
}

// Well-known providers are data of the program.
const apiCommands = commands.filter(({ usesApi, words }) => usesApi && words !== 'providers known')
const never = () => new Promise<never>(() => undefined)
const call = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  runCli(args, { env: { KEY: 'sk-1', ...env }, untilStopped: never, stdin: '{}' })

function kubeconfig(name: string, server: string, token: string): string {
  const api = { name: 'mesh.dev/api', extension: { server } }
  return file(
    name,
    stringify({
      'current-context': 'dev',
      clusters: [{ name: 'c', cluster: { server, extensions: [api] } }],
      users: [{ name: 'u', user: { token } }],
      contexts: [{ name: 'dev', context: { cluster: 'c', user: 'u' } }],
    }),
  )
}

const agent = file('agent.yaml', 'name: bot\nmodel: { route: mock }\neval: { dataset: d, suite: s }\n')
const evalFile = ({ words }: CliCommand) => (words === 'eval' ? { candidate: agent } : {})

test('each command of the API says what is wrong with kubeconfig, context, token or address', async (t) => {
  const expired = `e.${Buffer.from('{"exp":1}').toString('base64url')}.s`
  const refusing = await listen(
    t,
    createServer((_, response) => void response.writeHead(401).end('{}')),
  )
  const [old, lost] = [kubeconfig('old', refusing, expired), kubeconfig('lost', 'http://127.0.0.1:9', 'token')]
  const folderPath = join(folder.path, 'folder')
  mkdirSync(folderPath)
  const binary = file('binary', Buffer.from([0xff, 0x00, 0x1b, 0x5b, 0x7b]))
  const large = file('large', Buffer.alloc(100 * 1024 * 1024, 'a'))
  const aliases = file(
    'aliases',
    `a: &a [x]\n${'bcdefgh'
      .split('')
      .map((one, at) => `${one}: &${one} [${`*${'abcdefg'[at]},`.repeat(9)}]\n`)
      .join('')}`,
  )
  for (const command of apiCommands) {
    const args = argumentsOf(command, evalFile(command))
    for (const [env, flags, message] of [
      [{}, [], /^meshctl: (?:the address of the API is not known|no kubeconfig: \S+ does not exist)\n/],
      [
        { KUBECONFIG: old },
        ['--context', 'prod\u001b[31m'],
        /^meshctl: context "prod[^"]*" is not in [^\n]*: must be dev\nmeshctl context list/,
      ],
      [
        { KUBECONFIG: old },
        [],
        /^meshctl: http:\S+ refused the token of context dev: it expired at 1970-01-01T00:00:01\.000Z \(401\)\nSign in/,
      ],
      [{ KUBECONFIG: lost }, [], /^meshctl: http:\/\/127\.0\.0\.1:9 refused the connection\nCheck the address/],
      [{}, ['--kubeconfig', folderPath], /^meshctl: kubeconfig \S+: is not a file\n--kubeconfig FILE/],
      [
        {},
        ['--kubeconfig', `${folderPath}/none`],
        /^meshctl: (?:no )?kubeconfig:? \S+ (?:cannot be read \(ENOENT\)|does not exist)\n/,
      ],
      [{}, ['--kubeconfig', binary], /^meshctl: kubeconfig \S+: is not (?:YAML|a kubeconfig)[^\n]*\n--kubeconfig FILE/],
      [{}, ['--kubeconfig', large], /^meshctl: kubeconfig \S+: has more than 4194304 bytes\n/],
      [{}, ['--kubeconfig', aliases], /^meshctl: kubeconfig \S+: has too many aliases\n/],
    ] as const)
      refusedBy(command, await call([...args, ...flags], env), message)
  }
  assert.ok(apiCommands.length > 40)
})

test('each option with a file refuses a folder, a binary and a large file, and one that is absent', async () => {
  const lost = kubeconfig('lost-too', 'http://127.0.0.1:9', 'token')
  const files: readonly (readonly [path: string, message: RegExp])[] = [
    [folder.path, /(?:is a folder|EISDIR)/],
    [file('binary-too', Buffer.from([0xff, 0xfe, 0x00, 0x1b])), /is not (?:UTF-8 text|a token|PEM)/],
    [file('large-too', Buffer.alloc(100 * 1024 * 1024, 'a')), /(?:must have at most \d+ bytes)/],
    [join(folder.path, 'absent\u001b'), /(?:does not exist|ENOENT)/],
  ]
  let seen = 0
  for (const command of apiCommands)
    for (const [name, option] of Object.entries(command.options ?? {})) {
      if (option.value !== 'FILE') continue
      seen++
      for (const [path, message] of files) {
        const { words } = command
        const args = argumentsOf(
          { ...command, options: { ...command.options } },
          { ...evalFile(command), [name]: path },
        )
        const own = args.filter((one, at) => !(one === '--key-env' || args[at - 1] === '--key-env'))
        const more = words === 'api' ? ['--method', 'POST'] : []
        refusedBy(command, await call([...own, ...more], { KUBECONFIG: lost }), message)
      }
    }
  assert.ok(seen >= 6, `${seen} options`)
})

/** What a response has acts on no terminal; a row of another shape is a failure without a stack. */
function isHarmless(title: string, { code, out, err }: CliResult): void {
  if (code !== 0) assert.match(err, /^meshctl: [^\n]+\n/, title)
  assert.doesNotMatch(err, /TypeError|Cannot read|is not (?:a function|iterable)/, title)
  // oxlint-disable-next-line no-control-regex -- none may be printed
  assert.doesNotMatch(out + err, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]|\n\s+at /, title)
}

const hostile = 'bot\u001b[2J\u0007\u009b31m\u202e\r\n'

/** A response whose strings all act on a terminal. */
async function startHostile(t: TestContext): Promise<string> {
  const row = {
    namespace: hostile,
    name: hostile,
    id: hostile,
    agent: { namespace: hostile, name: hostile },
    metadata: { namespace: hostile, name: hostile },
    spec: { datasetRef: { name: hostile }, evaluators: [{ name: hostile }], minScore: 1 },
    labels: {},
    state: hostile,
    type: hostile,
  }
  return listen(
    t,
    createServer(({ url = '' }, response) => {
      response.setHeader('content-type', 'application/json')
      if (url.includes('denied'))
        return void response.writeHead(403).end(JSON.stringify({ detail: hostile, code: hostile }))
      response.end(JSON.stringify({ items: [row], nextCursor: null }))
    }),
  )
}

test('strings of a response never act on the terminal, at any width', async (t) => {
  const env = { MESH_SERVER: await startHostile(t), MESH_TOKEN: 'token' }
  for (const words of ['runs list', 'agents list', 'evals list', 'prompts list', 'datasets list', 'providers list']) {
    for (const [format, width] of [
      ['table', 20],
      ['table', 1],
      ['wide', 80],
      ['json', 20],
      ['yaml', 20],
      ['name', 20],
    ] as const) {
      const { code, out, err } = await runCli([...words.split(' '), '-o', format], { env, width })
      isHarmless(`${words} ${format}`, { code, out, err })
      if (format === 'table')
        for (const line of out.split('\n')) assert.ok([...line].length <= width, `${words}: ${line}`)
    }
  }
  const denied = await runCli(['prompts', 'get', 'denied'], { env })
  assert.deepEqual(denied.err.split('\n').length, 3)
  assert.match(denied.err, /^meshctl: bot\\u001b\[2J.*\(403, bot\\u001b/)
})

test('each command of the API survives such a response, on a terminal of 20 columns', async (t) => {
  const env = { MESH_SERVER: await startHostile(t), MESH_TOKEN: 'token', KEY: 'sk-1' }
  // It evaluates by a kubeconfig: test/flows/evals.
  for (const command of apiCommands.filter(({ words }) => words !== 'eval'))
    isHarmless(command.words, await runCli(argumentsOf(command), { env, width: 20, untilStopped: never, stdin: '{}' }))
})

// They show nothing of a response, or all of it. eval evaluates by a kubeconfig.
const unread = new Set(['api', 'eval', 'mcp publish', 'mcp revoke', 'providers disconnect', 'routes delete'])

test('JSON of another shape is one sentence with the request, for each command of the API that reads', async (t) => {
  let body: unknown
  const server = await listen(
    t,
    createServer(
      (_, response) => void response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
    ),
  )
  const env = { MESH_SERVER: server, MESH_TOKEN: 'token', KEY: 'sk-1' }
  const sentence =
    /^meshctl: http:\S+ is not the API of mesh, or of another version: the response to (?:GET|POST|PUT) \/api\/\S+ lacks fields\nCheck the address: [^\n]+\n$/
  for (const one of [null, 'ok', 7, [], {}, { items: {} }, { items: [{}] }, { items: [{}], nextCursor: null }]) {
    body = one
    for (const command of apiCommands.filter(({ words }) => !unread.has(words)))
      for (const format of ['table', 'json']) {
        const args = [...argumentsOf(command), '-o', format]
        const { code, out, err } = await runCli(args, { env, untilStopped: never, stdin: '{}' })
        const title = `${command.words} ${format} ${JSON.stringify(one)}`
        assert.deepEqual([code, out], [1, ''], title)
        assert.match(err, sentence, title)
      }
  }
})

test(
  'output into a closed pipe ends without a trace, and keeps the verdict of eval',
  { timeout: 60_000 },
  async (t) => {
    const env = { ...process.env, MESH_SERVER: await startHostile(t), MESH_TOKEN: 'token', NODE_OPTIONS: '' }
    const closed = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      new Promise<{ code: number | null; err: string }>((resolve) => {
        const child = spawn(process.execPath, [program, ...args], { env: { ...env, ...more } })
        let err = ''
        child.stdout.destroy()
        child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
        child.once('exit', (code) => resolve({ code, err }))
      })
    assert.deepEqual(await closed(['schema']), { code: 0, err: '' })
    assert.deepEqual(await closed(['runs', 'list', '-o', 'json']), { code: 0, err: '' })
    assert.deepEqual(await closed(['--help']), { code: 0, err: '' })
    assert.equal((await closed(['prompts', 'get', 'denied'])).code, 1, 'a failure remains one')
    const config = kubeconfig('pipe', env.MESH_SERVER, 'token')
    const evaluated = await closed(['eval', '--candidate', agent, '--min-score', '1'], { KUBECONFIG: config })
    assert.equal(evaluated.code, 2, evaluated.err)
  },
)

test(
  'output onto a full disk is a failure',
  { skip: existsSync('/dev/full') ? false : 'this system has no /dev/full', timeout: 60_000 },
  () => {
    const full = openSync('/dev/full', 'w')
    for (const args of [['schema'], ['--help'], ['expand', agent]]) {
      const { status, stderr } = spawnSync(process.execPath, [program, ...args], { stdio: ['ignore', full, 'pipe'] })
      assert.deepEqual(
        [status, stderr.toString()],
        [1, 'standard output cannot be written: ENOSPC\nWhat was printed is not complete.\n'],
      )
    }
    closeSync(full)
  },
)

test('--no-color and NO_COLOR leave a terminal without colours', async (t) => {
  const env = { MESH_SERVER: await startHostile(t), MESH_TOKEN: 'token' }
  const list = (args: readonly string[], hasColor: boolean) => runCli(args, { env, width: 80, hasColor })
  assert.ok((await list(['evals', 'list'], true)).out.startsWith('\u001b[1mNAMESPACE '))
  for (const [args, hasColor] of [
    [['evals', 'list', '--no-color'], true],
    [['--no-color', 'evals', 'list'], true],
    [['evals', 'list'], false],
  ] as const)
    assert.match((await list(args, hasColor)).out, /^NAMESPACE /)
  assert.ok(!(await runCli(['evals', 'list'], { env, hasColor: true })).out.includes('\u001b'), 'a pipe')
})
