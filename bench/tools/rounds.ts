import { setTimeout as sleep } from 'node:timers/promises'
import { median, quartiles } from './statistics.ts'
import { cpuOf, machineCpu } from './process-figures.ts'

/** One thing to measure; every round runs it once and gets figures by name. */
export interface Candidate {
  readonly name: string
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

/** What came of the rounds; `busy` is true when too few were quiet and the quietest stand in for them. */
export interface Measured {
  readonly figures: readonly Figure[]
  readonly kept: number
  readonly dropped: number
  readonly busy: boolean
  /** What a reader of the table must know, such as a control that was left out. */
  readonly notes?: readonly string[]
}

/** How many quiet rounds of each candidate are wanted, and after how many the measuring ends. */
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

/** Runs the candidates in turn (A B, B A, A B): what the machine does meanwhile falls on all of them alike. */
export async function interleave(candidates: readonly Candidate[], planned: Effort): Promise<Measured> {
  const effort = asked() ?? planned
  const rounds: Round[] = []
  const quiet = (name: string): readonly Round[] => rounds.filter((one) => one.candidate === name && isQuiet(one))
  const enough = (): boolean => candidates.every(({ name }) => quiet(name).length >= effort.rounds)
  for (let turn = 0; turn < effort.most && !enough(); turn++)
    for (const candidate of turn % 2 === 0 ? candidates : candidates.toReversed()) rounds.push(await runOne(candidate))
  const chosen = candidates.map(({ name }) => choose(rounds, name, effort.rounds))
  const kept = chosen.reduce((sum, { length }) => sum + length, 0)
  return {
    figures: chosen.flatMap(toFigures),
    kept,
    dropped: rounds.length - kept,
    busy: chosen.flat().some((round) => !isQuiet(round)),
  }
}

// For a look, or where the machine is never quiet: that many rounds and no more.
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
  // Ticks are 10 ms: over a short round the difference may come out below nothing.
  const round = { candidate: candidate.name, others: Math.max(0, others / micros), figures }
  const text = Object.entries(figures).map(([name, value]) => `${name} ${value.toPrecision(4)}`)
  process.stderr.write(`  ${candidate.name}: ${text.join(', ')} (others ${round.others.toFixed(2)} core)\n`)
  return round
}

// At most five seconds: on a machine that is never quiet the rounds are dropped and counted instead.
async function waitForQuiet(): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const [before, own] = [machineCpu(), cpuOf(process.pid)]
    await sleep(250)
    if (machineCpu() - before - (cpuOf(process.pid) - own) < quietCores * 250_000) return
  }
}

// The quiet ones; where there are fewer than three, the three quietest, and the result says so.
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
