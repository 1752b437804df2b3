import type { CliInput } from '#cli/contract/command.ts'
import { toSafeJson, toSafeText } from '#cli/contract/safe-text.ts'
import { toJunit } from './junit.ts'
import type { EvalReport } from './report.ts'

/** Formats of a report. */
export const reportFormats = ['json', 'junit'] as const

/** Prints a report to `out`, and its verdict to `err`. */
export function printReport(
  { out, err, style }: Pick<CliInput, 'out' | 'err' | 'style'>,
  report: EvalReport,
  format: (typeof reportFormats)[number],
): void {
  out(format === 'junit' ? toJunit(report) : `${toSafeJson(JSON.stringify(report, undefined, 2))}\n`)
  const { decision, score, minScore, counts, candidate, phase, message } = report
  if (phase === null) return
  const title = toSafeText(`${candidate.namespace}/${candidate.name}`)
  const { passed, total } = counts
  if (decision === 'error') {
    err(`${title}: ${style.err.yellow(phase)}. ${toSafeText(message ?? '')}\n`)
    return
  }
  const verdict = decision === 'pass' ? style.err.green(decision) : style.err.red(decision)
  err(`${title}: ${verdict}, score ${score} of ${minScore} required; ${passed} of ${total} cases passed\n`)
}
