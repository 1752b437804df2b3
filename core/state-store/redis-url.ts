import { SettingsError } from '#core/config/settings-error.ts'
import { hasDecodableCredentials } from '#core/net/url-credentials.ts'

/** Address of a Valkey or Redis server, without credentials in the part that is shown. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly database: number
  readonly username?: string
  readonly password?: string
}

const DEFAULT_PORT = 6379
const FORM = 'must be redis://[user:password@]host[:port][/database], or rediss:// for TLS'

/** Parses `REDIS_URL`. Throws `SettingsError`, whose message never quotes the URL, since a part may be the password. */
export function parseRedisUrl(text: string, setting = 'REDIS_URL'): RedisAddress {
  const url = URL.parse(text)
  const known = url !== null && /^(?:redis|rediss|valkey|valkeys):$/.test(url.protocol)
  if (!known || url.hostname === '' || url.search !== '' || url.hash !== '')
    throw new SettingsError(`${setting}: ${FORM}`)
  if (!hasDecodableCredentials(url))
    throw new SettingsError(`${setting}: user and password must be percent-encoded: write % as %25`)
  const database = url.pathname.replace(/^\//, '') || '0'
  if (!/^\d{1,5}$/.test(database)) throw new SettingsError(`${setting}: ${FORM}`)
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? DEFAULT_PORT : Number(url.port),
    tls: url.protocol === 'rediss:' || url.protocol === 'valkeys:',
    database: Number(database),
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
  }
}
