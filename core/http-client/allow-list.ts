import { isIP } from 'node:net'
import { createAddressBlocks } from './addresses.ts'

/** Hosts and addresses of the setting `outbound.allow`. */
export interface AllowList {
  hasName(host: string): boolean
  hasAddress(address: string): boolean
}

/**
 * Parses entries: a CIDR block (`10.0.0.0/8`), an address, a host name, or `*.` and a domain for every name below it. Throws a TypeError
 * that names the invalid entry.
 */
export function parseAllowList(entries: readonly string[]): AllowList {
  const blocks = createAddressBlocks()
  const names = new Set<string>()
  const domains: string[] = []
  for (const entry of entries) {
    const host = normalizeHost(entry)
    const bits = { 0: '', 4: '/32', 6: '/128' }[isIP(host)] ?? ''
    if (blocks.add(`${host}${bits}`)) continue
    if (!isHostName(host.replace(/^\*\./, '')))
      throw new TypeError(`"${entry}" is not a CIDR block, an address, a host name, or *. followed by a domain`)
    if (host.startsWith('*.')) domains.push(host.slice(1))
    else names.add(host)
  }
  return {
    hasName: (host) => names.has(host) || domains.some((domain) => host.endsWith(domain)),
    hasAddress: (address) => isIP(address) !== 0 && blocks.has(address),
  }
}

/** Host of a URL in the form used for comparison: lowercase, without brackets and trailing dots. */
export function normalizeHost(host: string): string {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  let end = name.length
  while (name[end - 1] === '.') end--
  return name.slice(0, end)
}

// A numeric last label would be another spelling of an IPv4 address.
function isHostName(host: string): boolean {
  const labels = host.split('.')
  const named = labels.every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
  return named && !/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')
}
