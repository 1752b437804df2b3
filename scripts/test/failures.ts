import { failedByChildren } from './file-result.ts'
import type { FileRun, TestResult } from './file-result.ts'

/** A failed test, or a fault of a file. */
export interface Failure {
  readonly path: string
  readonly title: string
  /** Its place, message and stack, indented. */
  readonly details: string
  /** The first line of its message. */
  readonly message: string
  /** The first frame of its stack that is not the runner's. */
  readonly place: string
}

/** Numbers of a file's tests by result, and its failures. A crashed file is one failure. */
export interface FileResult {
  readonly passed: number
  readonly failed: number
  readonly skipped: readonly TestResult[]
  readonly failures: readonly Failure[]
}

/** Result of a file. Suites and files are not counted. */
export function resultOf(run: FileRun): FileResult {
  const own = run.tests.filter((test) => !failedByChildren(test))
  const failures = [...own.filter(isFailure).map((test) => explain(run.path, test)), ...faultsOf(run)]
  return {
    passed: own.filter((test) => test.skipped === undefined && test.ok).length,
    failed: failures.length,
    skipped: own.filter((test) => test.skipped !== undefined),
    failures,
  }
}

/** A failure with its details. */
export function inFull({ path, title, details }: Failure): string {
  return `${path} > ${title}\n${details}`.trimEnd()
}

/** A failure in one line. */
export function inShort({ path, title, message, place }: Failure): string {
  const line = `${path}: ${title}${message === '' ? '' : ` - ${message}`}${place === '' ? '' : ` (${place})`}`
  return line.length > 500 ? `${line.slice(0, 500)}...` : line
}

/** Faults of a file besides failed tests: it crashed, its results are incomplete, or it has no test. */
function faultsOf(run: FileRun): Failure[] {
  const { tests, announced, ended, filtered } = run
  const neverBegan = announced === undefined && tests.length === 0
  if (typeof ended === 'number' && (neverBegan || (announced === tests.length && !tests.some(isFailure))))
    return [fault(run, `the file failed outside its tests (${ended})`)]
  if (announced === 0 && !filtered) return [{ ...fault(run, 'the file has no test'), details: '' }]
  if (announced !== tests.length) {
    const results = announced === undefined ? `has none, after ${tests.length} results` : `lost some of ${announced}`
    return [fault(run, `the file ended (${ended ?? 0}) before its tests did, or ${results}`)]
  }
  if (ended !== undefined && !tests.some(isFailure)) return [fault(run, `the file ended (${ended}) after its tests`)]
  return []
}

function fault({ path, output }: FileRun, title: string): Failure {
  const details = output.trimEnd().split('\n').slice(-40).join('\n')
  const message = details.split('\n').find((line) => /^\w*Error\b/.test(line)) ?? ''
  return { path, title, details, message, place: '' }
}

function isFailure({ ok, skipped }: TestResult): boolean {
  return !ok && skipped === undefined
}

function explain(path: string, { name, diagnostics }: TestResult): Failure {
  const { location, error, stack } = diagnostics
  const frames = ownFrames(toText(stack))
  const lines = [typeof location === 'string' ? `at ${location}` : '', toText(error), frames.join('\n')]
  const details = lines
    .filter((line) => line !== '')
    .join('\n')
    .replaceAll(/^/gm, '    ')
  const place = frames[0] ?? lines[0] ?? ''
  return { path, title: name, details, message: toText(error).split('\n')[0] ?? '', place }
}

// The runner's own frames are irrelevant to the test.
function ownFrames(stack: string): string[] {
  return stack
    .split('\n')
    .filter((line) => line !== '' && !line.includes('node:internal/'))
    .map((line) => `at ${line.replace(/^\s*at /, '')}`)
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}
