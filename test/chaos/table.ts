import type { CaseResult, ChaosCase } from './case.ts'
import { isClean } from './case.ts'

/** A finished case: its result, or why it has none. */
export interface Ran {
  readonly name: string
  readonly ids: ChaosCase['ids']
  readonly title: string
  readonly seconds: number
  readonly result?: CaseResult
  readonly failure?: string
  /** Why the case could not run here. */
  readonly skipped?: string
}

/** Whether a case ran without an error; a skipped one has neither passed nor failed. */
export function passed(ran: Ran): boolean {
  if (ran.skipped !== undefined) return true
  return ran.failure === undefined && ran.result !== undefined && isClean(ran.result)
}

/** Renders the table of the suite as Markdown, with the notes of each case below. */
export function toTable(all: readonly Ran[]): string {
  const head = [
    '| case | requirements | faults | lost | duplicated | unaccounted | recovery p50 / max | seconds | result |',
    '|---|---|---|---|---|---|---|---|---|',
  ]
  const notes = all.flatMap((ran) => notesOf(ran).map((note) => `- ${ran.name}: ${note}`))
  return [...head, ...all.map(toRow), '', ...notes].join('\n')
}

function toRow(ran: Ran): string {
  const { result } = ran
  const figures =
    result === undefined
      ? ['-', '-', '-', '-', '-']
      : [
          String(result.faults),
          String(result.lost),
          String(result.duplicated),
          String(result.unaccounted),
          recovery(result.recoveryMs),
        ]
  const verdict = ran.skipped === undefined ? (passed(ran) ? 'ok' : 'FAILED') : 'NOT RUN'
  return `| ${[ran.name, ran.ids.join(', '), ...figures, ran.seconds.toFixed(0), verdict].join(' | ')} |`
}

function notesOf({ title, result, failure, skipped }: Ran): string[] {
  if (skipped !== undefined) return [`${title}. Not run: ${skipped}`]
  return [`${title}.`, ...(result?.notes ?? []), ...(failure === undefined ? [] : [`failed: ${failure}`])]
}

function recovery(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const longest = sorted.at(-1)
  if (longest === undefined) return '-'
  return `${seconds(sorted[Math.floor((sorted.length - 1) / 2)] ?? longest)} / ${seconds(longest)}`
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(1)} s`
}
