import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
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
import { createTestIssuer } from '#core/signing/testing/test-issuer.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { createTlsIdentity } from '#launcher/http/certificate.ts'
import { terminalStates } from '#schemas/runs/run.ts'
import { decideCancel, decideFailure } from '../lifecycle/decide.ts'
import { readFormerKeys, removeFormerKeys } from '../store/former-keys.ts'
import { readContent } from '../store/internal/content.ts'
import type { RunsTables } from '../contract/tables.ts'
import { agent, createWorld, workerServices, queueRun, settled, startWorker } from '../testing/world.ts'
import type { World } from '../testing/world.ts'
import { dispatchRun } from './dispatch-run.ts'
import { createLauncherClient } from './connections/launcher-client.ts'
import type { LauncherClient } from './connections/launcher-client.ts'
import { createLauncherConnections, LauncherUnproven } from './connections/launcher-connections.ts'
import { createLaunchers } from './connections/choose-launcher.ts'

const testIssuer = createTestIssuer()
const { launcherOf } = testIssuer
const strangerOf = createTestIssuer().launcherOf

/** The key of a TLS server, and what its certificate says. */
interface Shown {
  readonly privateKey: KeyObject
  readonly certificate?: string | undefined
}

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** Servers that an agent may run on the port of its launcher. `requests` has the received requests. */
async function serveForger(t: TestContext, kind: 'TLS' | 'no TLS' | 'resets' | 'silent', shown: Shown) {
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
    TLS: () => createTlsServer(createTlsIdentity(shown.privateKey, shown.certificate), forge),
    'no TLS': () => createServer(forge),
    resets: () => createTcpServer((socket) => void socket.resetAndDestroy()),
    silent: () => createTcpServer(),
  }
  return { url: `https://127.0.0.1:${await listening(t, servers[kind]())}`, requests }
}

function connectionsWith(t: TestContext, formerKeysOf: (uid: string) => Promise<readonly string[]> = async () => []) {
  const refused: string[] = []
  const onUnproven = (uid: string, { message }: LauncherUnproven): void => void refused.push(`${uid}: ${message}`)
  const connections = createLauncherConnections({ issuer: testIssuer.issuer, formerKeysOf, onUnproven })
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

test('R2-N3, PODS4: certified launchers of an agent receive requests, each with a key of its own', async (t) => {
  const { clientOf, connections, refused } = connectionsWith(t)
  for (const shown of [await launcherOf(agent.uid), await launcherOf(agent.uid)]) {
    const launcher = await serveForger(t, 'TLS', shown)
    assert.equal(await clientOf(launcher.url).ticket(), 'forged.1')
    assert.deepEqual(launcher.requests, ['GET /runs/r1/ticket a-grant'])
    // The same address for another agent: a connection is valid only for the agent of its proof.
    await assert.rejects(clientOf(launcher.url, 'uid-2').ticket(), /its certificate belongs to another agent/)
    assert.equal(launcher.requests.length, 1)
  }
  assert.deepEqual([connections.isUnproven(agent.uid), connections.isUnproven('uid-2')], [false, true])
  const forger = await serveForger(t, 'TLS', await launcherOf('uid-2'))
  await assert.rejects(clientOf(forger.url).ticket(), /its certificate belongs to another agent/)
  assert.equal(connections.isUnproven(agent.uid), true)
  assert.equal(refused.length, 2, 'once for each agent, not for each attempt')
})

test('R2-N3: a launcher with a stolen, foreign, early or expired certificate receives nothing', async (t) => {
  const { clientOf } = connectionsWith(t)
  const own = await launcherOf(agent.uid)
  const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000)
  const refused: readonly (readonly [Shown, RegExp])[] = [
    [{ ...(await launcherOf('uid-2')), certificate: own.certificate }, /belongs to another key/],
    [await strangerOf(agent.uid), /not accepted \(unknown_key\)/],
    [await launcherOf(agent.uid, minutesAgo(15)), /not accepted \(expired\)/],
    [await launcherOf(agent.uid, minutesAgo(-2)), /not accepted \(not_yet\)/],
    [{ privateKey: own.privateKey }, /no certificate of the installation/],
    [{ privateKey: own.privateKey, certificate: 'e30.e30.e30' }, /not accepted \(header\)/],
  ]
  for (const [shown, why] of refused) {
    const forger = await serveForger(t, 'TLS', shown)
    await assert.rejects(clientOf(forger.url).ticket(), why)
    assert.deepEqual(forger.requests, [])
  }
  // Clocks may differ: a certificate of 14 minutes, and one of a clock that is a little ahead.
  for (const minutes of [14, -0.9]) {
    const launcher = await serveForger(t, 'TLS', await launcherOf(agent.uid, minutesAgo(minutes)))
    assert.equal(await clientOf(launcher.url).ticket(), 'forged.1')
  }
})

test('R2-N3: a launcher of a former version is known by its key, and only one without a certificate', async (t) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
  const { clientOf } = connectionsWith(t, async (uid) => (uid === agent.uid ? [pem] : []))
  const former = await serveForger(t, 'TLS', { privateKey })
  assert.equal(await clientOf(former.url).ticket(), 'forged.1')
  await assert.rejects(clientOf(former.url, 'uid-2').ticket(), /no certificate of the installation/)
  const { certificate } = await launcherOf('uid-2')
  const other = await serveForger(t, 'TLS', { privateKey, certificate })
  await assert.rejects(clientOf(other.url).ticket(), /its certificate belongs to another agent/)
})

// Each code means that no request was written, so another pod can be asked.
const isUnsent = ({ code = '', syscall }: NodeJS.ErrnoException): boolean =>
  syscall === 'connect' || /MESH_LAUNCHER_UN|UND_ERR_CONNECT_TIMEOUT/.test(code)

test('PODS4: a server of the agent on the port of its launcher receives no request, no grant and no input', async (t) => {
  const { clientOf } = connectionsWith(t)
  for (const kind of ['TLS', 'no TLS', 'resets', 'silent'] as const) {
    const forger = await serveForger(t, kind, await launcherOf('uid-2'))
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
  const forger = await serveForger(t, 'TLS', await strangerOf(agent.uid))
  const { connections } = connectionsWith(t)
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

test('R2-N3: keys of former launchers are valid for a day, and none once their agent is deleted', async (t) => {
  const world = await openWorld(t)
  const db = () => world.store.reader<RunsTables>()
  const add = (uid: string, until: string) =>
    world.store.transact(async (tx) => {
      await sql`insert into runs_launcher_keys (agent_uid, public_key, valid_until)
        values (${uid}, 'pem', ${until === 'default' ? sql`default` : sql`now() - interval '1 second'`})`.execute(
        tx.tables(),
      )
    })
  for (const [uid, until] of [
    ['uid-1', 'default'],
    ['uid-2', 'default'],
    ['uid-3', 'past'],
  ] as const)
    await add(uid, until)
  const valid = async () => Promise.all(['uid-1', 'uid-2', 'uid-3'].map(async (uid) => readFormerKeys(db(), uid)))
  assert.deepEqual(await valid(), [['pem'], ['pem'], []])
  await observeDeleted(world, 'uid-1')
  const run = await queueRun(world, 'hi') // of the agent uid-1
  const remove = () => world.store.transact((tx) => removeFormerKeys(tx.tables<RunsTables>()))
  await remove()
  assert.deepEqual(await valid(), [['pem'], ['pem'], []], 'its run is not over: a worker must reach the launcher')
  await world.writer.change(run.id, { actor: { name: 'alice', kind: 'user' } }, (facts) => ({
    facts: decideCancel(facts),
  }))
  await world.writer.change(run.id, { actor: { name: 'alice', kind: 'user' } }, (facts) => ({
    facts: decideFailure(facts, 'agent_unreachable'),
  }))
  await remove()
  assert.deepEqual(await valid(), [[], ['pem'], []])
})

function observeDeleted(world: World, uid: string): Promise<void> {
  return world.store.transact(async (tx) => {
    await sql`insert into object_index (uid, kind, namespace, name, rv, content_hash, deleted_at)
      values (${uid}, 'AgentDeployment', 'default', 'robot', '1', '', now())`.execute(tx.tables())
  })
}
