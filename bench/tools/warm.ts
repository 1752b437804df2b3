import { setTimeout as sleep } from 'node:timers/promises'

/** A load that is repeated until its cost no longer falls. */
export interface Warming {
  /** CPU time so far of the measured processes, in microseconds. */
  cpu(): number
  /** Runs this many operations. */
  load(count: number): Promise<unknown>
  /** Operations of a round. */
  readonly round: number
}

/** Cost of the first operations, and of those of the last round, in microseconds of CPU each. */
export interface Warmth {
  readonly cold: number
  readonly warm: number
  readonly rounds: number
  /** False if no two rounds in a row agreed. */
  readonly steady: boolean
}

const coldOperations = 100
const agreement = 0.05
const mostRounds = 12

/** Warms until two rounds in a row agree within 5 %: before, compilation of the code is measured. */
export async function warmUntilSteady({ cpu, load, round }: Warming): Promise<Warmth> {
  const costOf = async (count: number): Promise<number> => {
    const before = cpu()
    await load(count)
    return (cpu() - before) / count
  }
  const cold = await costOf(coldOperations)
  let last = await costOf(round)
  for (let rounds = 2; rounds <= mostRounds; rounds++) {
    const next = await costOf(round)
    const steady = agree(last, next)
    if (steady) return { cold, warm: next, rounds, steady }
    last = next
  }
  return { cold, warm: last, rounds: mostRounds, steady: false }
}

/** Whether two costs differ by at most 5 % of the larger. */
export function agree(a: number, b: number): boolean {
  return Math.abs(a - b) <= agreement * Math.max(a, b)
}

/** One of the operations of a load that may be refused while its platform starts. */
export async function patiently<T>(operation: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++)
    try {
      return await operation()
    } catch (error) {
      if (tries === 5) throw error
      await sleep(1000)
    }
}

/** What a table says about candidates that were warmed. */
export function noteOf(warmed: Readonly<Record<string, Warmth>>): readonly string[] {
  const entries = Object.entries(warmed)
  if (entries.length === 0) return []
  const rounds = entries.map(([name, one]) => `${name} ${one.rounds}`).join(', ')
  const unsteady = entries.flatMap(([name, one]) => (one.steady ? [] : [name]))
  return [
    `Cold is the first ${coldOperations} operations. Rounds until two agreed within 5 %: ${rounds}.`,
    ...(unsteady.length === 0 ? [] : [`Not steady after ${mostRounds} rounds: ${unsteady.join(', ')}.`]),
  ]
}
