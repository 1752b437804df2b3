import { SettingsError } from '#core/config/settings-error.ts'
import { hasDecodableCredentials } from '#core/net/url-credentials.ts'
import type { StoreAddress } from './store-failure.ts'

/** Throws `SettingsError` for what is no URL of a PostgreSQL server; the message never has a part of it, which may be a password. */
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
}
