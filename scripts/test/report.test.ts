import assert from 'node:assert/strict'
import test from 'node:test'
import type { FileRun } from './file-result.ts'
import { createReport } from './report.ts'

function fileOf(path: string, cpuMs: number | undefined): FileRun {
  const result = { name: 'one', ok: true, ms: 1, skipped: undefined, diagnostics: {} }
  const process = { index: 0, group: { files: [path] }, ms: 1, filtered: false, ended: undefined, output: '' }
  return { ...process, path, tests: [result], announced: 1, cpuMs }
}

function printed(files: readonly FileRun[]): string {
  const lines: string[] = []
  const report = createReport({ verbose: false, print: (line) => lines.push(line) })
  for (const file of files) report.add(file)
  report.finish()
  return lines.join('\n')
}

test('CON9: every file above 15 s of processor time is named, dearest first, however many there are', () => {
  const costly = Array.from({ length: 12 }, (_, n) => fileOf(`costly-${n}`, 15_001 + n * 1_000))
  const out = printed([...costly, fileOf('cheap', 15_000), fileOf('unknown', undefined)])
  const [, named = ''] = out.split('\nFiles above 15.0 s of processor time:\n')
  const paths = named.match(/\S+$/gm)?.filter((path) => /^(?:costly|cheap|unknown)/.test(path))
  assert.deepEqual(paths, costly.map(({ path }) => path).toReversed())
})

test('CON9: a run without such files has no such list', () => {
  assert.doesNotMatch(printed([fileOf('a', 15_000), fileOf('b', 1)]), /Files above/)
})
