import type { Scope } from '#test/harness/scope.ts'
import { startOnPglite, startOnPostgres, startRoles } from './forms.ts'
import type { MeasuredPlatform } from './forms.ts'

const forms = { PostgreSQL: startOnPostgres, PGlite: startOnPglite, 'process per role': startRoles }

/** Names of the forms to measure; BENCH_FORM selects one. */
export const formNames = Object.keys(forms).filter((name) => (process.env['BENCH_FORM'] ?? name) === name)

/** Starts the forms to measure, one after the other. */
export async function openForms(
  t: Scope,
): Promise<readonly { readonly form: string; readonly platform: MeasuredPlatform }[]> {
  const opened: { form: string; platform: MeasuredPlatform }[] = []
  for (const [form, start] of Object.entries(forms))
    if (formNames.includes(form)) opened.push({ form, platform: await start(t) })
  if (opened.length === 0) throw new Error(`BENCH_FORM: one of ${Object.keys(forms).join(', ')}`)
  return opened
}
