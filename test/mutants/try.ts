import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Checkout } from './checkout.ts'
import type { Mutant } from './mutant.ts'

/** Result of a mutant: detected by a failed test, not detected, or the tests failed to load. */
export type Verdict = 'killed' | 'survived' | 'broken'

/** Output of a run of tests. */
export interface Tried {
  readonly verdict: Verdict
  readonly output: string
}

/** Runs the tests of a mutant in a checkout. Without the mutant, they must return 'survived'. */
export async function tryTests(checkout: Checkout, { tests, only }: Pick<Mutant, 'tests' | 'only'>): Promise<Tried> {
  const args = [
    'scripts/test.ts',
    ...tests,
    '--timeout',
    '180',
    '--bail',
    ...(only === undefined ? [] : ['--name', only]),
  ]
  const child = spawn(process.execPath, args, {
    cwd: checkout.path,
    // A defect may show in the full counts only.
    env: { ...process.env, MESH_LONG: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const closed = once(child, 'close')
  await once(child, 'exit')
  endGroup(child.pid)
  await closed
  return { verdict: verdictOf(output), output }
}

// A test killed at its first failure leaves its child processes, which hold our pipes.
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // the group has exited
  }
}

function verdictOf(output: string): Verdict {
  const counts = /^(\d+) passed, (\d+) failed/m.exec(output)
  const [passed, failed] = [Number(counts?.[1] ?? 0), Number(counts?.[2] ?? 0)]
  // A file that fails to load proves nothing, since a compiler would detect that defect.
  const outside = output.split('the file failed outside its tests').length - 1
  if (passed + failed === 0 || (outside > 0 && failed <= outside)) return 'broken'
  return failed > 0 ? 'killed' : 'survived'
}
