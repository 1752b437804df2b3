import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import test from 'node:test'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import { clusterMigrations } from '#core/cluster/object-index-tables.ts'
import { openMemoryStore } from '#core/database/testing/memory-store.ts'
import { migrate } from '#core/database/migrate.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createIdentity } from '#launcher/http/certificate.ts'
import { terminalStates } from '#schemas/run.ts'
import { decideCancel, decideFailure } from '../lifecycle/decide.ts'
import { createKeyRecorder } from '../launchers/launcher-keys.ts'
import { readLauncherKeys, removeLauncherKeys } from '../store/launcher-keys.ts'
import { readContent } from '../store/internal/content.ts'
import type { RunsTables } from '../store/tables.ts'
import { agent, createWorld, workerServices, queueRun, settled, startWorker } from '../testing/world.ts'
import type { World } from '../testing/world.ts'
import { dispatchRun } from './dispatch-run.ts'
import { createLauncherClient } from './launcher-client.ts'
import type { LauncherClient } from './launcher-client.ts'
import { createLauncherConnections, LauncherUnproven } from './launcher-connections.ts'
import { createLaunchers } from './choose-launcher.ts'

function newPair() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    pem: publicKey.export({ type: 'spki', format: 'pem' }),
  }
}

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Servers that an agent may run on the port of its launcher. `requests` has the received requests. */
async function serveForger(t: TestContext, kind: 'other key' | 'no TLS' | 'resets' | 'silent', key: string) {
  const requests: string[] = []
  const forge: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers['x-mesh-run-grant']}`)
    request.resume()
    const ended = {
      n: 1,
      ts: new Date(),
      kind: 'run.succeeded',
      path: ['robot'],
      spanId: '0',
      data: { state: 'succeeded', output: 'FORGED', usage: {} },
    }
    if (request.url?.includes('/events') === true)
      response.end(`data: ${JSON.stringify(ended)}\n\nevent: stream.end\ndata: {}\n\n`)
    else response.end(JSON.stringify({ ticket: 'forged.1', state: 'running' }))
  }
  const servers = {
    'other key': () => createTlsServer(createIdentity(key), forge),
    'no TLS': () => createServer(forge),
    resets: () => createTcpServer((socket) => void socket.resetAndDestroy()),
    silent: () => createTcpServer(),
  }
  return { url: `https://127.0.0.1:${await listening(t, servers[kind]())}`, requests }
}

function connectionsWith(t: TestContext, keysOf: (uid: string) => Promise<readonly string[]>) {
  const refused: string[] = []
  const onUnproven = (uid: string, { message }: LauncherUnproven): void => void refused.push(`${uid}: ${message}`)
  const connections = createLauncherConnections({ keysOf, onUnproven })
  t.after(() => connections.close())
  const clientOf = (url: string, uid = agent.uid) =>
    createLauncherClient({
      dispatcher: connections.of(uid),
      at: { id: url, url },
      runId: 'r1',
      credentials: async () => ({ grant: 'a-grant', attempt: 'an-attempt', traceparent: '' }),
      isGone: async () => false,
    })
  return { connections, clientOf, refused }
}

test('PODS4: a launcher with a key of its agent receives requests, also with the key before a rotation', async (t) => {
  const [old, current, foreign] = [newPair(), newPair(), newPair()]
  const { clientOf, connections, refused } = connectionsWith(t, async (uid) =>
    uid === agent.uid ? [current.pem, old.pem] : [],
  )
  for (const { key } of [old, current]) {
    const launcher = await serveForger(t, 'other key', key)
    assert.equal(await clientOf(launcher.url).ticket(), 'forged.1')
    assert.deepEqual(launcher.requests, ['GET /runs/r1/ticket a-grant'])
    // The same address for another agent: a connection is valid only for the agent of its proof.
    await assert.rejects(clientOf(launcher.url, 'uid-2').ticket(), /no key of the agent is recorded/)
    assert.equal(launcher.requests.length, 1)
  }
  assert.deepEqual([connections.isUnproven(agent.uid), connections.isUnproven('uid-2')], [false, true])
  const forger = await serveForger(t, 'other key', foreign.key)
  await assert.rejects(clientOf(forger.url).ticket(), /its key does not belong to the agent/)
  assert.equal(connections.isUnproven(agent.uid), true)
  assert.equal(refused.length, 2, 'once for each agent, not for each attempt')
})

// Each code means that no request was written, so another pod can be asked.
const isUnsent = ({ code = '', syscall }: NodeJS.ErrnoException): boolean =>
  syscall === 'connect' || /MESH_LAUNCHER_UN|UND_ERR_CONNECT_TIMEOUT/.test(code)

test('PODS4: a server of the agent on the port of its launcher receives no request, no grant and no input', async (t) => {
  const own = newPair()
  const { clientOf } = connectionsWith(t, async () => [own.pem])
  for (const kind of ['other key', 'no TLS', 'resets', 'silent'] as const) {
    const forger = await serveForger(t, kind, newPair().key)
    const client = clientOf(forger.url)
    for (const ask of [
      () => client.ticket(),
      () => client.invoke({ input: 'secret' }),
      () => client.cancel(),
      () =>
        client.follow(0, {
          signal: AbortSignal.timeout(60_000),
          maxEntryBytes: 1_000,
          onEntry: () => assert.fail('an entry was taken'),
        }),
    ])
      await assert.rejects(ask(), isUnsent, kind)
    assert.deepEqual(forger.requests, [], kind)
  }
  await assert.rejects(clientOf('http://127.0.0.1:9').ticket(), /the address is not https/)
})

test('PODS4, O6: a failed proof at the invocation means that nothing was sent, so another pod is asked', async () => {
  const client = (id: string, invoke: LauncherClient['invoke']) =>
    ({
      at: { id, url: id },
      ticket: async () => `${id}.1`,
      invoke,
      isGone: async () => false,
    }) as unknown as LauncherClient
  const forged = client('forged', () => Promise.reject(new LauncherUnproven('its key does not belong to the agent')))
  const proven = client('proven', async () => ({ agentRevision: 1 }))
  const launchers = { ...createLaunchers({ list: async () => [], connect: () => proven }), next: async () => proven }
  const { signal } = new AbortController()
  const { launcher, outcome } = await dispatchRun(
    {
      segment: { kind: 'new' },
      launcher: forged,
      launchers,
      cancelled: signal,
      stopping: signal,
      request: async () => ({ input: 1 }),
      commitStart: async () => true,
    },
    { unreachableAfterMs: 2_000, busyPatienceMs: 100 },
  )
  assert.deepEqual([launcher.at.id, outcome.do], ['proven', 'follow'])
})

async function openWorld(t: TestContext) {
  const database = await openMemoryStore()
  t.after(() => database.close())
  const runs = { name: 'runs', migrations: new URL('../migrations/', import.meta.url) }
  await migrate(database, [storeMigrations, { name: 'cluster', migrations: clusterMigrations }, runs])
  return createWorld(database)
}

test('PODS4: a forged result is ignored, and the run ends as unreachable with the reason', async (t) => {
  const world = await openWorld(t)
  await createKeyRecorder(world)(agent.uid, newPair().pem)
  const forger = await serveForger(t, 'other key', newPair().key)
  const keysOf = (uid: string) => readLauncherKeys(world.store.reader<RunsTables>(), uid)
  const { connections } = connectionsWith(t, keysOf)
  const services = {
    ...workerServices(world, () => undefined, 500),
    launchersOf: (run: { readonly id: string }) =>
      createLaunchers({
        list: async () => [{ id: 'pod', url: forger.url, ready: true }],
        connect: (at, isGone) =>
          createLauncherClient({
            dispatcher: connections.of(agent.uid),
            at,
            runId: run.id,
            isGone,
            credentials: async () => ({ grant: 'a-grant', attempt: '', traceparent: '' }),
          }),
        isUnproven: () => connections.isUnproven(agent.uid),
      }),
  }
  const worker = startWorker(services, 'worker')
  t.after(() => worker.stop())
  const run = await settled(world, (await queueRun(world, 'hi')).id, ({ state }) => terminalStates.has(state))
  const content = await readContent(world.store.reader<RunsTables>(), run.id)
  assert.deepEqual([run.state, run.fail_reason, content?.output], ['failed', 'agent_unreachable', null])
  assert.match(content?.error ?? '', /did not prove that it is its launcher/)
  assert.deepEqual(forger.requests, [])
})

test('PODS4: the two newest keys of an agent are valid, and none once it is deleted', async (t) => {
  const world = await openWorld(t)
  const keys = [newPair().pem, newPair().pem, newPair().pem]
  const record = createKeyRecorder(world)
  for (const pem of [keys[0], keys[0], keys[1], keys[2]]) await record('uid-1', pem ?? '')
  await record('uid-2', keys[0] ?? '')
  await createKeyRecorder(world)('uid-1', keys[2] ?? '')
  const valid = async (uid: string) => (await readLauncherKeys(world.store.reader<RunsTables>(), uid)).toSorted()
  assert.deepEqual(await valid('uid-1'), keys.slice(1).toSorted())
  await observeDeleted(world, 'uid-1')
  const run = await queueRun(world, 'hi') // of the agent uid-1
  const remove = () => world.store.transact((tx) => removeLauncherKeys(tx.tables<RunsTables>()))
  await remove()
  assert.equal((await valid('uid-1')).length, 2, 'its run is not over: a worker must reach the launcher to cancel it')
  await world.writer.change(run.id, { actor: { name: 'alice', kind: 'user' } }, (facts) => ({
    facts: decideCancel(facts),
  }))
  await world.writer.change(run.id, { actor: { name: 'alice', kind: 'user' } }, (facts) => ({
    facts: decideFailure(facts, 'agent_unreachable'),
  }))
  await remove()
  assert.deepEqual([await valid('uid-1'), await valid('uid-2')], [[], [keys[0]]])
})

function observeDeleted(world: World, uid: string): Promise<void> {
  return world.store.transact(async (tx) => {
    await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash, deleted_at)
      values (${uid}, 'AgentDeployment', 'default', 'robot', '1', '', now())`.execute(tx.tables())
  })
}
