import type { Parser, Result } from 'tap-parser'
import type { Group } from './group-tests.ts'

/** One test of a file, with the names of its parents. */
export interface TestResult {
  readonly name: string
  readonly ok: boolean
  readonly ms: number
  /** Reason of a skip, possibly empty; undefined if it was not skipped. */
  readonly skipped: string | undefined
  /** Failure details of node:test: message with a diff, stack, location. */
  readonly diagnostics: Readonly<Record<string, unknown>>
}

/** Tests of one file according to its TAP output. */
export interface FileTests {
  readonly tests: readonly TestResult[]
  /** Number of tests announced by the process; undefined if its output ended before. */
  readonly announced: number | undefined
  /** Processor time of the process and its children, in milliseconds; undefined if the system does not report it. */
  readonly cpuMs: number | undefined
}

/** Result of one file. */
export interface FileRun extends FileTests {
  readonly index: number
  /** The group that runs the file again. */
  readonly group: Group
  readonly path: string
  readonly ms: number
  /** Whether only tests with a matching name ran, so that there may be none. */
  readonly filtered: boolean
  /** Exit code or signal of its process, unless 0. */
  readonly ended: number | string | undefined
  /** Output of the file and its children. */
  readonly output: string
}

/** Collects the tests of a TAP stream. Suites are not tests, and a parent that failed only because of its children is not a failure. */
export function collectTests(parser: Parser): FileTests {
  const tests: TestResult[] = []
  const found: { announced?: number; cpuMs?: number } = {}
  const follow = (one: Parser, parents: readonly string[]): void => {
    one.on('child', (child) => follow(child, [...parents, child.name]))
    one.on('assert', (result) => {
      if (diagnosticsOf(result)['type'] !== 'suite') tests.push(toTest(result, parents))
    })
  }
  follow(parser, [])
  parser.on('comment', (comment) => {
    const [, count] = /^# tests (\d+)\n$/.exec(comment) ?? []
    if (count !== undefined) found.announced = Number(count)
    const [, ticks] = /^# processor time (\d+)\n$/.exec(comment) ?? []
    if (ticks !== undefined) found.cpuMs = Number(ticks) * 10
  })
  return {
    tests,
    get announced() {
      return found.announced
    },
    get cpuMs() {
      return found.cpuMs
    },
  }
}

/** Whether a parent reports only that one of its children failed. */
export function failedByChildren({ ok, diagnostics }: TestResult): boolean {
  return !ok && diagnostics['failureType'] === 'subtestsFailed'
}

function toTest(result: Result, parents: readonly string[]): TestResult {
  return {
    name: [...parents, result.name].join(' > '),
    ok: result.ok,
    ms: result.time ?? 0,
    skipped: result.skip === false ? undefined : result.skip === true ? '' : result.skip,
    diagnostics: diagnosticsOf(result),
  }
}

function diagnosticsOf(result: Result): Readonly<Record<string, unknown>> {
  return (result.diag ?? {}) as Readonly<Record<string, unknown>>
}
