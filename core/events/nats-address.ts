import type { NodeConnectionOptions } from '@nats-io/transport-node'
import { SettingsError } from '#core/config/settings-error.ts'

/**
 * What `NATS_URL` says: one address or several with commas, each `nats://[user:password@|token@]host[:port]`. The client itself reads no
 * credentials from an address; they are one set for all, as with its other clients, so those of the first address that has some count.
 */
export function toNatsOptions(text: string): NodeConnectionOptions {
  const urls = text.split(',').map((part) => parseAddress(part.trim()))
  const known = urls.find(({ username }) => username !== '')
  return { servers: urls.map(({ host }) => host), ...credentialsOf(known) }
}

function credentialsOf(url: URL | undefined): NodeConnectionOptions {
  if (url === undefined) return {}
  const user = decodeURIComponent(url.username)
  return url.password === '' ? { token: user } : { user, pass: decodeURIComponent(url.password) }
}

function parseAddress(text: string): URL {
  const url = /^[a-z]+:\/\//.test(text) ? text : `nats://${text}`
  // The text itself may hold a password.
  if (!URL.canParse(url) || new URL(url).host === '')
    throw new SettingsError('NATS_URL: must be nats://[user:password@]host[:port], several with commas')
  return new URL(url)
}
