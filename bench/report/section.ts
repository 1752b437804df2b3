import type { Goal } from '../tools/bench.ts'
import type { Result } from './result.ts'

const databases = {
  fresh: 'The database was fresh: the measured process migrated it.',
  filled: 'The database was filled before.',
} as const

/** Renders a bench's section as Markdown: every figure, and the state of its goals. */
export function toSection({ name, title, database, figures, goals, ...rounds }: Result): string {
  const rows = figures.map(
    ({ candidate, figure, median, q1, q3, rounds: count }) =>
      `| ${candidate} | ${figure} | ${toText(median)} | ${toText(q1)} - ${toText(q3)} | ${count} |`,
  )
  const busy = rounds.busy ? '; the machine was busy: the quietest were kept' : ''
  const store = database === undefined ? [] : [databases[database]]
  const notes = [`${rounds.kept} rounds kept, ${rounds.dropped} dropped${busy}.`, ...store, ...(rounds.notes ?? [])]
  const verdicts = goals.map((goal) => `- ${goal.met ? 'met' : '**missed**'}: ${goal.text}: ${toVerdict(goal)}`)
  return [
    `### ${name}`,
    `${title}.`,
    ['| what | figure | median | quartiles | rounds |', '|---|---|--:|--:|--:|', ...rows].join('\n'),
    notes.join(' '),
    ...(verdicts.length === 0 ? [] : [verdicts.join('\n')]),
  ].join('\n\n')
}

/** The bound of a goal. */
export function toBound({ limit, atLeast }: Goal): string {
  return `${atLeast === true ? '>=' : '<='} ${limit}`
}

/** Formats a number with three significant digits. */
export function toText(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}

function toVerdict(goal: Goal): string {
  return `${toText(goal.value)} (goal ${toBound(goal)})`
}
