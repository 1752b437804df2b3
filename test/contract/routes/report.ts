import { forms } from '#test/flows/platform.ts'
import type { Form } from '../../flows/platform/running-platform.ts'
import type { SummaryLine } from './summary.ts'

const shown = ['cells', 'allowed', 'denied', 'unauthenticated', 'other'] as const

const titles: Readonly<Record<Form, string>> = {
  embedded: 'Embedded: one process on the embedded API server and PGlite',
  cluster: 'Cluster: a process for each role on kube-apiserver, PostgreSQL and NATS',
}

/** Renders the summary of a complete run as Markdown: one table per form, one line per category. The output is deterministic. */
export function toMarkdown(lines: readonly SummaryLine[]): string {
  const tables = forms.flatMap(({ form }) => {
    const own = mergeLines(lines.filter((line) => line.form === form))
    return own.length === 0 ? [] : [`## ${titles[form]}`, '', ...toTable(own), '']
  })
  return [...head, ...tables].join('\n').trimEnd() + '\n'
}

const head = [
  '# Authorization matrix',
  '',
  'Written by `npm run test:authz -- --write`. Every mounted route is asked with every credential about every target; what must be answered is',
  'computed by asking the API server the same with the same credential. `other` is allowed, and then not found or in conflict. A mismatch is',
  'an answer other than the computed one, a caller other than the credential in the audit log of the API server, a change after a denial, or a',
  'denied mutation that is not in exactly one audit row. `changes` are random changes of RBAC, `flipped` the questions whose answer they changed.',
  'What the shipped roles grant is in [rights](rights.md).',
  '',
]

function mergeLines(lines: readonly SummaryLine[]): readonly SummaryLine[] {
  const merged = new Map<string, SummaryLine>()
  for (const line of lines) {
    const known = merged.get(line.category)
    merged.set(line.category, known === undefined ? line : add(known, line))
  }
  return [...merged.values()]
}

function add(a: SummaryLine, b: SummaryLine): SummaryLine {
  const names = new Set([...Object.keys(a.columns), ...Object.keys(b.columns)])
  const columns = Object.fromEntries([...names].map((name) => [name, (a.columns[name] ?? 0) + (b.columns[name] ?? 0)]))
  return { ...a, columns, mismatches: a.mismatches + b.mismatches }
}

function toTable(lines: readonly SummaryLine[]): readonly string[] {
  const isShown = (name: string): boolean => shown.some((one) => one === name)
  const rows = lines.map(({ category, columns, mismatches }) => {
    const more = Object.entries(columns).filter(([name]) => !isShown(name))
    const cells = [...shown.map((name) => String(columns[name] ?? '')), String(mismatches)]
    return `| ${[category, ...cells, more.map(([name, count]) => `${count} ${name}`).join(', ')].join(' | ')} |`
  })
  return [
    `| category | ${shown.join(' | ')} | mismatches | besides |`,
    `|---|${'---:|'.repeat(shown.length + 1)}---|`,
    ...rows,
  ]
}
