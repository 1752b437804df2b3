import { coreErrors } from '#core/errors/core-errors.ts'
import { errorsPage } from '#core/errors/errors-page.ts'
import { plugins } from '#plugins/index.ts'

/** The manual of errors. */
export async function generate(): Promise<Map<string, string>> {
  const ofPlugins = plugins.map(({ name, errors = {} }) => ({ owner: name, errors }))
  return new Map([['docs/reference/errors.md', errorsPage([{ owner: 'core', errors: coreErrors }, ...ofPlugins])]])
}
