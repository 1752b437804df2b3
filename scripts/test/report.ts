import { inFull, inShort, resultOf } from './failures.ts'
import type { Failure, FileResult } from './failures.ts'
import type { FileRun } from './file-result.ts'

/** Numbers of tests by result. */
export interface Outcome {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Prints a line per file as it ends, then failures, the slowest files, failures in short, and `N passed, N failed`. */
export interface Report {
  add(run: FileRun): void
  /** Adds the second run of a file: failures of the first run are flaky if the second has none; otherwise the failures of both remain. */
  addAgain(first: FileRun, second: readonly FileRun[]): void
  /** Number of failures so far. */
  failed(): number
  failedRuns(): readonly FileRun[]
  finish(): Outcome
}

// Processor time above which a file is always listed.
const costlyMs = 15_000

/** Creates a report. */
export function createReport(options: { readonly verbose: boolean; print(line: string): void }): Report {
  const results = new Map<FileRun, FileResult>()
  const flaky: Failure[] = []
  const times: FileRun[] = []
  const print = (run: FileRun): FileResult => {
    const result = resultOf(run)
    times.push(run)
    options.print(lineOf(run, result))
    for (const { name, skipped } of result.skipped)
      options.print(`     SKIPPED ${name}${skipped ? `: ${skipped}` : ''}`)
    if (options.verbose) options.print(detailsOf(run))
    return result
  }
  const finish = (): Outcome => {
    const all = [...results.values()]
    const failures = all.flatMap((one) => one.failures)
    const details = listed('Failures', failures) + listed('Failures of tests that passed in their second run', flaky)
    if (details !== '') options.print(details)
    if (times.length > 1) options.print(`\nSlowest files:\n${longest(times)}\n\n${dearest(times)}`)
    // Printed last, since logs are often truncated at the beginning.
    for (const one of failures) options.print(`FAILED ${inShort(one)}`)
    for (const one of flaky) options.print(`FLAKY ${inShort(one)}`)
    if (flaky.length > 0) options.print(`${flaky.length} flaky`)
    const total = sumOf(all)
    const skipped = total.skipped === 0 ? '' : `, ${total.skipped} skipped`
    options.print(`${total.passed} passed, ${total.failed} failed${skipped}`)
    return total
  }
  return {
    add: (run) => void results.set(run, print(run)),
    addAgain: (first, second) => {
      const before = results.get(first) ?? resultOf(first)
      const after = second.map(print)
      const failures = after.flatMap((one) => one.failures)
      if (failures.length === 0) flaky.push(...before.failures)
      results.set(first, failures.length > 0 ? failedTwice(before, failures) : passedAgain(first, after))
    },
    failed: () => sumOf([...results.values()]).failed,
    failedRuns: () => [...results].filter(([, { failed }]) => failed > 0).map(([run]) => run),
    finish,
  }
}

// A test that failed twice is one failure, with the details of both.
function failedTwice(first: FileResult, second: readonly Failure[]): FileResult {
  const again = second.map((one) => ({ ...one, title: `${one.title} (second run)` }))
  return { ...first, failures: [...first.failures, ...again] }
}

// Files that failed only in a shared process were counted individually before.
function passedAgain({ group }: FileRun, [one, ...others]: readonly FileResult[]): FileResult {
  const isOne = one !== undefined && others.length === 0 && group.files.length === 1
  return isOne ? one : { passed: 0, failed: 0, skipped: [], failures: [] }
}

function sumOf(results: readonly FileResult[]): Outcome {
  const sum = (count: (one: FileResult) => number): number => results.reduce((all, one) => all + count(one), 0)
  return {
    passed: sum((one) => one.passed),
    failed: sum((one) => one.failed),
    skipped: sum((one) => one.skipped.length),
  }
}

function listed(title: string, failures: readonly Failure[]): string {
  return failures.length === 0 ? '' : `\n${title}:\n\n${failures.map(inFull).join('\n\n')}\n`
}

function lineOf({ path, ms, cpuMs }: FileRun, { passed, failed, skipped }: FileResult): string {
  const marks = [
    `${passed} passed`,
    failed > 0 && `${failed} FAILED`,
    skipped.length > 0 && `${skipped.length} skipped`,
  ]
  const cost = cpuMs === undefined ? '' : `, ${seconds(cpuMs)} of CPU`
  return `${failed > 0 ? 'FAIL' : 'ok  '} ${path} (${marks.filter(Boolean).join(', ')}, ${seconds(ms)}${cost})`
}

function detailsOf({ tests, output }: FileRun): string {
  const lines = tests.map(({ name, ok, ms }) => `  ${ok ? 'ok' : 'not ok'} ${name} (${seconds(ms)})`)
  return [...lines, output.trimEnd()].join('\n').trimEnd()
}

function dearest(times: readonly FileRun[]): string {
  const measured = times.flatMap(({ path, cpuMs }) => (cpuMs === undefined ? [] : [{ path, ms: cpuMs }]))
  if (measured.length === 0) return ''
  const costly = measured.filter(({ ms }) => ms > costlyMs)
  const named =
    costly.length === 0 ? '' : `\nFiles above ${seconds(costlyMs)} of processor time:\n${longest(costly, Infinity)}\n`
  const sum = measured.reduce((all, { ms }) => all + ms, 0)
  return `Most processor time, of ${seconds(sum)} without shared servers:\n${longest(measured)}\n${named}`
}

function longest(times: readonly { readonly path: string; readonly ms: number }[], most = 10): string {
  return times
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, most)
    .map(({ path, ms }) => `  ${seconds(ms).padStart(8)} ${path}`)
    .join('\n')
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
