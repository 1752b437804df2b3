import type { Figure, Measured } from './rounds.ts'

/** Export `bench` of a bench file. */
export interface Bench {
  readonly title: string
  /** Of a bench with a database: made for it and migrated by the measured process (`fresh`), or filled with rows before. */
  readonly database?: 'fresh' | 'filled'
  measure(): Promise<Measured>
  /** Compared after the rounds. A missed goal is reported without failing. `has` returns whether a control was measured. */
  goals(figureOf: FigureOf, has: (candidate: string) => boolean): readonly Goal[]
}

/** Looks up a median by candidate and figure. */
export type FigureOf = (candidate: string, figure: string) => number

/** A goal and its value: at most `limit`, or at least with `atLeast`. */
export interface Goal {
  /** Number of the hot path in docs/operations/performance.md. */
  readonly number?: number
  readonly text: string
  readonly value: number
  readonly limit: number
  readonly atLeast?: boolean
  /** Figure of the peer or floor for comparison. */
  readonly peer?: { readonly candidate: string; readonly figure: string }
}

/** Whether a goal is met. */
export function isMet({ value, limit, atLeast }: Goal): boolean {
  return atLeast === true ? value >= limit : value <= limit
}

/** Look-up in a result; an unknown name is a mistake of the bench. */
export function figureOf(figures: readonly Figure[]): FigureOf {
  return (candidate, figure) => {
    const found = figures.find((one) => one.candidate === candidate && one.figure === figure)
    if (found === undefined) throw new Error(`no figure ${figure} of ${candidate}`)
    return found.median
  }
}
