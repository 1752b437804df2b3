import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { ADMIN, startTestServer } from '@mesh.dev/embedded-apiserver/testing'
import { findServer, needs } from '#test/harness/find-server.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: rockets.kubectl.example}
spec:
  group: kubectl.example
  scope: Namespaced
  names: {plural: rockets, kind: Rocket, shortNames: [rkt]}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      additionalPrinterColumns: [{name: Stages, type: integer, jsonPath: .spec.stages}]
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [stages]
              x-kubernetes-validations: [{rule: self.stages < 9, message: too many stages}]
              properties:
                stages: {type: integer, minimum: 1, description: How many stages it has.}
                fuel: {type: string, default: lox}
`
const ROCKET = (stages: number): string => `apiVersion: kubectl.example/v1
kind: Rocket
metadata: {name: r}
spec: {stages: ${stages}}
`

interface Access {
  readonly url: string
  readonly ca: string
  readonly token: string
}

/** Runs kubectl against a server; \`ok\` expects success. */
function kubectlOf(t: TestContext, { url, ca, token }: Access) {
  const folder = tempFolder('kubectl')
  t.after(folder.remove)
  const file = (name: string, content: string): string => {
    const path = join(folder.path, name)
    writeFileSync(path, content)
    return path
  }
  const access = ['--server', url, '--token', token, '--certificate-authority', file('ca.pem', ca)]
  const env = { ...process.env, HOME: folder.path, KUBECONFIG: join(folder.path, 'none') }
  const program = findServer('kubectl') ?? 'kubectl'
  const run = (...args: string[]): Promise<{ code: number; text: string }> => {
    const { promise, resolve } = Promise.withResolvers<{ code: number; text: string }>()
    execFile(program, [...access, ...args], { env, timeout: 30_000 }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), text: out + err }),
    )
    return promise
  }
  const ok = async (...args: string[]): Promise<string> => {
    const { code, text } = await run(...args)
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${text}`)
    return text
  }
  const start = (...args: string[]) => spawn(program, [...access, ...args], { env })
  return { run, ok, file, start }
}

/** What a user does with a definition, the same on both servers. */
async function walk(t: TestContext, access: Access): Promise<void> {
  const { run, ok, file, start } = kubectlOf(t, access)
  await ok('apply', '-f', file('crd.yaml', DEFINITION))
  t.after(() => run('delete', 'crd', 'rockets.kubectl.example', '--ignore-not-found', '--wait=false'))
  await ok('wait', '--for=condition=Established', 'crd/rockets.kubectl.example', '--timeout=10s')
  assert.match(await ok('apply', '-f', file('rocket.yaml', ROCKET(2))), /rocket.kubectl.example\/r created/)
  assert.match(await ok('get', 'rkt'), /^NAME\s+STAGES\nr\s+2\n$/)
  assert.match(await ok('get', 'rockets', 'r', '-o', 'yaml'), /fuel: lox/)
  assert.match((await run('apply', '-f', file('rocket.yaml', ROCKET(12)))).text, /too many stages/)
  assert.match((await run('apply', '-f', file('rocket.yaml', ROCKET(0)))).text, /greater than or equal to 1/)
  const watcher = start('get', 'rockets', '-w', '--no-headers')
  t.after(() => watcher.kill())
  const lines = createInterface({ input: watcher.stdout })[Symbol.asyncIterator]()
  assert.match(String((await lines.next()).value), /^r\s+2/)
  await ok('apply', '-f', file('rocket.yaml', ROCKET(3)))
  assert.match(String((await lines.next()).value), /^r\s+3/)
  watcher.kill()
  await once(watcher, 'exit')
  const described = await run('explain', 'rocket.spec.stages')
  // The real server publishes a new kind with a delay.
  if (described.code === 0) assert.match(described.text, /FIELD: stages <integer>[\s\S]*How many stages/)
  const bad = DEFINITION.replace('minimum: 1', 'minimum: 1, uniqueItems: true').replaceAll('rocket', 'missile')
  assert.match((await run('apply', '-f', file('bad.yaml', bad))).text, /is invalid: .*uniqueItems: Forbidden/s)
  assert.match(await ok('delete', 'crd', 'rockets.kubectl.example'), /deleted/)
  assert.match((await run('get', 'crd', 'rockets.kubectl.example')).text, /not found/)
}

test(
  'kubectl: applies a definition and its objects, watches, explains and deletes them',
  needs('kubectl'),
  async (t) => {
    const server = await startTestServer(t)
    const access = { url: server.tlsUrl, ca: server.certificateAuthority, token: ADMIN }
    await walk(t, access)
    const { run, ok, file } = kubectlOf(t, access)
    // Both in one command: kube-apiserver serves the kind too late for that.
    assert.match(await ok('apply', '-f', file('crd.yaml', DEFINITION)), /created/)
    assert.match(await ok('apply', '-f', file('rocket.yaml', ROCKET(1))), /created/)
    assert.match(await ok('explain', 'rocket.spec.stages'), /How many stages/)
    assert.match(
      await ok('api-resources', '--api-group=kubectl.example'),
      /rockets\s+rkt\s+kubectl.example\/v1\s+true\s+Rocket/,
    )
    assert.match(await ok('create', 'cronjob', 'c', '--image=x', '--schedule=*/5 * * * *'), /created/)
    assert.match(await ok('create', 'ingress', 'i', '--rule=a.example/=web:80'), /created/)
    assert.match(await ok('get', 'cj,ing'), /\*\/5 \* \* \* \*[\s\S]*a\.example/)
    assert.equal((await run('get', 'pv')).code, 1)
  },
)

test('kubectl: the same commands work against kube-apiserver', needs('kubectl'), async (t) => {
  const kube = await sharedKube(t)
  await walk(t, { url: kube.url, ca: kube.ca, token: kube.tokens['admin'] ?? '' })
})
