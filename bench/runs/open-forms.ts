import { processScope } from '../tools/scope.ts'
import { startOnPglite, startOnPostgres, startRoles } from './forms.ts'
import type { MeasuredPlatform } from './forms.ts'

const forms = { PostgreSQL: startOnPostgres, PGlite: startOnPglite, 'process per role': startRoles }

/** Names of the forms to measure; BENCH_FORM selects one. */
export const formNames = Object.keys(forms).filter((name) => (process.env['BENCH_FORM'] ?? name) === name)

/** A form of the platform that runs. */
export interface OpenForm {
  readonly form: string
  readonly platform: MeasuredPlatform
}

let opened: Promise<readonly OpenForm[]> | undefined

/** Starts the forms to measure, once for all benches of this process. */
export function openForms(): Promise<readonly OpenForm[]> {
  opened ??= startForms()
  return opened
}

async function startForms(): Promise<readonly OpenForm[]> {
  const started: OpenForm[] = []
  for (const [form, start] of Object.entries(forms))
    if (formNames.includes(form)) started.push({ form, platform: await start(processScope) })
  if (started.length === 0) throw new Error(`BENCH_FORM: one of ${Object.keys(forms).join(', ')}`)
  return started
}
