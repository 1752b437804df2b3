import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { runConsumers } from '#core/messaging/consumer/consumer-runner.ts'
import { createMemoryBus } from '#core/messaging/bus/memory-bus.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { openDatabase } from '#core/database/database.ts'
import { createLeaderElection } from '#core/database/leader-election.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { coreMigrations } from '#core/host/platform/platform-store.ts'
import { migrate } from '#core/database/migrate.ts'
import { needs } from '#test/harness/find-server.ts'
import { freePort } from '#test/harness/free-port.ts'
import { sharedKube } from '#test/harness/kube.ts'
import { startNats } from '#test/harness/nats.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import { acceptsTcp, startProcess, untilReady } from '#test/harness/server-process.ts'
import { tempFolder } from '#test/harness/temp-folder.ts'
import { auditConsumers } from './consumers.ts'
import { intentJobs } from './outcomes/intent-jobs.ts'
import type { AuditTables } from './contract/tables.ts'

const bff = fileURLToPath(import.meta.resolve('./testing/bff.ts'))
const rounds = Number(process.env['MESH_CONSERVATION_ROUNDS'] ?? 4)
const clients = 24

// Faults of a round; each round ends with kill -9 of the BFF.
const faults = ['none', 'store stopped', 'store frozen', 'bus stopped'] as const

test(
  `A1, A2: rows and counted drops equal the acts of a BFF that is killed ${rounds} times while store and bus are down`,
  { ...needs('etcd', 'kube-apiserver', 'nats-server', 'initdb'), timeout: 480_000 + rounds * 30_000 },
  async (t) => {
    const [kube, postgres, nats] = await Promise.all([sharedKube(t), startPostgres(t, { fsync: true }), startNats(t)])
    const folder = tempFolder('conservation')
    t.after(folder.remove)
    writeFileSync(join(folder.path, 'ca.crt'), kube.ca)
    const acts = join(folder.path, 'acts')
    writeFileSync(acts, '')
    const log = join(folder.path, 'bff.log')
    const database = await openDatabase({ url: postgres.url })
    t.after(() => database.close())
    const own = { name: 'audit', migrations: new URL('./migrations/', import.meta.url) }
    await migrate(database, [...coreMigrations, own])
    const store = createStore(database, { projections: [] })
    const port = await freePort()
    const settings = {
      DATABASE_URL: postgres.url,
      NATS_URL: nats.url,
      MESH_CLUSTER_SERVER: kube.url,
      MESH_CLUSTER_CA_FILE: join(folder.path, 'ca.crt'),
      MESH_HOST: '127.0.0.1',
      MESH_BFF_PORT: String(port),
      MESH_ADMIN_PORT: '0',
      AUDIT_SPOOL_DIR: join(folder.path, 'spool'),
    }
    const start = async () => {
      const server = startProcess({ program: process.execPath, args: [bff, acts, JSON.stringify(settings)], log })
      t.after(() => server.end('SIGKILL'))
      await untilReady(server, () => acceptsTcp(port))
      return server
    }
    const answered = new Map<string, number>()
    const tally = new EventEmitter()
    // A fault follows a random number of responses, not a time, so that it hits requests in progress on any machine.
    const more = async (count: number): Promise<void> => {
      for (let left = count; left > 0; left--) await once(tally, 'answer')
    }
    let next = 0
    // A client that sends requests until its BFF dies; every third caller is denied.
    const client = async (): Promise<void> => {
      for (;;) {
        const name = `act-${next++}`
        const token = kube.tokens[Number(name.slice(4)) % 3 === 0 ? 'unbound' : 'admin'] ?? ''
        try {
          const answer = await fetch(`http://127.0.0.1:${port}/api/acts/default/${name}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}` },
          })
          await answer.arrayBuffer()
          answered.set(name, answer.status)
          tally.emit('answer')
        } catch {
          return
        }
      }
    }
    for (let round = 0; round < rounds; round++) {
      const server = await start()
      const running = Promise.all(Array.from({ length: clients }, client))
      await more(randomInt(20, 200))
      const fault = faults[round % faults.length]
      if (fault === 'store stopped') await postgres.stop()
      if (fault === 'store frozen') postgres.pause()
      if (fault === 'bus stopped') await nats.stop()
      await more(randomInt(10, 150))
      await server.end('SIGKILL')
      await running
      if (fault === 'store stopped') await postgres.restart()
      if (fault === 'store frozen') postgres.resume()
      if (fault === 'bus stopped') await nats.restart()
    }
    // The last BFF reads the spools of the killed ones, and writes everything when it closes.
    const last = await start()
    await untilEmpty(join(folder.path, 'spool'), last)
    await last.end('SIGTERM')

    const [reaper] = intentJobs({ store, log: createLogger({ level: 'error' }) }, 0)
    assert.ok(reaper)
    await createLeaderElection({ database, holder: 'test', name: reaper.name }).run(
      (term) => reaper.run(term),
      new AbortController().signal,
    )
    const bus = createMemoryBus()
    t.after(() => bus.close())
    const consumers = auditConsumers(new Map(), 90)
    const consuming = await runConsumers({ store, database, bus, consumers, sweepEveryMs: 3_600_000 })
    await consuming.sweepNow()
    await consuming.stop()

    const rows = await store.reader<AuditTables>().selectFrom('audit_log').selectAll().execute()
    const dropped = new Set(
      [...readFileSync(log, 'utf8').matchAll(/mesh_audit \{.*?\\"resource_name\\":\\"(act-\d+)/g)].map(
        ([, name]) => name,
      ),
    )
    const byName = Map.groupBy(rows, (row) => row.resource_name)
    const duplicated = [...byName].filter(([, all]) => all.length > 1)
    assert.deepEqual(duplicated, [], 'nothing twice')
    const accounted = (name: string): boolean => byName.has(name) || dropped.has(name)
    const done = readFileSync(acts, 'utf8').trim().split('\n')
    assert.ok(done.length > 50, `${done.length} acts`)
    assert.deepEqual(
      done.filter((name) => !accounted(name)),
      [],
      'every act is accounted for',
    )
    const reported = [...answered].filter(([, status]) => status === 201 || status === 403)
    assert.deepEqual(
      reported.filter(([name]) => !accounted(name)),
      [],
      'every answer is accounted for',
    )
    const outcomes = { 201: 'success', 403: 'denied' } as const
    for (const [name, status] of reported)
      if (byName.has(name)) assert.equal(byName.get(name)?.[0]?.outcome, outcomes[status === 201 ? 201 : 403], name)
    const unknown = rows.filter(({ detail }) => detail['reason'] === 'unknown')
    for (const row of unknown) assert.ok(!answered.has(row.resource_name), 'who was answered is known')
    t.diagnostic(`acts ${done.length}, rows ${rows.length}, drops ${dropped.size}, unknown ${unknown.length}`)
  },
)

async function untilEmpty(folder: string, server: { output(): string }): Promise<void> {
  const bytes = (): number =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  for (const until = Date.now() + 60_000; bytes() > 0; await sleep(50))
    if (Date.now() > until) throw new Error(`the spool does not drain: ${server.output()}`)
}
