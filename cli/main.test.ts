import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import test from 'node:test'
import { runCli } from '#cli/testing/run-cli.ts'
import { cliCommands, cliHelpPages } from './main.ts'

const program = `import(${JSON.stringify(new URL('main.ts', import.meta.url).href)}).then(({ main }) => main(['--help']))`

test('meshctl --help lists every command and loads no plugin', () => {
  // Prints each module that is loaded.
  const hooks = `import { registerHooks } from 'node:module'
registerHooks({ load: (url, context, next) => { process.stderr.write(url + '\\n'); return next(url, context) } })`
  const preload = `data:text/javascript,${encodeURIComponent(hooks)}`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--import', preload, '--eval', program], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  assert.match(stderr, /cli\/command-list\.ts/)
  assert.doesNotMatch(stderr, /\/plugins\/|\/(?:undici|commander|yaml)\//)
  for (const { words, summary } of cliCommands)
    assert.ok(stdout.includes(`meshctl ${words} `) && stdout.includes(summary))
})

test('a command is what its line of the help says, and has examples of its own program', async () => {
  for (const listed of cliCommands) {
    const { words, summary, usesApi } = await listed.load()
    assert.deepEqual(
      { words, summary, usesApi },
      { words: listed.words, summary: listed.summary, usesApi: listed.usesApi },
    )
  }
  const pages = await cliHelpPages()
  assert.match(
    pages.get('runs get') ?? '',
    /^  meshctl runs get 019a[^\n]+\n\nusage: meshctl runs get RUN_ID \[--namespace NAME\]/,
  )
  assert.doesNotMatch([...pages.values()].join(''), /mesh (?:runs|feedback|download)/)
})

test('the help of a command names wrong arguments once', async () => {
  for (const [words, page] of await cliHelpPages()) {
    if (words === '') continue
    const [, codes = ''] = page.split('Exit code:')
    assert.equal(codes.split('wrong arguments').length, 2, `${words}: ${codes}`)
  }
})

test('wrong arguments exit with 1 and name the command or flag, before a server is asked', async () => {
  for (const [args, message] of [
    [['rnus', 'list'], /^meshctl: unknown command "rnus"; did you mean meshctl runs list\?/],
    [['runs'], /^meshctl: unknown command "runs"; there is meshctl runs get and meshctl runs list/],
    [['runs', 'list', '--sate', 'x'], /^meshctl: unknown option "--sate"; did you mean --state\?/],
    [['runs', 'list', '-x'], /^meshctl: unknown option "-x"/],
    [['runs', 'list', 'x'], /^meshctl: unknown argument "x"/],
    [['runs', 'get'], /^meshctl: RUN_ID is required/],
    [['runs', 'list', '-o', 'jsno'], /^meshctl: --output "jsno": must be one of table, wide, json, yaml, name/],
    [['runs', 'list', '--limit', '1e9'], /^meshctl: --limit "1e9": must be 1 to 10000/],
    [['runs', 'list', '--timeout', '0'], /^meshctl: --timeout "0": must be 1 to 9999/],
    [['context', 'set', '--server', 'x'], /^meshctl: --server "x": must be a URL/],
    [['\0\ud800'], /^meshctl: unknown command "\\u0000\\ud800"/],
  ] as const) {
    const { code, out, err } = await runCli(args)
    assert.deepEqual([code, out], [1, ''], args.join(' '))
    assert.match(err, message)
  }
})

test('without kubeconfig and flags a command says what it needs', async () => {
  assert.deepEqual(await runCli(['runs', 'list', '--server', 'http://localhost:1']), {
    code: 1,
    out: '',
    err: 'meshctl: no token\n--context or MESH_TOKEN gives one.\n',
  })
  assert.deepEqual(await runCli(['--version']), { code: 0, out: '0.0.0\n', err: '' })
})
