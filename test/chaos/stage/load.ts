import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import { createObjectWriter } from './object-writer.ts'
import type { Latency } from './latency.ts'
import type { ExpectedChanges } from './expected-changes.ts'
import { createDeniedWriter } from './denied-writer.ts'
import type { Stage } from './stage.ts'

/** A load in progress. */
export interface Load {
  readonly latencies: readonly Latency[]
  stop(): Promise<void>
}

const writers = 16
// In seconds of the target rate. The load pauses when the audit log lags further behind, so that a recovery does not include draining an
// unbounded queue.
const mostBehind = 2

/** Composition and rate of the load. */
export interface LoadOptions {
  readonly random: Random
  readonly expected: ExpectedChanges
  /** Upper bound of requests per second. */
  readonly perSecond: number
  /** Share of runs among the changes. Default 0. */
  readonly runShare?: number
  /** Share of denied requests. Default 0. */
  readonly deniedShare?: number
}

/**
 * Changes templates, agents and runs, half through the BFF and half at the API server, and sends requests that are denied. Each writer
 * creates, changes and deletes its own objects. `expected` records what was accepted or denied.
 */
export function startLoad(
  stage: Stage,
  namespace: string,
  { random, expected, perSecond, runShare, deniedShare = 0 }: LoadOptions,
): Load {
  const stopped = new AbortController()
  const latencies: Latency[] = []
  const behind = followLag(stage, namespace, expected, stopped.signal)
  const pause = (writers / perSecond) * 1_000
  const loops = Array.from({ length: writers }, async (_, writer) => {
    const objects = createObjectWriter(stage, namespace, {
      random,
      expected,
      latencies,
      prefix: `w${writer}`,
      runShare,
    })
    const denied = createDeniedWriter(stage, namespace, { expected, latencies, prefix: `w${writer}` })
    for (let due = performance.now(); !stopped.signal.aborted; due = Math.max(due + pause, performance.now() - 1_000)) {
      const early = due - performance.now()
      if (early > 0) await sleep(early)
      if (behind() > mostBehind * perSecond) {
        await sleep(50)
        continue
      }
      // A stopped process refuses connections at once.
      const act = random.next() < deniedShare ? denied.act : objects.act
      if (!(await act())) await sleep(20)
    }
  })
  return {
    latencies,
    stop: async () => {
      stopped.abort()
      await Promise.all(loops)
    },
  }
}

// Accepted changes without a row, as of the last poll. Keeps the last known number while the database is down.
function followLag(stage: Stage, namespace: string, expected: ExpectedChanges, signal: AbortSignal): () => number {
  let rows = 0
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      const found = await sql<{
        rows: number
      }>`select count(*)::int as rows from audit_log where namespace = ${namespace}`
        .execute(stage.database.root)
        .catch(() => undefined)
      rows = found?.rows[0]?.rows ?? rows
      await sleep(250)
    }
  }
  void follow()
  return () => expected.changes.length - rows
}
