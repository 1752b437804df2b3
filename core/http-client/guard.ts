import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { LOOPBACK, classifyAddress } from './addresses.ts'
import { normalizeHost, parseAllowList } from './allow-list.ts'
import { OutboundError } from './outbound-error.ts'

/** An address to connect to. */
export interface ResolvedAddress {
  readonly address: string
  readonly family: 4 | 6
}

/** Resolves a host name to all of its addresses. */
export type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>

/** Configuration of the guard. */
export interface GuardOptions {
  /** Setting `outbound.allow`: CIDR blocks, addresses, host names, or `*.` and a domain. */
  readonly allow: readonly string[]
  /** Base URLs of the platform's own listeners, read per connection; refused even where the list allows their address. */
  readonly ownUrls?: () => readonly string[]
  /** Default: the system's resolver. */
  readonly lookup?: Lookup
}

/** Decides which URLs may be called and which addresses a connection may use. */
export interface Guard {
  /** Resolves the host once and checks every address. Throws `OutboundError`, or what the resolver throws. */
  resolve(url: URL): Promise<readonly ResolvedAddress[]>
}

/**
 * M-2: refuses non-public addresses unless `outbound.allow` lists the name or address. Metadata services, link-local, multicast and
 * unspecified addresses are always refused. A name with one refused address is refused, since an attacker's resolver may mix them.
 */
export function createGuard(options: GuardOptions): Guard {
  const allow = parseAllowList(options.allow)
  const lookup = options.lookup ?? ((host) => systemLookup(host, { all: true }))
  return {
    resolve: async (url) => {
      const host = hostOf(url)
      const addresses = isIP(host) === 0 ? await lookup(host) : [{ address: host }]
      if (addresses.length === 0) throw new OutboundError('name_not_found', `${host} has no address.`)
      const own = (options.ownUrls?.() ?? []).map((one) => new URL(one)).filter((one) => portOf(one) === portOf(url))
      return addresses.map(({ address }) => {
        const allowed = allow.hasName(host) || allow.hasAddress(address)
        refuseAddress({ host, address, allowed })
        if (own.some((one) => normalizeHost(one.hostname) === host || isThisMachine(address)))
          throw new OutboundError('address_refused', `${url.host} is a listener of the platform itself.`)
        if (url.protocol === 'http:' && !allowed)
          throw new OutboundError('https_required', `${host} requires https: outbound.allow does not list it.`)
        return { address, family: familyOf(address) }
      })
    },
  }
}

function hostOf(url: URL): string {
  const host = normalizeHost(url.hostname)
  const http = url.protocol === 'http:' || url.protocol === 'https:'
  if (!http || host === '' || url.username !== '' || url.password !== '')
    throw new OutboundError('invalid_url', 'Only http and https URLs without credentials can be called.')
  return host
}

// The message omits the address behind a name, so that a user who can name a host cannot read the cluster's DNS.
function refuseAddress({ host, address, allowed }: { host: string; address: string; allowed: boolean }): void {
  const { access, label } = classifyAddress(address)
  if (access === 'public' || (access === 'restricted' && allowed)) return
  const is = host === address ? 'is' : 'resolves to'
  const hint = access === 'forbidden' ? 'never called' : 'not listed in outbound.allow'
  throw new OutboundError('address_refused', `${host} ${is} ${label}: ${hint}.`)
}

function isThisMachine(address: string): boolean {
  const { target } = classifyAddress(address)
  if (classifyAddress(target).label === LOOPBACK) return true
  return Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === target) === true)
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port
}

function familyOf(address: string): 4 | 6 {
  return address.includes(':') ? 6 : 4
}
