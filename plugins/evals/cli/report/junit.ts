import type { EvalReport } from './report.ts'

type ReportedCase = EvalReport['cases'][number]

/** A report as JUnit XML, with one testcase for each case. A report without cases has one testcase, with its error. */
export function toJunit(report: EvalReport): string {
  const { namespace, name } = report.candidate
  const title = `${namespace}/${name}`
  const outcomes = report.cases.length === 0 ? ['error'] : report.cases.map(outcomeOf)
  const count = (outcome: string): number => outcomes.filter((one) => one === outcome).length
  const counts = attributes({ tests: outcomes.length, failures: count('failure'), errors: count('error') })
  const time = secondsOf(report)
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites${attributes({ name: 'meshctl eval' })}${counts}>
  <testsuite${attributes({ name: title })}${counts}${time === undefined ? '' : attributes({ time })}>
${properties(report)}${testcases(report, title)}  </testsuite>
</testsuites>
`
}

function properties({ decision, score, minScore, phase, reason, suite, dataset, baseline }: EvalReport): string {
  const named = { decision, score, minScore, phase, reason, suite, dataset, baselineScore: baseline?.score ?? null }
  const lines = Object.entries(named)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `      <property${attributes({ name, value: String(value) })}/>\n`)
  return `    <properties>\n${lines.join('')}    </properties>\n`
}

function testcases(report: EvalReport, title: string): string {
  const { cases, message, reason } = report
  if (cases.length > 0) return cases.map((one) => testcase(one, title, report.minScore)).join('')
  const error = element('error', { type: reason ?? 'Error', message: message ?? 'no case was evaluated' }, '')
  return `    <testcase${attributes({ classname: title, name: 'evaluation' })}>${error}</testcase>\n`
}

function outcomeOf({ passed, error }: ReportedCase): 'passed' | 'failure' | 'error' {
  if (error !== null || passed === null) return 'error'
  return passed ? 'passed' : 'failure'
}

function testcase(one: ReportedCase, classname: string, minScore: number): string {
  const head = `    <testcase${attributes({ classname, name: one.caseId })}`
  const outcome = outcomeOf(one)
  if (outcome === 'passed') return `${head}/>\n`
  const { score, error } = one
  const about =
    outcome === 'error'
      ? { type: 'NoScore', message: error ?? 'the case has no score' }
      : { type: 'ScoreTooLow', message: `score ${score}; required are ${minScore} and the thresholds of evaluators` }
  return `${head}>${element(outcome, about, detailsOf(one))}</testcase>\n`
}

function detailsOf({ scores, runIds }: ReportedCase): string {
  const notes = scores.map(({ evaluator, repetition, score, note }) =>
    [`${evaluator} (${repetition}): ${score}`, ...(note === null ? [] : [note])].join(' '),
  )
  return [...notes, ...runIds.map((id) => `run ${id}`)].join('\n')
}

function secondsOf({ startedAt, finishedAt }: EvalReport): string | undefined {
  if (startedAt === null || finishedAt === null) return undefined
  return ((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000).toFixed(3)
}

function element(name: string, given: Readonly<Record<string, string>>, text: string): string {
  return `<${name}${attributes(given)}>${escape(text)}</${name}>`
}

function attributes(given: Readonly<Record<string, string | number>>): string {
  return Object.entries(given)
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`)
    .join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
}
// What XML 1.0 cannot have at all, and what acts on a terminal.
const unsafe =
  /[^\n\t\u0020-\u007e\u00a0-\u200d\u2010-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

function escape(text: string): string {
  return text.replaceAll(unsafe, '\ufffd').replaceAll(/[&<>"\n\t]/g, (one) => entities[one] ?? one)
}
