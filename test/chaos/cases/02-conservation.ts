import { sql } from 'kysely'
import type { ChaosCase } from '../case.ts'
import { percentile } from '../open-loop.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { killAndRestart, parts, untilHealthy } from '../stage/faults.ts'
import type { Part } from '../stage/faults.ts'
import type { Latency } from '../stage/latency.ts'
import { compareWithRows, createExpectedChanges, describe, oldestUnrecorded } from '../stage/expected-changes.ts'
import type { BlindTime, Change, ExpectedChanges } from '../stage/expected-changes.ts'
import { startLoad } from '../stage/load.ts'
import { makeNamespace, probe } from '../stage/probe.ts'
import { sharedStage } from '../stage/stage.ts'
import type { Stage } from '../stage/stage.ts'
import { timed, until } from '../until.ts'

/** Every accepted change is one audit row, whichever process is killed meanwhile. */
export const chaosCase: ChaosCase = {
  ids: ['A2', 'A4', 'A5'],
  title:
    'Changes of cluster and store and denied acts, up to 500/s, through the API and straight at the cluster; any one process killed with -9 at a random instant',
  counts: { short: 3, usual: 21, full: 35 },
  minutes: 5,
  run: async (_scope, { seed, short, count, whole }) => {
    const stage = await sharedStage(whole)
    const random = createRandom(seed)
    const namespace = await makeNamespace(stage, 'conservation')
    const expected = createExpectedChanges()
    // The short form shares two cores with other tests and measures recoveries, not a queue.
    const perSecond = short ? 60 : 500
    const shares = { runShare: 0.5, deniedShare: 2 / 3 }
    const load = startLoad(stage, namespace, { random, expected, perSecond, ...shares })
    const eventsBefore = await countEvents(stage)
    const started = performance.now()
    const calm = short ? 1_000 : 10_000
    await random.instant(calm, calm)
    const outages: Outage[] = []
    const blind: BlindTime[] = []
    const recoveryMs: number[] = []
    try {
      for (let fault = 0; fault < count; fault++)
        await oneFault(stage, { random, fault, outages, blind, recoveryMs, namespace, expected })
    } finally {
      await load.stop()
    }
    const seconds = (performance.now() - started) / 1_000
    await untilHealthy(stage)
    const events = await countEvents(stage)
    const found = await settle(stage, namespace, expected, blind)
    const firstFault = outages[0]?.from ?? Infinity
    const before = load.latencies.filter(({ at }) => at < firstFault)
    const between = load.latencies.filter(
      (one) => one.at > firstFault && !outages.some((outage) => overlaps(one, outage)),
    )
    const unneeded = outages.filter(({ part }) => noRequestNeeds.has(part))
    const during = load.latencies.filter((one) => unneeded.some((outage) => overlaps(one, outage)))
    return {
      faults: count,
      lost: found.lost.length,
      duplicated: found.duplicated,
      unaccounted: found.phantoms.length,
      recoveryMs,
      notes: [
        `${expected.changes.length} acts accepted or denied (${(expected.changes.length / seconds).toFixed(0)}/s of ${perSecond}/s wanted), ${expected.doubtful.size} without an answer, ${found.rows} rows`,
        `${((events - eventsBefore) / seconds).toFixed(0)} events/s over all faults and outages`,
        `p99 of an audited request ${p99(before)} ms before the first fault, ${p99(between)} ms between the outages, ${p99(during)} ms while manager, worker or bus were away`,
        ...found.lost.slice(0, 5).map((change) => `lost: ${describe(change)}, ${whenOf(change, outages)}`),
        ...found.phantoms.slice(0, 3).map((row) => `unexplained: ${row}`),
      ],
    }
  },
}

interface Outage {
  readonly part: Part
  readonly from: number
  readonly to: number
}

// Their work is done later; no request waits for them.
const noRequestNeeds = new Set<Part>(['manager', 'worker', 'nats'])

interface FaultParts {
  readonly random: Random
  readonly fault: number
  readonly outages: Outage[]
  readonly blind: BlindTime[]
  readonly recoveryMs: number[]
  readonly namespace: string
  readonly expected: ExpectedChanges
}

// A restarted API server has lost its watch cache. The others keep it, so each change must be a row.
const interruptsInformers = new Set<Part>(['apiserver', 'etcd'])

async function oneFault(
  stage: Stage,
  { random, fault, outages, blind, recoveryMs, namespace, expected }: FaultParts,
): Promise<void> {
  await random.instant(100, 1_000)
  const part = parts[fault] ?? random.pick(parts)
  const unrecorded = await oldestUnrecorded(stage.database, namespace, expected)
  const from = performance.now()
  await killAndRestart(stage, part, random)
  recoveryMs.push(await timed('a change after the fault is a row', () => probe(stage), 120_000))
  outages.push({ part, from, to: performance.now() })
  // Until the manager has reported a new object, it may have listed instead of watched.
  if (interruptsInformers.has(part)) blind.push({ from: unrecorded, to: performance.now() })
}

// Rows follow changes after informer, relay, sweep and consumer. A change without a row by then is lost.
async function settle(stage: Stage, namespace: string, expected: ExpectedChanges, blind: readonly BlindTime[]) {
  const compare = () => compareWithRows(stage.database, namespace, expected, blind)
  const complete = until(
    'every change is a row',
    async () => {
      const found = await compare()
      return found.lost.length === 0 ? found : undefined
    },
    // Sweeps run once a minute.
    90_000,
  )
  return complete.catch(compare)
}

// The nearest fault, the first clue in a search for the cause.
function whenOf({ to }: Change, outages: readonly Outage[]): string {
  const nearest = outages.toSorted((a, b) => Math.abs(a.from - to) - Math.abs(b.from - to))[0]
  return nearest === undefined
    ? 'without a fault'
    : `${(to - nearest.from).toFixed(0)} ms after ${nearest.part} was to be killed`
}

// A request in progress during an outage may have waited for its end.
function overlaps({ at, ms }: Latency, { from, to }: Outage): boolean {
  return at >= from && at - ms <= to
}

async function countEvents({ database }: Stage): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from events`.execute(database.root)
  return rows[0]?.count ?? 0
}

function p99(samples: readonly Latency[]): string {
  return percentile(
    samples.map(({ ms }) => ms),
    0.99,
  ).toFixed(0)
}
