import { relative } from 'node:path'
import type { EventData, TestsStream } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'

/** How many tests ended how; suites and files are not counted, a file that crashes is one failure. */
export interface Outcome {
  passed: number
  failed: number
  skipped: number
}

interface FileState extends Outcome {
  output: string[]
  failures: (() => string)[]
  skips: string[]
}

/** Prints a line for each file, the reasons of failures and skips, and at last `N passed, N failed`. */
export async function report(
  stream: TestsStream,
  options: { root: URL; verbose: boolean; onFailure: () => void },
): Promise<Outcome> {
  const files = new Map<string, FileState>()
  const total: Outcome = { passed: 0, failed: 0, skipped: 0 }
  const failures: (() => string)[] = []
  const root = fileURLToPath(options.root)
  for await (const event of stream as AsyncIterable<TestEvent>) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr')
      stateOf(files, event.data.file).output.push(event.data.message)
    if (event.type === 'test:diagnostic' && event.data.file !== undefined && options.verbose) {
      stateOf(files, event.data.file).output.push(`  ${event.data.message}\n`)
    }
    if (event.type !== 'test:complete' || event.data.file === undefined) continue
    const { data } = event
    // A test in an imported helper still belongs to the file that node was started with.
    const file = ('entryFile' in data && typeof data.entryFile === 'string' ? data.entryFile : data.file) ?? ''
    const state = stateOf(files, file)
    if (data.name !== file) {
      count(state, data, options.verbose)
      if (state.failed > 0) options.onFailure()
      continue
    }
    finishFile(state, data)
    console.log(fileLines(relative(root, file), state, data.details.duration_ms, options.verbose))
    failures.push(...state.failures.map((failure) => () => `${relative(root, file)} > ${failure()}`))
    for (const key of ['passed', 'failed', 'skipped'] as const) total[key] += state[key]
  }
  if (failures.length > 0) console.log(`\nFailures:\n\n${failures.map((failure) => failure()).join('\n\n')}\n`)
  const skipped = total.skipped === 0 ? '' : `, ${total.skipped} skipped`
  console.log(`${total.passed} passed, ${total.failed} failed${skipped}`)
  return total
}

function stateOf(files: Map<string, FileState>, file: string): FileState {
  const known = files.get(file)
  if (known !== undefined) return known
  const created: FileState = { passed: 0, failed: 0, skipped: 0, output: [], failures: [], skips: [] }
  files.set(file, created)
  return created
}

function count(state: FileState, data: EventData.TestComplete, verbose: boolean): void {
  if (verbose) state.output.push(`  ${data.details.passed ? 'ok' : 'not ok'} ${data.name}\n`)
  if (data.skip !== undefined) {
    state.skipped++
    state.skips.push(`${data.name}${typeof data.skip === 'string' ? `: ${data.skip}` : ''}`)
  } else if (!data.details.passed) {
    // The parent of a failed test says nothing that the test itself did not.
    if (failureType(data) === 'subtestsFailed') return
    state.failed++
    state.failures.push(() => `${data.name}\n${explain(data)}`)
  } else if (data.details.type !== 'suite') {
    state.passed++
  }
}

// A file that dies outside its tests (a syntax error, an exit code, a time-out) has no failed test of its own to show it.
function finishFile(state: FileState, data: EventData.TestComplete): void {
  const crashed = !data.details.passed && state.failed === 0 && failureType(data) !== 'subtestsFailed'
  const empty = data.details.passed && state.passed + state.failed + state.skipped === 0
  if (!crashed && !empty) return
  state.failed++
  // What it printed may come after the news of its end, so the text is made last.
  state.failures.push(() =>
    empty ? 'the file has no test' : `the file failed outside its tests\n${state.output.join('')}`,
  )
}

function fileLines(path: string, state: FileState, ms: number, verbose: boolean): string {
  const marks = [
    `${state.passed} passed`,
    state.failed > 0 && `${state.failed} FAILED`,
    state.skipped > 0 && `${state.skipped} skipped`,
  ]
  const line = `${state.failed > 0 ? 'FAIL' : 'ok  '} ${path} (${marks.filter(Boolean).join(', ')}, ${(ms / 1000).toFixed(1)} s)`
  const skips = state.skips.map((skip) => `\n     SKIPPED ${skip}`).join('')
  const output = verbose ? `\n${state.output.join('').trimEnd()}`.trimEnd() : ''
  return `${line}${skips}${output}`
}

function failureType(data: EventData.TestComplete): unknown {
  const { error } = data.details
  return error !== undefined && 'failureType' in error ? error.failureType : undefined
}

function explain(data: EventData.TestComplete): string {
  const { error } = data.details
  const at = data.line === undefined ? '' : `    at line ${data.line}\n`
  // The runner's own frames say nothing about the test.
  const text = inspect(error?.cause ?? error, { depth: 6 }).replaceAll(/^ +at .*\(?node:internal\/.*\n/gm, '')
  return `${at}${text.replaceAll(/^/gm, '    ')}`
}
