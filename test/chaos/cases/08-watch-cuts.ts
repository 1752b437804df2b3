import { sql } from 'kysely'
import assert from 'node:assert/strict'
import type { ChaosCase } from '../case.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { untilHealthy } from '../stage/faults.ts'
import { compareWithRows, createExpectedChanges, describe, oldestUnrecorded } from '../stage/expected-changes.ts'
import type { BlindTime } from '../stage/expected-changes.ts'
import { startLoad } from '../stage/load.ts'
import { makeNamespace, probe } from '../stage/probe.ts'
import { sharedStage } from '../stage/stage.ts'
import type { Stage } from '../stage/stage.ts'
import { timed, until } from '../until.ts'

/** Cuts the manager's watches, blocks them, and lets them expire. */
export const chaosCase: ChaosCase = {
  ids: ['A10'],
  title:
    'Watches cut, half-open and expired by a compaction of etcd under changes: every change is reported once, after an expiry its final state, and each gap is marked',
  counts: { short: 3, usual: 12, full: 30 },
  minutes: 4,
  run: async (scope, { seed, short, count, whole }) => {
    const stage = await sharedStage(whole)
    scope.after(() => stage.links.cluster.heal())
    const random = createRandom(seed)
    const namespace = await makeNamespace(stage, 'watch-cuts')
    const expected = createExpectedChanges()
    const gaps = { before: await countGaps(stage), expired: 0 }
    const load = startLoad(stage, namespace, { random, expected, perSecond: short ? 20 : 100 })
    const blind: BlindTime[] = []
    const recoveryMs: number[] = []
    try {
      for (let fault = 0; fault < count; fault++) {
        await random.instant(200, 1_000)
        const from = await oldestUnrecorded(stage.database, namespace, expected)
        const cut = cuts[fault] ?? random.pick(cuts)
        await cut(stage, random)
        if (cut === expire) gaps.expired++
        recoveryMs.push(await timed('a change after the cut is a row', () => probe(stage), 120_000))
        // A broken watch resumes at its version.
        if (cut === expire) blind.push({ from, to: performance.now() })
      }
    } finally {
      await load.stop()
    }
    await untilHealthy(stage)
    const compare = () => compareWithRows(stage.database, namespace, expected, blind)
    const complete = until('every final state is a row', async () => {
      const now = await compare()
      return now.lost.length === 0 ? now : undefined
    })
    const found = await complete.catch(compare)
    const marked = (await countGaps(stage)) - gaps.before
    assert.ok(marked >= gaps.expired, `${gaps.expired} watches expired and ${marked} gaps were marked`)
    return {
      faults: count,
      lost: found.lost.length,
      duplicated: found.duplicated,
      unaccounted: found.phantoms.length,
      recoveryMs,
      notes: [
        `${expected.changes.length} changes, ${found.rows} rows, ${gaps.expired} expiries, ${marked} gaps marked`,
        ...found.lost.slice(0, 3).map((one) => `lost: ${describe(one)}`),
      ],
    }
  },
}

type Cut = (stage: Stage, random: Random) => Promise<void>

const cuts: readonly Cut[] = [cutAll, expire, halfOpen]

async function cutAll({ links }: Stage): Promise<void> {
  links.cluster.reset()
}

// Like a pulled cable: neither side is notified, and packets are lost.
async function halfOpen({ links }: Stage, random: Random): Promise<void> {
  links.cluster.set({ swallow: true })
  await random.instant(500, 2_000)
  links.cluster.heal()
}

// Without a watch, history advances and is compacted; the restarted API server has no versions from before its start.
async function expire(stage: Stage, random: Random): Promise<void> {
  stage.links.cluster.set({ refuse: true })
  stage.links.cluster.reset()
  await random.instant(500, 1_500)
  await stage.kube.compact()
  await stage.kube.kill9('apiserver')
  await stage.kube.restart('apiserver')
  await stage.kube.compact()
  stage.links.cluster.heal()
}

async function countGaps({ database }: Stage): Promise<number> {
  const { rows } = await sql<{
    n: number
  }>`select count(*)::int as n from events where type = 'dev.mesh.cluster.gap.v1'`.execute(database.root)
  return rows[0]?.n ?? 0
}
