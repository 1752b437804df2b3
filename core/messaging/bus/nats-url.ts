import type { NodeConnectionOptions } from '@nats-io/transport-node'
import { SettingsError } from '#core/config/settings-error.ts'
import { hasDecodableCredentials } from '#core/net/url-credentials.ts'

/**
 * What `NATS_URL` (the setting `natsUrl`) says: one address or several with commas, each `nats://[user:password@|token@]host[:port]`. The client itself reads no
 * credentials from an address; they are one set for all, as with its other clients, so those of the first address that has some count.
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
  // The text itself may hold a password.
  const parsed = URL.parse(url)
  if (parsed === null || parsed.host === '' || !hasDecodableCredentials(parsed))
    throw new SettingsError(`${setting}: must be nats://[user:password@]host[:port], several with commas`)
  return parsed
}
