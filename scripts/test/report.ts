import { failedByChildren } from './file-result.ts'
import type { FileRun, TestResult } from './file-result.ts'

/** Numbers of tests by result. Suites and files are not counted; a crashed file is one failure. */
export interface Outcome {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Prints a line per file as it ends, then failures, the slowest files and `N passed, N failed`. */
export interface Report {
  add(run: FileRun): void
  /** Number of failures so far. */
  failed(): number
  finish(): Outcome
}

/** Creates a report. */
export function createReport(options: { readonly verbose: boolean; print(line: string): void }): Report {
  const total = { passed: 0, failed: 0, skipped: 0 }
  const failures: string[] = []
  const times: { readonly path: string; readonly ms: number }[] = []
  const add = (run: FileRun): void => {
    const own = run.tests.filter((test) => !failedByChildren(test))
    const skipped = own.filter((test) => test.skipped !== undefined)
    const passed = own.filter((test) => test.skipped === undefined && test.ok).length
    const found = [...own.filter((test) => test.skipped === undefined && !test.ok).map(explain), ...faultsOf(run)]
    total.passed += passed
    total.failed += found.length
    total.skipped += skipped.length
    failures.push(...found.map((text) => `${run.path} > ${text}`))
    times.push(run)
    options.print(lineOf(run, { passed, failed: found.length, skipped: skipped.length }))
    for (const { name, skipped: reason } of skipped) options.print(`     SKIPPED ${name}${reason ? `: ${reason}` : ''}`)
    if (options.verbose) options.print(detailsOf(run))
  }
  const finish = (): Outcome => {
    if (failures.length > 0) options.print(`\nFailures:\n\n${failures.join('\n\n')}\n`)
    if (times.length > 1) options.print(slowest(times))
    const skipped = total.skipped === 0 ? '' : `, ${total.skipped} skipped`
    options.print(`${total.passed} passed, ${total.failed} failed${skipped}`)
    return total
  }
  return { add, failed: () => total.failed, finish }
}

/** Faults of a file besides failed tests: it crashed, its results are incomplete, or it has no test. */
function faultsOf(run: FileRun): string[] {
  const { tests, announced, ended, filtered, output } = run
  const printed = output.trimEnd().split('\n').slice(-40).join('\n')
  const neverBegan = announced === undefined && tests.length === 0
  if (typeof ended === 'number' && (neverBegan || (announced === tests.length && !tests.some(isFailure))))
    return [`the file failed outside its tests (${ended})\n${printed}`]
  if (announced === 0 && !filtered) return ['the file has no test']
  if (announced !== tests.length) {
    const results = announced === undefined ? `has none, after ${tests.length} results` : `lost some of ${announced}`
    return [`the file ended (${ended ?? 0}) before its tests did, or ${results}\n${printed}`]
  }
  if (ended !== undefined && !tests.some(isFailure)) return [`the file ended (${ended}) after its tests\n${printed}`]
  return []
}

function isFailure({ ok, skipped }: TestResult): boolean {
  return !ok && skipped === undefined
}

function lineOf({ path, ms }: FileRun, { passed, failed, skipped }: Outcome): string {
  const marks = [`${passed} passed`, failed > 0 && `${failed} FAILED`, skipped > 0 && `${skipped} skipped`]
  return `${failed > 0 ? 'FAIL' : 'ok  '} ${path} (${marks.filter(Boolean).join(', ')}, ${seconds(ms)})`
}

function detailsOf({ tests, output }: FileRun): string {
  const lines = tests.map(({ name, ok, ms }) => `  ${ok ? 'ok' : 'not ok'} ${name} (${seconds(ms)})`)
  return [...lines, output.trimEnd()].join('\n').trimEnd()
}

function explain({ name, diagnostics }: TestResult): string {
  const { location, error, stack } = diagnostics
  const lines = [typeof location === 'string' ? `at ${location}` : '', toText(error), ownFrames(toText(stack))]
  return `${name}\n${lines
    .filter((line) => line !== '')
    .join('\n')
    .replaceAll(/^/gm, '    ')}`
}

// The runner's own frames are irrelevant to the test.
function ownFrames(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => line !== '' && !line.includes('node:internal/'))
    .map((line) => `at ${line.replace(/^\s*at /, '')}`)
    .join('\n')
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

function slowest(times: readonly { readonly path: string; readonly ms: number }[]): string {
  const lines = times
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 10)
    .map(({ path, ms }) => `  ${seconds(ms).padStart(8)} ${path}`)
  return `\nSlowest files:\n${lines.join('\n')}\n`
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
