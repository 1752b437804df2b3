import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { EvalResultsView } from '#schemas/api/evaluations.ts'
import { startOpenLoop } from '#test/chaos/open-loop.ts'
import { ended, eventually, served } from './gate-rig.ts'
import type { GatedRun, GateRig } from './gate-rig.ts'

/** A run that was accepted, when it has ended. */
export interface OpenRun {
  readonly id: string
  readonly state: string
  readonly output: unknown
  /** Code of the error of a run that failed. */
  readonly error: string | undefined
  readonly revision: number | null
  readonly startedAt: number
}

const over = /^(succeeded|failed|cancelled|timed_out|rejected)$/
const READERS = 8
// A machine that is slower than the callers has a queue.
const DRAIN_MS = 300_000

/**
 * Starts `perSecond` runs of the agent `bot` for the given time, and longer until `end`, however slow the platform is, and waits for the end of each. A request that
 * is not accepted, or has no response, fails the test.
 */
export async function runFor(rig: GateRig, perSecond: number, ms: number, end?: Promise<unknown>): Promise<OpenRun[]> {
  const ids: string[] = []
  const refused: string[] = []
  const loop = startOpenLoop(perSecond, async () => {
    const body = { agent: { namespace: 'demo', name: 'bot' }, input: 'Hi' }
    const made = await rig.ask('developer', 'POST', '/api/runs', body)
    if (made.status === 201) ids.push(made.json<GatedRun>().id)
    else refused.push(`${made.status} ${made.text}`)
    return made
  })
  await Promise.allSettled([pause(ms), end])
  const lost = (await loop.stop()).filter(({ status }) => status === 0)
  assert.deepEqual([lost, refused], [[], []], 'each request was accepted')
  assert.ok(ids.length > (perSecond * ms) / 2_000, `${ids.length} runs`)
  return readAll(rig, ids)
}

/** Changes the agent so that its revision passes and serves, under runs that begin before: a promotion may be over a moment after its evaluation. */
export async function promoteUnder(
  rig: GateRig,
  perSecond: number,
  ms: number,
): Promise<readonly [OpenRun[], EvalResultsView]> {
  const promote = async (): Promise<EvalResultsView> => {
    await rig.useRoute('kinder')
    const passed = await ended(rig, 'Passed')
    await served(rig)
    return passed
  }
  const promoted = promote()
  return Promise.all([runFor(rig, perSecond, ms, promoted), promoted])
}

/** States with outputs or errors, each once: an output says which revision has run. */
export function outcomesOf(runs: readonly OpenRun[]): ReadonlySet<string> {
  return new Set(runs.map(({ state, output, error }) => `${state} ${error ?? String(output)}`))
}

async function readAll(rig: GateRig, ids: readonly string[]): Promise<OpenRun[]> {
  const left = [...ids]
  const found: OpenRun[] = []
  const read = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) found.push(await untilOver(rig, id))
  }
  await Promise.all(Array.from({ length: READERS }, read))
  return found
}

async function untilOver({ ask }: GateRig, id: string): Promise<OpenRun> {
  return eventually(
    `run ${id} ends`,
    async () => {
      const run = (await ask('developer', 'GET', `/api/runs/${id}`)).json<GatedRun>()
      const { state, output, error, agent, startedAt } = run
      if (!over.test(state)) return undefined
      const revision = agent?.revision ?? null
      return { id, state, output, error: error?.code, revision, startedAt: Date.parse(startedAt ?? '') }
    },
    DRAIN_MS,
  )
}
