import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { figureOf, isMet } from '../tools/bench.ts'
import type { Bench, Goal } from '../tools/bench.ts'
import type { Measured } from '../tools/rounds.ts'
import type { Machine } from './machine.ts'

/** Content of bench/results for one bench. */
export interface Result extends Measured {
  readonly name: string
  readonly title: string
  readonly database?: 'fresh' | 'filled'
  /** ISO 8601, UTC. */
  readonly date: string
  readonly machine: Machine
  readonly goals: readonly (Goal & { readonly met: boolean })[]
}

/** Compares the measurement with the bench's goals. */
export function toResult(name: string, bench: Bench, measured: Measured, machine: Machine): Result {
  const has = (candidate: string): boolean => measured.figures.some((one) => one.candidate === candidate)
  const goals = bench.goals(figureOf(measured.figures), has).map((goal) => ({ ...goal, met: isMet(goal) }))
  const store = bench.database === undefined ? {} : { database: bench.database }
  return { name, title: bench.title, ...store, date: new Date().toISOString(), machine, ...measured, goals }
}

/** Results in a folder, by the order of names; a bench that never ran has none. */
export function readResults(folder: string, names: readonly string[]): readonly Result[] {
  const files = names.map((name) => join(folder, `${name}.json`))
  return files.filter((file) => existsSync(file)).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Result)
}
