import { randomUUID } from 'node:crypto'
import { openDatabase } from '#core/database/database.ts'
import { migrate } from '#core/database/migrate.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { storeMigrations } from '#core/event-store/store-migrations.ts'
import { openRedisStore } from '#core/state-store/redis-store.ts'
import { parseRedisUrl } from '#core/state-store/redis-url.ts'
import type { StateStore } from '#core/state-store/state-store.ts'
import type { CallLimit } from '#plugins/budgets/contract/points.ts'
import { createLedger } from '#plugins/budgets/store/ledger.ts'
import type { Ledger } from '#plugins/budgets/store/ledger.ts'
import { startPostgres } from '#test/harness/postgres.ts'
import { startRedis } from '#test/harness/redis.ts'
import type { Bench } from '../tools/bench.ts'
import { interleave } from '../tools/rounds.ts'
import type { Candidate } from '../tools/rounds.ts'
import { withScope } from '../tools/scope.ts'
import { quantile } from '../tools/statistics.ts'
import { preparePgbench } from './pgbench.ts'

const alone = 200
const together = Number(process.env.BENCH_HOLDS ?? 10_000)
const callers = 256
const burst = { calls: 5_000, paid: 500 }
// One shared by all holds of a candidate, as by the launchers of one agent.
const one = { kind: 'AgentDeployment', namespace: 'bench', name: 'agent' } as const
const tenant = { kind: 'Tenant', name: 'tenant' } as const
const most = 1_000_000_000_000n

/** A hold on one budget, with and without the rate and places of a tenant, which are rows of the ledger or keys of Redis. */
export const bench: Bench = {
  title: `holds on one budget: ${alone} one after the other, ${together} by ${callers} callers`,
  database: 'fresh',
  measure: () =>
    withScope(async (t) => {
      const settings = { shared_buffers: '256MB', max_wal_size: '4GB' }
      const postgres = await startPostgres(t, { fsync: true, settings })
      const database = await openDatabase({ url: postgres.url })
      t.after(() => database.close())
      const budgets = { name: 'budgets', migrations: new URL('../../plugins/budgets/migrations/', import.meta.url) }
      await migrate(database, [storeMigrations, budgets])
      const ledger = createLedger(createStore(database, { projections: [] }), { leaseSeconds: 3_600, retentionDays: 1 })
      const redis = await startRedis(t)
      const state = openRedisStore(parseRedisUrl(redis.url), 'bench')
      t.after(() => state.close())
      const pgbench = await preparePgbench(t, postgres.url)
      const candidates: Candidate[] = [
        { name: 'pgbench, one row', run: async () => ({ ...(await pgbench(1)), ...(await manyRows(pgbench)) }) },
        candidate('hold', () => holder(ledger, [money('a')])),
        candidate('hold with rate and places', () => holder(ledger, [money('b'), quota('b')])),
        candidate('hold, and rate and places in Redis', () =>
          admitting(state, holder(ledger, [money('c'), spend('c')])),
        ),
        { name: 'burst', run: () => burstOf(ledger) },
      ]
      return interleave(candidates, { rounds: 5, most: 8 })
    }),
  goals: (figureOf) => {
    const commit = figureOf('pgbench, one row', 'p50 ms')
    const peer = { candidate: 'pgbench, one row', figure: 'p50 ms' }
    return [
      {
        number: 4,
        text: 'p50 of a hold with rate and places, ms; limit: 5 ms and 1.3 commits',
        value: figureOf('hold with rate and places', 'p50 ms'),
        limit: 5 + 1.3 * commit,
        peer,
      },
      {
        number: 4,
        text: 'holds per second on one budget',
        value: figureOf('hold with rate and places', 'per second'),
        limit: 5_000,
        atLeast: true,
        peer: { candidate: 'pgbench, one row', figure: 'per second' },
      },
      { number: 4, text: 'overspent calls of a burst', value: figureOf('burst', 'overspent'), limit: 0 },
    ]
  },
}

function money(uid: string): CallLimit {
  return { subject: { ...one, uid }, spend: { amount: most, currency: 'USD', window: 'month' } }
}

function spend(uid: string): CallLimit {
  return { subject: { ...tenant, uid }, spend: { amount: most, currency: 'USD', window: 'month' } }
}

function quota(uid: string): CallLimit {
  return { ...spend(uid), requestsPerMinute: 1_000_000_000, concurrency: 1_000_000 }
}

type Hold = () => Promise<unknown>

function holder(ledger: Ledger, limits: readonly CallLimit[]): Hold {
  return async () => {
    const made = await ledger.reserve({ ...holdOf(), limits })
    if (made.kind !== 'held') throw new Error(made.kind)
  }
}

// The order of the interface: money first. A refusal would have to release the hold.
function admitting({ admissions }: StateStore, hold: Hold): Hold {
  const rates = [{ key: 'rpm', limit: 1_000_000_000, windowMs: 60_000 }]
  const leases = [{ key: 'places', limit: 1_000_000, ttlMs: 3_600_000 }]
  return async () => {
    await hold()
    const { admitted } = await admissions.acquire({ group: 'tenant', id: randomUUID(), rates, leases })
    if (!admitted) throw new Error('refused')
  }
}

function holdOf() {
  return {
    id: randomUUID(),
    holder: 'bench',
    requestKey: randomUUID(),
    agentUid: 'agent',
    runId: null,
    route: 'bench/mock',
    amount: 1_000n,
    currency: 'USD',
    maxOutputTokens: 100,
    prices: [{ provider: 'bench/mock', model: 'm', source: 'route@1', currency: 'USD', input: '1', output: '2' }],
    leaseSeconds: 3_600,
  }
}

function candidate(name: string, make: () => Hold): Candidate {
  const hold = make()
  return {
    name,
    async run() {
      const singles: number[] = []
      for (let n = 0; n < alone; n++) singles.push(await timed(hold))
      const from = performance.now()
      const before = process.cpuUsage()
      let left = together
      const many: number[] = []
      await Promise.all(
        Array.from({ length: callers }, async () => {
          while (left-- > 0) many.push(await timed(hold))
        }),
      )
      const { user, system } = process.cpuUsage(before)
      return {
        'p50 ms': quantile(singles, 0.5),
        'p99 ms': quantile(singles, 0.99),
        'per second': (many.length * 1000) / (performance.now() - from),
        'loaded p50 ms': quantile(many, 0.5),
        'cpu us': (user + system) / many.length,
      }
    },
  }
}

async function timed(hold: Hold): Promise<number> {
  const from = performance.now()
  await hold()
  return performance.now() - from
}

async function manyRows(pgbench: (clients: number) => Promise<Readonly<Record<string, number>>>) {
  const { 'per second': perSecond = Number.NaN } = await pgbench(64)
  return { 'per second': perSecond }
}

/** Ten times as many concurrent holds as there is money for. */
async function burstOf(ledger: Ledger) {
  const uid = randomUUID()
  const limits = [
    { subject: { ...one, uid }, spend: { amount: 1_000n * BigInt(burst.paid), currency: 'USD', window: 'month' } },
  ] as const
  const made = await Promise.all(Array.from({ length: burst.calls }, () => ledger.reserve({ ...holdOf(), limits })))
  const held = made.filter(({ kind }) => kind === 'held').length
  if (held < burst.paid) throw new Error(`only ${held} holds were made`)
  return { overspent: held - burst.paid }
}
