import type { Check } from './workspace.ts'

/** Result of a check: the number of steps that passed, and the first one that failed. Later steps need its result and are skipped. */
export interface CheckResult {
  readonly name: string
  readonly passed: number
  readonly failure?: { readonly step: string; readonly message: string } | undefined
}

/** Results of all checks. Flaky ones are the first runs of checks that passed in their second. */
export interface ChecksOutcome {
  readonly results: readonly CheckResult[]
  readonly flaky: readonly CheckResult[]
}

/** What runs checks again, in their own folder, and where progress is printed. */
export interface RunChecksOptions {
  /** Creates the checks for a second run of those that failed; undefined for no second run. */
  readonly again?: (() => readonly Check[]) | undefined
  print(line: string): void
}

/** Runs checks, and those that failed once more. */
export async function runChecks(checks: readonly Check[], { again, print }: RunChecksOptions): Promise<ChecksOutcome> {
  const first = await runAll(checks, print)
  const failed = new Set(first.filter(isFailed).map(({ name }) => name))
  if (again === undefined || failed.size === 0) return { results: first, flaky: [] }
  print(`second run: ${[...failed].join(', ')}`)
  const second = await runAll(
    again().filter(({ name }) => failed.has(name)),
    print,
  )
  const passed = new Set(second.filter((one) => !isFailed(one)).map(({ name }) => name))
  return {
    results: [...first.filter((one) => !isFailed(one)), ...second],
    flaky: first.filter((one) => isFailed(one) && passed.has(one.name)),
  }
}

/** Whether a step of the check failed. */
export function isFailed({ failure }: CheckResult): boolean {
  return failure !== undefined
}

/** A failure in one line, as `.ci/run` repeats it at its end. */
export function inShort({ name, failure }: CheckResult): string {
  return `clients: ${name}: ${failure?.step} - ${failure?.message.split('\n')[0]?.slice(0, 300)}`
}

// Two in parallel, since a compiler mostly uses one core.
async function runAll(checks: readonly Check[], print: (line: string) => void): Promise<readonly CheckResult[]> {
  const waiting = [...checks]
  const results: CheckResult[] = []
  const work = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift())
      results.push(await runCheck(check, print))
  }
  await Promise.all([work(), work()])
  return results
}

async function runCheck(check: Check, print: (line: string) => void): Promise<CheckResult> {
  try {
    return await runSteps(check, print)
  } finally {
    await check.end?.()
  }
}

async function runSteps({ name, steps }: Check, print: (line: string) => void): Promise<CheckResult> {
  let passed = 0
  for (const [step, run] of Object.entries(steps)) {
    const from = performance.now()
    try {
      await run()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      print(`FAIL ${name}: ${step}\n${message}`)
      return { name, passed, failure: { step, message } }
    }
    passed++
    print(`ok   ${name}: ${step} (${((performance.now() - from) / 1000).toFixed(1)} s)`)
  }
  return { name, passed }
}
