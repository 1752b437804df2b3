import { sql } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../random.ts'
import { createObjectWriter } from './object-writer.ts'
import type { Latency } from './latency.ts'
import type { ExpectedChanges } from './expected-changes.ts'
import { createDeniedWriter } from './denied-writer.ts'
import type { Stage } from './stage.ts'

/** Changes under way. */
export interface Load {
  readonly latencies: readonly Latency[]
  stop(): Promise<void>
}

const writers = 16
// Seconds of the wish. Where machine and platform are slower than the wish, it yields: a recovery is not the time to work off a queue
// without bounds.
const mostBehind = 2

/** What is done, and how often. */
export interface LoadOptions {
  readonly random: Random
  readonly expected: ExpectedChanges
  /** At most so many acts. */
  readonly perSecond: number
  /** How much of the changes are runs. Default 0. */
  readonly runShare?: number
  /** How much of all acts are refused. Default 0. */
  readonly deniedShare?: number
}

/**
 * Changes of templates, agents and runs, half through the BFF and half straight at the cluster, and acts that are denied; each writer has
 * objects of its own, which it creates, changes and deletes. `expected` records what was accepted or denied.
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
      // A part that is down refuses at once.
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

// How many accepted changes have no row yet, as of a moment ago; the last known number while the store is down.
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
