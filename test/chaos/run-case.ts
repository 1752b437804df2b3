import type { Scope } from '#test/harness/scope.ts'
import type { CaseOptions, CaseResult, ChaosCase, Form } from './case.ts'
import { createScope } from './closing-scope.ts'
import type { Ran } from './table.ts'

/** Options of the runner; `count` overrides that of the form. */
export interface RunOptions extends Pick<CaseOptions, 'seed' | 'whole'> {
  readonly count?: number | undefined
  readonly form: Form
}

/** Thrown by a case or a server if this machine cannot run it. */
export class NotHere extends Error {}

/** Runs one case in its own scope. A failure becomes part of the result, with the command to repeat it. */
export async function runCase(name: string, given: ChaosCase, options: RunOptions): Promise<Ran> {
  const started = performance.now()
  const scope = createScope()
  const outcome = await attempt(given, scope, options)
  const closing = await scope.close().then(
    () => undefined,
    (error: unknown) => error,
  )
  const about = { name, ids: given.ids, title: given.title, seconds: (performance.now() - started) / 1_000 }
  if ('result' in outcome && closing === undefined) return { ...about, result: outcome.result }
  const error = 'error' in outcome ? outcome.error : closing
  if (error instanceof NotHere) return { ...about, skipped: error.message }
  return { ...about, failure: `${textOf(error)}. Repeat it: npm run chaos -- ${name} --seed ${options.seed}` }
}

async function attempt(
  given: ChaosCase,
  scope: Scope,
  { form, count = given.counts[form], ...rest }: RunOptions,
): Promise<{ readonly result: CaseResult } | { readonly error: unknown }> {
  try {
    return { result: await given.run(scope, { ...rest, count, short: form === 'short' }) }
  } catch (error) {
    return { error }
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : ` (${textOf(error.cause)})`
  return `${error.message.split('\n').slice(0, 12).join(' ')}${cause}`
}
