import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { silent } from '#core/controllers/testing/following.ts'
import { openDatabase } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { KubeError } from '#core/kube/status.ts'
import { createDatabase } from '#test/harness/database.ts'
import { needs } from '#test/harness/find-server.ts'
import { createCircuits } from '../circuits/route-circuits.ts'
import { createFindGone } from './gone-gateways.ts'
import { createTargetReports } from './target-reports.ts'

const servers = needs('postgres', 'initdb')

interface Sent {
  readonly at: number
  readonly manager: string
  readonly body: {
    readonly metadata: { readonly uid: string }
    readonly status: { readonly targets: readonly Entry[] }
  }
}
interface Entry {
  readonly gateway: string
  readonly circuit: string
  readonly lastErrorClass?: string
}

async function setUp(t: Parameters<typeof createDatabase>[0], everyMs: number) {
  const database = await openDatabase({ url: await createDatabase(t) })
  t.after(() => database.close())
  const own = { name: 'providers', migrations: new URL('../migrations/', import.meta.url) }
  await migrate(database, [storeMigrations, own])
  const store = createStore(database, { projections: [] })
  const circuits = createCircuits()
  const reports = createTargetReports({ store, log: silent }, circuits, { everyMs, soonMs: 10, aliveMs: 100 })
  t.after(reports.close)
  const sent: Sent[] = []
  const answer: { error: Error | undefined } = { error: undefined }
  const patch = async (_resource: unknown, _ref: unknown, { body }: { body: unknown }, { fieldManager = '' } = {}) => {
    sent.push({ at: performance.now(), manager: fieldManager, body: body as Sent['body'] })
    if (answer.error !== undefined) throw answer.error
  }
  reports.follow({ patch } as never)
  const route = (uid: string) => {
    const targets = ['x', 'y'].map((name) => ({ providerRef: { name }, model: 'm' }))
    const spec = { targets, circuitBreaker: { failures: 1, openFor: '1h' } }
    return circuits.ofRoute({ namespace: 'a', name: `r-${uid}`, uid, generation: 1, spec })
  }
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await pause(5)
  }
  return { database, store, sent, route, until, answer, circuits }
}

test('changes are reported once, together, and not more often than the interval', servers, async (t) => {
  const { sent, route, until } = await setUp(t, 400)
  const one = route('one')
  await until(() => sent.length === 1)
  assert.deepEqual(
    sent[0]?.body.status.targets.map(({ circuit }) => circuit),
    ['closed', 'closed'],
  )
  for (let n = 0; n < 50; n++) one?.of('a/x', 'm')?.enter()?.failed('timeout')
  await until(() => sent.length === 2)
  assert.ok((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0) >= 399, 'the second report waits')
  const [x] = sent[1]?.body.status.targets ?? []
  assert.deepEqual([x?.circuit, x?.lastErrorClass], ['open', 'timeout'])
  assert.equal(sent[1]?.manager, `mesh-gateway-${x?.gateway}`)
  assert.equal(sent[1]?.body.metadata.uid, 'one')
  // The same error again changes nothing.
  one?.of('a/x', 'm')?.enter()?.failed('timeout')
  await pause(600)
  assert.equal(sent.length, 2)
})

test('a deleted route is forgotten, and a failed report is sent again', servers, async (t) => {
  const { sent, route, until, answer } = await setUp(t, 50)
  answer.error = new KubeError(503, 'ServiceUnavailable', 'later')
  route('one')
  await until(() => sent.length >= 2)
  answer.error = new KubeError(404, 'NotFound', 'gone')
  const before = sent.length
  await until(() => sent.length > before)
  const after = sent.length
  await pause(300)
  assert.equal(sent.length, after)
})

test('a gateway without a sign of life is gone, and one that comes back reports again', servers, async (t) => {
  const { sent, route, until, store, database } = await setUp(t, 50)
  const findGone = createFindGone(store)
  route('one')
  await until(() => sent.length === 1)
  const gateway = sent[0]?.body.status.targets[0]?.gateway ?? ''
  assert.deepEqual(await findGone([gateway, 'never']), new Set(['never']))
  await sql`update providers_gateways set seen_at = now() - interval '1 hour'`.execute(database.root)
  assert.deepEqual(await createFindGone(store)([gateway]), new Set([gateway]))
  // The next sign of life: the manager has removed the entries meanwhile.
  await until(() => sent.length === 2)
  assert.deepEqual(sent[1]?.body.status, sent[0]?.body.status)
  assert.deepEqual(await createFindGone(store)([gateway]), new Set())
})
