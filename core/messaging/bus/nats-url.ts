import type { NodeConnectionOptions } from '@nats-io/transport-node'
import { SettingsError } from '#core/config/settings-error.ts'
import { hasDecodableCredentials } from '#core/net/url-credentials.ts'

/**
 * Parses `NATS_URL` (setting `natsUrl`): one address or several separated by commas, each `nats://[user:password@|token@]host[:port]`. The
 * client reads no credentials from addresses and takes one set for all; as in its other implementations, the first address with credentials
 * supplies them.
 */
export function toNatsOptions(text: string, setting = 'NATS_URL'): NodeConnectionOptions {
  const urls = text.split(',').map((part) => parseAddress(part.trim(), setting))
  const known = urls.find(({ username }) => username !== '')
  return { servers: urls.map(({ host }) => host), ...credentialsOf(known) }
}

function credentialsOf(url: URL | undefined): NodeConnectionOptions {
  if (url === undefined) return {}
  const user = decodeURIComponent(url.username)
  return url.password === '' ? { token: user } : { user, pass: decodeURIComponent(url.password) }
}

function parseAddress(text: string, setting: string): URL {
  const url = /^[a-z]+:\/\//.test(text) ? text : `nats://${text}`
  // The text may contain a password.
  const parsed = URL.parse(url)
  if (parsed === null || parsed.host === '' || !hasDecodableCredentials(parsed))
    throw new SettingsError(`${setting}: must be nats://[user:password@]host[:port], several with commas`)
  return parsed
}
