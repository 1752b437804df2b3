import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { CaseResult, ChaosCase } from './case.ts'
import { NotHere } from './run-case.ts'

/** A proof in test files beside the code, with the number of faults in an environment variable. */
export interface Proof {
  readonly ids: readonly string[]
  readonly title: string
  readonly files: readonly string[]
  /** Pattern of the tests' names. */
  readonly name: string
  /** Variable with the number of faults; without it, the tests use their own. */
  readonly variable?: string
  readonly counts: ChaosCase['counts']
  readonly minutes: number
}

const script = fileURLToPath(import.meta.resolve('../../scripts/test.ts'))

/** Creates the case that runs a proof with the suite's count. A failed test counts as one loss; its report is printed. */
export function proofCase(proof: Proof): ChaosCase {
  const { ids, title, counts, minutes } = proof
  return {
    ids,
    title,
    counts,
    minutes,
    run: async (_scope, { count }) => {
      const { passed, failed } = await runTests(proof, count)
      if (passed + failed === 0) throw new NotHere(`the tests of ${proof.files.join(' and ')} were skipped`)
      return toResult(proof, { count, passed, failed })
    },
  }
}

function toResult(
  { files, variable, counts }: Proof,
  { count, passed, failed }: { readonly count: number; readonly passed: number; readonly failed: number },
): CaseResult {
  const faults = variable === undefined ? counts.full : count
  const notes = [`${passed} tests of ${files.map((file) => `\`${file}\``).join(' and ')} passed, ${failed} failed`]
  return { faults, lost: failed, duplicated: 0, unaccounted: 0, recoveryMs: [], notes }
}

async function runTests({ files, name, variable }: Proof, count: number) {
  const child = spawn(process.execPath, [script, ...files, '--name', name, '--timeout', '3000'], {
    env: { ...process.env, ...(variable === undefined ? {} : { [variable]: String(count) }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const [, passed = '0', failed = '1'] = /^(\d+) passed, (\d+) failed/m.exec(output) ?? []
  if (failed !== '0') process.stderr.write(output)
  return { passed: Number(passed), failed: Number(failed) }
}
