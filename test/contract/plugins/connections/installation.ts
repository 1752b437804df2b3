import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '#core/database/database.ts'
import { composeHost } from '#core/host/process/compose-process.ts'
import { runForTest } from '#core/host/testing/run-command.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { createSend } from '#test/flows/platform/send.ts'
import { createDatabase } from '#test/harness/database.ts'
import { sharedKube } from '#test/harness/kube.ts'
import type { KubeServer } from '#test/harness/kube.ts'
import { kubectl } from '#test/harness/kubectl.ts'
import { listen } from '#test/harness/listen.ts'
import { startNats } from '#test/harness/nats.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'

/** A service that exchanges a token; `refused` ones are a 401. */
export async function startService(t: TestContext) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const token = (request.headers.authorization ?? '').slice('Bearer '.length)
    seen.push(token)
    if (token.startsWith('refused')) return void response.writeHead(401).end()
    response.end(JSON.stringify({ token: `${token}-exchanged` }))
  })
  return { url: await listen(t, server), seen }
}

/** The two namespaces and the rights in them: the roles of `mesh manifests`, bound to people. */
async function install(t: TestContext, kube: KubeServer, config: string) {
  const admin = kube.kubeconfig(kube.tokens['admin'] ?? '')
  const manifests = await runForTest('manifests', ['--third-party'], { env: { MESH_CONFIG: config } })
  assert.deepEqual([manifests.code, manifests.err], [0, ''])
  const [a, b] = [`connections-${process.pid}-a`, `connections-${process.pid}-b`]
  const run = async (args: readonly string[], input?: string) => {
    const done = await kubectl(admin, args, input)
    assert.equal(done.code, 0, done.stderr)
    return done.stdout.trim()
  }
  t.after(async () => {
    await kubectl(admin, ['delete', 'namespace', a, b, '--wait=false'])
    await kubectl(admin, ['delete', '-f', '-', '--ignore-not-found', '--wait=false'], manifests.out)
  })
  await run(['apply', '--server-side', '--force-conflicts', '-f', '-'], manifests.out)
  await run(['wait', '--for=condition=Established', '--timeout=60s', 'crd/connections.acme.example'])
  const bind = async (namespace: string, role: string, user: string) =>
    run([
      'create',
      'rolebinding',
      `${user}-${role}`,
      `--clusterrole=mesh-plugin-connections-${role}`,
      `--user=${user}`,
      '-n',
      namespace,
    ])
  for (const namespace of [a, b]) await run(['create', 'namespace', namespace])
  for (const [namespace, user, ...roles] of [
    [a, 'viewer', 'viewer'],
    [a, 'developer', 'viewer', 'developer'],
    [a, 'operator', 'viewer', 'developer', 'operator'],
    [b, 'other-tenant', 'viewer', 'developer', 'operator'],
    [b, 'operator', 'viewer'],
  ] as const)
    for (const role of roles) await bind(namespace, role, user)
  // The manager has the rights of its own account.
  await kubectl(admin, ['create', 'namespace', 'mesh-system'])
  await kubectl(admin, ['create', 'serviceaccount', 'mesh-manager', '-n', 'mesh-system'])
  return { run, a, b, manager: await run(['create', 'token', 'mesh-manager', '-n', 'mesh-system']) }
}

/** Manager, worker and BFF with the plugin, on PostgreSQL, NATS and a kube-apiserver. */
export async function start(t: TestContext) {
  const folder = tempFolder('connections')
  t.after(folder.remove)
  const config = join(folder.path, 'mesh.yaml')
  const plugin = fileURLToPath(import.meta.resolve('./connections.ts'))
  writeFileSync(config, `plugins: [${plugin}]\noutbound: { allow: [127.0.0.0/8] }\n`)
  const kube = await sharedKube(t)
  const installed = await install(t, kube, config)
  const url = await createDatabase(t)
  const logged: string[] = []
  const composed = await composeHost({
    roles: ['migrate', 'manager', 'worker', 'bff'],
    plugins: [],
    version: '0.0.0',
    env: { MESH_CONFIG: config, DATABASE_URL: url, NATS_URL: (await startNats(t)).url },
    presets: { listen: { host: '127.0.0.1', bff: 0, admin: 0 } },
    cluster: {
      server: kube.url,
      tls: { ca: kube.ca },
      bearerOf: (role) => (role === 'manager' ? async () => installed.manager : undefined),
    },
    generateKeys: true,
    log: createLogger({ level: 'debug', destination: { write: (line) => logged.push(line) } }),
  })
  const database = await openDatabase({ url })
  t.after(async () => {
    await composed.close()
    await database.close()
  })
  await composed.host.start()
  const send = createSend(t, composed.host.addresses()['bff'] ?? '')
  const ask = (who: string, line: string, body?: object) => {
    const [method = '', path = ''] = line.split(' ')
    return send({
      method,
      path: `/api/x/connections/connections${path}`,
      bearer: kube.tokens[who],
      ...(body === undefined ? {} : { body }),
    })
  }
  return { ...installed, kube, database, logged, ask }
}

/** {@link start}. */
export type Rig = Awaited<ReturnType<typeof start>>
