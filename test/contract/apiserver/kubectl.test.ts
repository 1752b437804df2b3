import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { ADMIN, OTHER, startTestServer } from '@mesh.dev/embedded-apiserver/testing'
import type { TestServer } from '@mesh.dev/embedded-apiserver/testing'
import { findServer, needs } from '#test/harness/find-server.ts'

interface Ran {
  code: number
  out: string
  err: string
}

interface Kubectl {
  (...args: string[]): Promise<Ran>
  env: NodeJS.ProcessEnv
  program: string
  file(name: string, content: string): string
  /** Runs kubectl, expects success and returns its output. */
  ok(...args: string[]): Promise<string>
}

function kubeconfig(server: TestServer): string {
  const certificate = Buffer.from(server.certificateAuthority).toString('base64')
  const user = (name: string, token: string) => ({ name, user: { token } })
  const context = (name: string) => ({ name, context: { cluster: 'embedded', user: name } })
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'embedded', cluster: { server: server.tlsUrl, 'certificate-authority-data': certificate } }],
    users: [user('admin', ADMIN), user('other', OTHER)],
    contexts: [context('admin'), context('other')],
    'current-context': 'admin',
  })
}

async function start(t: TestContext): Promise<Kubectl> {
  const server = await startTestServer(t, {
    async *readPodLog({ pod, container, follow }) {
      yield `${pod.metadata.name}/${container} first\n`
      if (follow) yield 'then\n'
    },
  })
  const file = (name: string, content: string) => {
    const path = join(server.dataDir, name)
    writeFileSync(path, content)
    return path
  }
  const env = { ...process.env, HOME: server.dataDir, KUBECONFIG: file('kubeconfig', kubeconfig(server)) }
  const program = findServer('kubectl') ?? 'kubectl'
  const run = (...args: string[]): Promise<Ran> => {
    const { promise, resolve } = Promise.withResolvers<Ran>()
    execFile(program, args, { env, timeout: 30_000 }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    )
    return promise
  }
  const ok = async (...args: string[]) => {
    const ran = await run(...args)
    assert.equal(ran.code, 0, `kubectl ${args.join(' ')}: ${ran.err}`)
    return ran.out
  }
  return Object.assign(run, { env, program, file, ok })
}

const WIDGET = (size: number) => `apiVersion: mesh.dev/v1alpha1
kind: Widget
metadata: {name: w, labels: {app: x}}
spec: {size: ${size}}
`

test(
  'kubectl: apply, diff, server-side apply, patch, label, edit, explain, wait, delete of a custom kind',
  needs('kubectl'),
  async (t) => {
    const kubectl = await start(t)
    const { ok } = kubectl
    assert.match(await ok('apply', '-f', kubectl.file('w.yaml', WIDGET(2))), /widget.mesh.dev\/w created/)
    assert.match(await ok('apply', '-f', kubectl.file('w.yaml', WIDGET(2))), /unchanged/)
    const changed = kubectl.file('w.yaml', WIDGET(5))
    assert.match((await kubectl('diff', '-f', changed)).out, /-  size: 2\n\+  size: 5/)
    assert.match(await ok('apply', '-f', changed), /configured/)
    assert.match(await ok('apply', '--server-side', '-f', changed), /serverside-applied/)
    // kubectl may take over its own earlier fields without force.
    assert.match(await ok('apply', '--server-side', '-f', kubectl.file('w.yaml', WIDGET(6))), /serverside-applied/)
    assert.match(await ok('apply', '-f', kubectl.file('w.yaml', WIDGET(5))), /configured/)
    assert.match(await ok('get', 'wd'), /NAME\s+SIZE\s+READY\s+AGE\nw\s+5\s+\d+s/)
    assert.match(await ok('get', 'mesh', '-o', 'name'), /widget.mesh.dev\/w/)
    assert.match(await ok('get', 'wd', 'w', '-o', 'yaml'), /colour: red\n\s+size: 5/)
    assert.match(await ok('describe', 'wd', 'w'), /Size:\s+5/)
    await ok('patch', 'wd', 'w', '--type=merge', '-p', '{"spec":{"size":7}}')
    await ok('patch', 'wd', 'w', '--type=json', '-p', '[{"op":"replace","path":"/spec/size","value":8}]')
    assert.match((await kubectl('patch', 'wd', 'w', '-p', '{"spec":{"size":9}}')).err, /not supported|unknown format/)
    await ok('label', 'wd', 'w', 'a=b')
    await ok('annotate', 'wd', 'w', 'c=d')
    await ok('wait', 'wd/w', '--for=jsonpath={.spec.size}=8', '--timeout=10s')
    assert.match(await ok('explain', 'widget.spec.size'), /FIELD: size <integer>[\s\S]*How large it is/)
    kubectl.env['KUBE_EDITOR'] = 'sed -i s/colour:.*/colour:\\ blue/'
    assert.match(await ok('edit', 'wd', 'w'), /edited/)
    assert.equal(await ok('get', 'wd', 'w', '-o', 'jsonpath={.spec.colour}'), 'blue')
    const bad = await kubectl(
      'apply',
      '-f',
      kubectl.file('bad.yaml', WIDGET(1).replace('size: 1', 'size: 0, weight: 1')),
    )
    assert.match(bad.err, /strict decoding error: unknown field "spec.weight"/)
    const unknown = await kubectl('apply', '-f', kubectl.file('no.yaml', WIDGET(1).replace('Widget', 'Nope')))
    assert.match(unknown.err, /no matches for kind "Nope" in version "mesh.dev\/v1alpha1"/)
    await ok('delete', 'wd', 'w')
    assert.match((await kubectl('get', 'wd', 'w')).err, /widgets.mesh.dev "w" not found/)
  },
)

test(
  'kubectl: creates namespaces, accounts, tokens, secrets, roles and bindings, and asks what they allow',
  needs('kubectl'),
  async (t) => {
    const kubectl = await start(t)
    const { ok } = kubectl
    await ok('create', 'namespace', 'team')
    await ok('create', 'serviceaccount', 'bot', '-n', 'team')
    assert.match(await ok('create', 'token', 'bot', '-n', 'team'), /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/)
    await ok('create', 'secret', 'generic', 'key', '--from-literal=a=b', '-n', 'team')
    assert.equal(await ok('get', 'secret', 'key', '-n', 'team', '-o', 'jsonpath={.data.a}'), 'Yg==')
    await ok('create', 'configmap', 'settings', '--from-literal=a=b', '-n', 'team')
    await ok('create', 'role', 'reader', '--verb=get,list', '--resource=configmaps', '-n', 'team')
    await ok('create', 'rolebinding', 'readers', '--role=reader', '--user=other', '-n', 'team')
    await ok('create', 'clusterrole', 'lister', '--verb=list', '--resource=namespaces')
    await ok('create', 'clusterrolebinding', 'listers', '--clusterrole=lister', '--user=other')
    const other = (...args: string[]) => kubectl(...args, '--context', 'other', '-n', 'team')
    assert.equal((await other('auth', 'can-i', 'get', 'configmaps')).out, 'yes\n')
    assert.equal((await other('auth', 'can-i', 'get', 'secrets')).out, 'no\n')
    assert.match((await other('auth', 'can-i', '--list')).out, /configmaps\s+\[\]\s+\[\]\s+\[get list\]/)
    assert.match((await other('auth', 'whoami')).out, /Username\s+other/)
    assert.match(
      (await other('get', 'secrets')).err,
      /User "other" cannot list resource "secrets" in API group "" in the namespace "team"/,
    )
    assert.equal((await kubectl('auth', 'can-i', 'get', 'configmaps', '-n', 'team', '--as', 'other')).out, 'yes\n')
    assert.match(await ok('api-resources'), /widgets\s+wd\s+mesh.dev\/v1alpha1\s+true\s+Widget/)
    assert.match(await ok('get', '--raw', '/api/v1/namespaces/team'), /"phase":"Active"/)
    await ok('delete', 'namespace', 'team')
    assert.match((await kubectl('get', 'ns', 'team')).err, /namespaces "team" not found/)
  },
)

test('kubectl: deployments, scale, cascade, pods and their logs', needs('kubectl'), async (t) => {
  const kubectl = await start(t)
  const { ok } = kubectl
  await ok('create', 'deployment', 'd', '--image=example:1')
  await ok('scale', 'deployment', 'd', '--replicas=3')
  assert.match(await ok('get', 'deploy', '-o', 'wide'), /d\s+0\/3\s+0\s+0\s+\d+s\s+example\s+example:1\s+app=d/)
  assert.match(await ok('describe', 'deploy', 'd'), /Replicas:\s+3 desired/)
  assert.match(await ok('get', 'deploy', 'd', '--subresource=scale'), /DESIRED\s+AVAILABLE\s+AGE\nd\s+3\s+0/)
  await ok('create', 'service', 'externalname', 'ex', '--external-name=example.com')
  assert.match(await ok('get', 'svc'), /ex\s+ExternalName\s+<none>\s+example.com\s+<none>/)
  for (const cascade of ['foreground', 'orphan', 'background']) {
    await ok('create', 'job', 'j', '--image=example:1')
    await ok('delete', 'job', 'j', `--cascade=${cascade}`)
  }
  await ok('run', 'p', '--image=example:1')
  assert.match(await ok('get', 'pods', '-o', 'wide'), /p\s+0\/1\s+Pending/)
  assert.equal(await ok('logs', 'p'), 'p/p first\n')
  assert.equal(await ok('logs', '-f', 'p'), 'p/p first\nthen\n')
  await ok('delete', 'pod', 'p')
})

test('kubectl: get -w prints changes as they come', needs('kubectl'), async (t) => {
  const kubectl = await start(t)
  await kubectl.ok('apply', '-f', kubectl.file('w.yaml', WIDGET(1)))
  const watcher = spawn(kubectl.program, ['get', 'wd', '-w', '--no-headers'], { env: kubectl.env })
  t.after(() => watcher.kill())
  const lines = createInterface({ input: watcher.stdout })[Symbol.asyncIterator]()
  assert.match(String((await lines.next()).value), /^w\s+1/)
  await kubectl.ok('patch', 'wd', 'w', '--type=merge', '-p', '{"spec":{"size":4}}')
  assert.match(String((await lines.next()).value), /^w\s+4/)
  watcher.kill()
  await once(watcher, 'exit')
})
