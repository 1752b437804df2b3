import { errorsPage } from '#core/errors/errors-page.ts'

/** The manual of errors. */
export async function generate(): Promise<Map<string, string>> {
  return new Map([['docs/reference/errors.md', errorsPage()]])
}
