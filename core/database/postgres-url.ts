import { SettingsError } from '#core/config/settings-error.ts'
import { contentProblem } from '#core/config/check-file-content.ts'
import { hasDecodableCredentials } from '#core/net/url-credentials.ts'
import type { StoreAddress } from './session/database-errors.ts'

/** Throws `SettingsError` for an invalid PostgreSQL URL. The message never quotes it, since a part may be the password. */
// The driver accepts any text: without a scheme it is the name of a database on a host called "base".
export function refuseBadUrl({ url, setting = 'DATABASE_URL' }: StoreAddress): void {
  const parsed = URL.parse(url)
  const isPostgres = parsed?.protocol === 'postgres:' || parsed?.protocol === 'postgresql:'
  if (parsed === null || !isPostgres)
    throw new SettingsError(
      `${setting}: must be postgres://user:password@host:port/database; write special characters of the password as %XX`,
    )
  if (!hasDecodableCredentials(parsed))
    throw new SettingsError(`${setting}: user and password must be percent-encoded: write % as %25`)
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = parsed.searchParams.get(name)
    const problem = file === null || file === '' ? undefined : contentProblem(holds(name), file)
    if (problem !== undefined) throw new SettingsError(`${setting}: ${name}=${file}: ${problem}`)
  }
}

function holds(parameter: string): 'certificates' | 'private-key' {
  return parameter === 'sslkey' ? 'private-key' : 'certificates'
}
