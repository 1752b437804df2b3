import { relative } from 'node:path'
import type { FileRun, TestResult } from './file-result.ts'

/**
 * Results of each file that ran in one process, by the suite of the file. Undefined if the process ended early or with an error outside of its tests,
 * since the responsible file is unknown.
 */
export function splitGroup(run: FileRun, files: readonly string[], root: string): readonly FileRun[] | undefined {
  const { tests, announced, ended } = run
  const failed = tests.some(isFailure)
  if (announced !== tests.length || ended !== (failed ? 1 : undefined)) return undefined
  const all = run.tests.reduce((sum, one) => sum + one.ms, 0)
  const split = files.map((file) => {
    const prefix = `${file} > `
    const own = tests.flatMap((one) =>
      one.name.startsWith(prefix) ? [{ ...one, name: one.name.slice(prefix.length) }] : [],
    )
    const ms = own.reduce((sum, one) => sum + one.ms, 0)
    const path = relative(root, file)
    const group = { ...run.group, files: [file] }
    // Files ran sequentially, so each has about its share of the time.
    const cpuMs = run.cpuMs === undefined || all === 0 ? undefined : (run.cpuMs * ms) / all
    return {
      ...run,
      cpuMs,
      group,
      tests: own,
      announced: own.length,
      path,
      ms,
      ended: own.some(isFailure) ? 1 : undefined,
    }
  })
  return split.reduce((sum, one) => sum + one.tests.length, 0) === tests.length ? split : undefined
}

function isFailure({ ok, skipped }: TestResult): boolean {
  return !ok && skipped === undefined
}
