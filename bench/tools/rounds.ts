import { setTimeout as sleep } from 'node:timers/promises'
import { median, quartiles } from './statistics.ts'
import { cpuOf, machineCpu } from './process-figures.ts'
import { noteOf } from './warm.ts'
import type { Warmth } from './warm.ts'

/** Something to measure. Each round runs it once and receives figures by name. */
export interface Candidate {
  readonly name: string
  /** Warms it before the first round. */
  warm?(): Promise<Warmth>
  run(): Promise<Readonly<Record<string, number>>>
}

/** Median and quartiles of one figure of one candidate. */
export interface Figure {
  readonly candidate: string
  readonly figure: string
  readonly median: number
  readonly q1: number
  readonly q3: number
  readonly rounds: number
}

/** Result of the rounds; `busy` is true if too few were quiet and the quietest were used. */
export interface Measured {
  readonly figures: readonly Figure[]
  readonly kept: number
  readonly dropped: number
  readonly busy: boolean
  /** Remarks for readers of the table, such as an omitted control. */
  readonly notes?: readonly string[]
}

/** Required number of quiet rounds per candidate, and the maximum number of rounds. */
export interface Effort {
  readonly rounds: number
  readonly most: number
}

interface Round {
  readonly candidate: string
  readonly others: number
  readonly figures: Readonly<Record<string, number>>
}

const quietCores = 0.2

/** Runs the candidates in turn (A B, B A, A B), so that other activity of the machine affects all equally. */
export async function interleave(candidates: readonly Candidate[], planned: Effort): Promise<Measured> {
  const effort = asked() ?? planned
  const warmed = await warmAll(candidates)
  const rounds: Round[] = []
  const quiet = (name: string): readonly Round[] => rounds.filter((one) => one.candidate === name && isQuiet(one))
  const enough = (): boolean => candidates.every(({ name }) => quiet(name).length >= effort.rounds)
  for (let turn = 0; turn < effort.most && !enough(); turn++)
    for (const candidate of turn % 2 === 0 ? candidates : candidates.toReversed()) rounds.push(await runOne(candidate))
  const chosen = candidates.map(({ name }) => choose(rounds, name, effort.rounds))
  const kept = chosen.reduce((sum, { length }) => sum + length, 0)
  return {
    figures: [
      ...Object.entries(warmed).map(([name, { cold }]) => toColdFigure(name, cold)),
      ...chosen.flatMap(toFigures),
    ],
    kept,
    dropped: rounds.length - kept,
    busy: chosen.flat().some((round) => !isQuiet(round)),
    notes: noteOf(warmed),
  }
}

async function warmAll(candidates: readonly Candidate[]): Promise<Readonly<Record<string, Warmth>>> {
  const warmed: Record<string, Warmth> = {}
  for (const candidate of candidates) {
    const warmth = await candidate.warm?.()
    if (warmth !== undefined) warmed[candidate.name] = warmth
  }
  return warmed
}

function toColdFigure(candidate: string, cold: number): Figure {
  return { candidate, figure: 'cold us', median: cold, q1: cold, q3: cold, rounds: 1 }
}

// For a quick look, or a machine that is never quiet: exactly this number of rounds.
function asked(): Effort | undefined {
  const rounds = Number(process.env.BENCH_ROUNDS ?? 0)
  return rounds > 0 ? { rounds, most: rounds } : undefined
}

function isQuiet({ others }: Round): boolean {
  return others <= quietCores
}

async function runOne(candidate: Candidate): Promise<Round> {
  await waitForQuiet()
  const before = { machine: machineCpu(), own: cpuOf(process.pid), at: performance.now() }
  const figures = await candidate.run()
  const micros = (performance.now() - before.at) * 1000
  const others = machineCpu() - before.machine - (cpuOf(process.pid) - before.own)
  // Ticks are 10 ms, so the difference of a short round may be negative.
  const round = { candidate: candidate.name, others: Math.max(0, others / micros), figures }
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value.toPrecision(4)}`)
  process.stderr.write(`  ${candidate.name}: ${text.join(', ')} (others ${round.others.toFixed(2)} core)\n`)
  return round
}

// At most five seconds; on a busy machine rounds are discarded and counted instead.
async function waitForQuiet(): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const [before, own] = [machineCpu(), cpuOf(process.pid)]
    await sleep(250)
    if (machineCpu() - before - (cpuOf(process.pid) - own) < quietCores * 250_000) return
  }
}

// The quiet rounds; if fewer than three, the three quietest, which the result reports.
function choose(rounds: readonly Round[], name: string, wanted: number): readonly Round[] {
  const mine = rounds.filter(({ candidate }) => candidate === name)
  const quiet = mine.filter(isQuiet)
  const least = Math.min(3, wanted)
  return quiet.length >= least ? quiet : mine.toSorted((a, b) => a.others - b.others).slice(0, least)
}

function toFigures(rounds: readonly Round[]): readonly Figure[] {
  const candidate = rounds[0]?.candidate ?? ''
  return Object.keys(rounds[0]?.figures ?? {}).map((figure) => {
    const values = rounds.flatMap(({ figures }) => figures[figure] ?? [])
    const [q1, q3] = quartiles(values)
    return { candidate, figure, median: median(values), q1, q3, rounds: values.length }
  })
}
