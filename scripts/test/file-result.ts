import type { Parser, Result } from 'tap-parser'

/** One test of a file; its name is preceded by those of its parents. */
export interface TestResult {
  readonly name: string
  readonly ok: boolean
  readonly ms: number
  /** The reason, empty when none was given; undefined when it was not skipped. */
  readonly skipped: string | undefined
  /** What node:test says of a failure: message with a diff, stack, location. */
  readonly diagnostics: Readonly<Record<string, unknown>>
}

/** The tests of one file as its TAP names them. */
export interface FileTests {
  readonly tests: readonly TestResult[]
  /** How many the process says that it ran; undefined when its output ends before that. */
  readonly announced: number | undefined
}

/** Collects the tests of a TAP stream while it is parsed. Suites are not tests, and a parent that failed by its children is no failure of its own. */
export function collectTests(parser: Parser): FileTests {
  const tests: TestResult[] = []
  const found: { announced: number | undefined } = { announced: undefined }
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
  })
  return {
    tests,
    get announced() {
      return found.announced
    },
  }
}

/** Whether a parent says no more than that one of its children failed. */
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
