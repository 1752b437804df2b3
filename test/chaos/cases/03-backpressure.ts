import { sql } from 'kysely'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSend } from '#test/flows/platform/send.ts'
import type { Scope } from '#test/harness/scope.ts'
import type { ChaosCase } from '../case.ts'
import { startOpenLoop } from '../open-loop.ts'
import type { Sample } from '../open-loop.ts'
import { createRandom } from '../random.ts'
import { untilHealthy } from '../stage/faults.ts'
import { makeNamespace } from '../stage/probe.ts'
import type { RoleProcess } from '../stage/role.ts'
import { settings, sharedStage } from '../stage/stage.ts'
import type { Stage } from '../stage/stage.ts'
import { timed, until } from '../until.ts'

/** Audited acts of callers while no process can store their rows. */
export const chaosCase: ChaosCase = {
  ids: ['A1', 'A6'],
  title:
    'Store and bus stopped, cut half-open and slow under audited requests; the BFF killed meanwhile; rows + counted drops = acts',
  counts: { short: 4, usual: 8, full: 8 },
  minutes: 4,
  run: async (scope, { seed, short, count, whole }) => {
    const stage = await sharedStage(whole)
    const random = createRandom(seed)
    const away = short ? 1_500 : 60_000
    const perSecond = short ? 60 : 300
    const namespace = await makeNamespace(stage, 'backpressure')
    const acts = await startActs(scope, stage, { namespace, perSecond, spoolMegabytes: short ? 64 : 2 })
    const recoveryMs: number[] = []
    const memory = { before: acts.bff.memory(), most: 0 }
    for (let fault = 0; fault < count; fault++) {
      const one = outages[fault % outages.length]
      assert.ok(one)
      await one.begin(stage, acts.bff)
      for (const end = performance.now() + away; performance.now() < end; await sleep(100))
        memory.most = Math.max(memory.most, acts.bff.memory())
      await one.end(stage)
      recoveryMs.push(await timed('the store has what came after the fault', () => hasRowsSince(stage, namespace)))
      await random.instant(0, 500)
    }
    const samples = await acts.stop()
    await untilHealthy(stage)
    return judge(stage, { namespace, samples, bff: acts.bff, recoveryMs, faults: count, memory })
  },
}

interface Outage {
  begin(stage: Stage, bff: RoleProcess): Promise<void>
  end(stage: Stage): Promise<void>
}

const outages: readonly Outage[] = [
  {
    begin: async ({ postgres }, bff) => {
      await postgres.stop()
      // With outcomes of the outage in its spool, the BFF is killed and restarted without a store.
      await sleep(700)
      await bff.end('SIGKILL')
      bff.start()
    },
    end: ({ postgres }) => postgres.restart(),
  },
  { begin: ({ nats }) => nats.kill9(), end: ({ nats }) => nats.restart() },
  { begin: async ({ links }) => links.store.set({ swallow: true }), end: async ({ links }) => links.store.heal() },
  {
    begin: async ({ links }) => {
      links.bus.set({ delayMs: 100, bytesPerSecond: 20_000 })
      links.store.set({ delayMs: 20 })
    },
    end: async ({ links }) => {
      links.bus.heal()
      links.store.heal()
    },
  },
]

interface Acts {
  readonly bff: RoleProcess
  stop(): Promise<readonly Sample[]>
}

// Deletes missing templates: only the BFF knows of each act and its response (404).
async function startActs(
  scope: Scope,
  stage: Stage,
  options: { readonly namespace: string; readonly perSecond: number; readonly spoolMegabytes: number },
): Promise<Acts> {
  const { namespace, perSecond, spoolMegabytes } = options
  const spool = `audit:\n  spoolDir: ${join(stage.folder, 'spool')}\n  spoolMegabytes: ${spoolMegabytes}\n`
  const bff = await stage.add(scope, 'bff-audit', 'bff', settings + spool)
  const send = createSend(scope, bff.url)
  const load = startOpenLoop(perSecond, (n) =>
    send({ method: 'DELETE', path: `/api/templates/agent/${namespace}/act-${n}`, bearer: stage.bearer }),
  )
  scope.after(() => load.stop())
  return { bff, stop: () => load.stop() }
}

async function hasRowsSince({ database }: Stage, namespace: string): Promise<boolean> {
  const count = async (): Promise<number> => {
    const { rows } = await sql<{
      rows: number
    }>`select count(*)::int as rows from audit_log where namespace = ${namespace}`.execute(database.root)
    return rows[0]?.rows ?? 0
  }
  const before = await until('PostgreSQL answers', async () => ({ rows: await count() }))
  return until('rows grow', async () => (await count()) > before.rows)
}

interface Evidence {
  readonly namespace: string
  readonly samples: readonly Sample[]
  readonly bff: RoleProcess
  readonly recoveryMs: readonly number[]
  readonly faults: number
  readonly memory: { readonly before: number; readonly most: number }
}

async function judge(stage: Stage, { namespace, samples, bff, recoveryMs, faults, memory }: Evidence) {
  const answered = samples.filter(({ status }) => status === 404).length
  const doubtful = samples.filter(({ status }) => status === 0).length
  const dropped = droppedNames(bff)
  const read = async () => {
    const { rows } = await sql<{ name: string; n: number }>`select resource_name as name, count(*)::int as n
      from audit_log where namespace = ${namespace} group by 1`.execute(stage.database.root)
    return rows
  }
  const complete = (rows: readonly { readonly name: string }[]) =>
    new Set([...rows.map(({ name }) => name), ...dropped]).size >= answered
  await until('every act is a row or a drop', async () => complete(await read()), 90_000).catch(() => undefined)
  const rows = await read()
  const accounted = new Set([...rows.map(({ name }) => name), ...dropped])
  const both = rows.filter(({ name }) => dropped.has(name)).length
  assert.ok(memory.most < memory.before + 200, `memory rose from ${memory.before} to ${memory.most} MiB`)
  return {
    faults,
    lost: 0,
    duplicated: rows.filter(({ n }) => n > 1).length + both,
    // Requests without a response may or may not have been acts.
    unaccounted: Math.max(0, answered - accounted.size) + Math.max(0, accounted.size - answered - doubtful),
    recoveryMs,
    notes: [
      `${answered} acts answered, ${doubtful} without an answer (the BFF was dead), ${rows.length} rows, ${dropped.size} counted drops`,
      `memory of the BFF ${memory.before.toFixed(0)} MiB before, ${memory.most.toFixed(0)} MiB at most`,
    ],
  }
}

// A1: each dropped outcome is logged.
function droppedNames({ log }: RoleProcess): ReadonlySet<string> {
  const lines = readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"dropped":true'))
  return new Set(lines.flatMap((line) => /\\"resource_name\\":\\"(act-\d+)\\"/.exec(line)?.[1] ?? []))
}
