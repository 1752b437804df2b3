import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { statSync, writeFileSync } from 'node:fs'
import test, { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { listen } from '#test/harness/listen.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { buildBinary, ownTarget, targets } from './build-binary.ts'
import { bundleMeshctl } from './bundle-meshctl.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = tempFolder('meshctl')
const bundle = join(folder.path, 'meshctl.cjs')
let program = ''
after(() => folder.remove())

before(async () => {
  await bundleMeshctl(root, bundle)
  const own = targets.find(({ name }) => name === ownTarget)
  assert.ok(own !== undefined, `no target ${ownTarget}`)
  program = buildBinary(root, bundle, own, folder.path)
})

interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

// In a folder without a package.json, and without variables of this machine.
function run(args: readonly string[], input = ''): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  const env = { HOME: folder.path, PATH: process.env.PATH }
  const child = execFile(program, args, { cwd: folder.path, env, timeout: 30_000 }, (error, out, err) =>
    resolve({ code: Number(error?.code ?? 0), out, err }),
  )
  child.stdin?.end(input)
  return promise
}

test('the single binary runs commands without a file beside it', async () => {
  assert.match((await run(['--version'])).out, /^\d+\.\d+\.\d+\n$/)
  assert.match((await run(['--help'])).out, /^meshctl: the command line of mesh\n/)
  const expanded = await run(['expand', '-'], 'name: hello\nmodel: {route: mock}\n')
  assert.deepEqual([expanded.code, expanded.err], [0, ''])
  assert.match(expanded.out, /^kind: AgentDeployment$/m)
  assert.match((await run(['schema'])).out, /^\{\n  "\$schema"/)
  assert.match((await run(['completion', 'zsh'])).out, /^#compdef meshctl\n/)
  const refused = await run(['expand', 'absent.yaml'])
  assert.deepEqual([refused.code, refused.out], [1, ''])
  assert.match(refused.err, /^absent\.yaml: does not exist\n/)
  const dev = await run(['dev'])
  assert.deepEqual([dev.code, dev.out], [1, ''])
  assert.match(
    dev.err,
    /^meshctl: this single binary has no platform.*\nThe npm package has it: npm install -g @mesh\.dev\/mesh.*\n$/,
  )
})

test('it calls an API with the token of a program that the kubeconfig names', async (t) => {
  const asked: (string | undefined)[] = []
  const api = createServer((request, response) => {
    asked.push(request.headers.authorization)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ items: [], nextCursor: null }))
  })
  const server = await listen(t, api)
  const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: 't0k' } }
  const exec = {
    apiVersion: credential.apiVersion,
    command: 'echo',
    args: [JSON.stringify(credential)],
    interactiveMode: 'Never',
  }
  const kubeconfig = join(folder.path, 'kubeconfig')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { exec } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  }
  writeFileSync(kubeconfig, JSON.stringify(config))
  const listed = await run(['runs', 'list', '--kubeconfig', kubeconfig, '--server', server])
  assert.deepEqual([listed.code, asked], [0, ['Bearer t0k']], listed.err)
})

test('it is one file, without the generated clients of Kubernetes', () => {
  // 7.6 MB with them.
  assert.ok(statSync(bundle).size < 4e6, `${statSync(bundle).size} bytes`)
})

test('expand evaluates no module of another command', () => {
  const agent = join(folder.path, 'agent.yaml')
  writeFileSync(agent, 'name: hello\nmodel: {route: mock}\n')
  const code = `require(${JSON.stringify(bundle)}).main(['expand', ${JSON.stringify(agent)}]).then((code) => {
  process.stderr.write(process.moduleLoadList.join('\\n'))
  process.exitCode = code
})`
  const { status, stderr } = spawnSync(process.execPath, ['--eval', code], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  assert.match(stderr, /^NativeModule fs$/m)
  assert.doesNotMatch(stderr, /^NativeModule (?:child_process|https?|tls|zlib|crypto)$/m)
})
