import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { runCli } from '#cli/testing/run-cli.ts'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const kubeconfig = `# kept
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: main
  cluster: { server: 'https://127.0.0.1:6443', extensions: [{ name: other, extension: { a: 1 } }] }
users:
- { name: ada, user: { token: token-of-ada } }
- { name: file, user: { tokenFile: ada.token } }
- { name: cert, user: { client-certificate-data: eA== } }
- { name: tool, user: { exec: { apiVersion: client.authentication.k8s.io/v1, command: sh, args: [-c, 'echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"token-of-exec\\"}}"'], interactiveMode: Never } } }
contexts:
- { name: dev, context: { cluster: main, user: ada, namespace: team } }
- { name: file, context: { cluster: main, user: file } }
- { name: cert, context: { cluster: main, user: cert } }
- { name: tool, context: { cluster: main, user: tool } }
- { name: lost, context: { cluster: gone, user: ada } }
`

function inFolder(t: TestContext) {
  const folder = tempFolder('contexts')
  t.after(() => folder.remove())
  const file = (name: string): string => join(folder.path, name)
  writeFileSync(file('config'), kubeconfig, { mode: 0o600 })
  writeFileSync(file('ada.token'), 'token-of-file\n')
  const run = (...args: readonly string[]) => runCli(args, { env: { KUBECONFIG: file('config') } })
  return { file, run }
}

async function api(t: TestContext) {
  const seen: string[] = []
  const url = await listen(
    t,
    createServer(({ headers, url: path }, response) => {
      seen.push(`${headers.authorization} ${path}`)
      response.end('{"items":[],"nextCursor":null}')
    }),
  )
  return { url, seen }
}

test('context set keeps the address in the kubeconfig, and a command then uses its token and namespace', async (t) => {
  const { file, run } = inFolder(t)
  const { url, seen } = await api(t)
  assert.match(
    (await run('runs', 'list')).err,
    /^meshctl: the address of the API is not known\nmeshctl context set --server URL keeps it/,
  )
  symlinkSync(file('config'), file('link'))
  const set = await runCli(['context', 'set', '--server', url, '--kubeconfig', file('link')])
  assert.deepEqual(set, { code: 0, out: `dev\t${url}\n`, err: '' })
  const text = readFileSync(file('config'), 'utf8')
  assert.ok(text.startsWith('# kept\n') && /name: other/.test(text) && /name: mesh\.dev\/api/.test(text), text)
  assert.equal(statSync(file('config')).mode & 0o777, 0o600)
  for (const [context, bearer, namespace] of [
    [undefined, 'token-of-ada', 'team'],
    ['file', 'token-of-file', 'default'],
    ['tool', 'token-of-exec', 'default'],
  ] as const) {
    const flags = context === undefined ? [] : ['--context', context]
    assert.deepEqual(await run('runs', 'list', ...flags), { code: 0, out: '', err: '' })
    assert.equal(seen.at(-1), `Bearer ${bearer} /api/runs?namespace=${namespace}&limit=50`)
  }
  const cert = await run('runs', 'list', '--context', 'cert')
  assert.match(cert.err, /^meshctl: context cert: its user has no token\n/)
})

test('context list and context use: an unknown name fails before anything is written', async (t) => {
  const { file, run } = inFolder(t)
  const before = readFileSync(file('config'), 'utf8')
  const refused = await run('context', 'use', 'filee')
  assert.deepEqual([refused.code, refused.out, readFileSync(file('config'), 'utf8')], [1, '', before])
  assert.match(refused.err, /context "filee" is not in .*must be one of dev, file, .*did you mean file\?/)
  assert.deepEqual(await run('context', 'use', 'file'), { code: 0, out: 'file\n', err: '' })
  const listed = (await run('context', 'list')).out.split('\n')
  assert.deepEqual(listed.slice(0, 2), ['-\tdev\tteam\t-', '*\tfile\tdefault\t-'])
  assert.match((await run('context', 'set', 'lost', '--server', 'http://localhost')).err, /its cluster is not in/)
})

test('of several kubeconfigs the first name counts, and files that do not exist are passed over', async (t) => {
  const { file } = inFolder(t)
  writeFileSync(file('first'), 'current-context: file\ncontexts: [{ name: dev, context: { namespace: mine } }]\n')
  const env = { KUBECONFIG: [file('none'), file('first'), file('config')].join(delimiter) }
  const { out } = await runCli(['context', 'list'], { env })
  assert.deepEqual(out.split('\n').slice(0, 2), ['-\tdev\tmine\t-', '*\tfile\tdefault\t-'])
})

test('a bad kubeconfig, address or token is one line that names it, and one that says what to do', async (t) => {
  const { file, run } = inFolder(t)
  mkdirSync(file('folder'))
  const bad: readonly (readonly [string, string | Buffer])[] = [
    ['list', '- a\n'],
    ['yaml', 'a: [\n'],
    ['binary', Buffer.from([0, 255, 0, 1])],
    ['bomb', `a: &a [x, x, x, x, x, x, x, x, x]\n${bomb()}`],
  ]
  for (const [name, content] of bad) writeFileSync(file(name), content)
  for (const name of ['folder', 'none', ...bad.map(([one]) => one)]) {
    const { code, out, err } = await run('context', 'list', '--kubeconfig', file(name))
    assert.deepEqual([code, out], [1, ''], name)
    assert.match(err, new RegExp(`^meshctl: kubeconfig ${file(name)}: [^\\n]+\\n--kubeconfig FILE [^\\n]+\\n$`))
  }
  for (const [server, why] of [
    ['ftp://x', /must be a URL/],
    ['\0', /server "\\u0000": must be a URL/],
    ['http://mesh.example.com', /must be https, except on this machine/],
    ['https://a:secret@b', /must have neither credentials nor a query/],
    ['https://b/?x', /must have neither/],
  ] as const) {
    const { code, err } = await run('runs', 'list', '--server', server)
    assert.equal(code, 1)
    assert.match(err, why)
    assert.doesNotMatch(err, /secret/)
  }
  writeFileSync(file('empty'), '\n')
  assert.match(
    (await run('runs', 'list', '--server', 'http://localhost', '--token-file', file('empty'))).err,
    /empty: is not a token/,
  )
})

function bomb(): string {
  return 'bcdefgh'.replaceAll(/./g, (name) => {
    const before = String.fromCodePoint((name.codePointAt(0) ?? 0) - 1)
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]\n`
  })
}
