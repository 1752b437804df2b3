import { isIPv6 } from 'node:net'

/** Counts reads per minute and address. */
export interface AddressLimit {
  /** Counts a read. Returns the seconds to wait if the address has no reads left, else undefined. */
  take(address: string): number | undefined
}

const WINDOW_MS = 60_000
// Above this number of addresses, the address with the oldest read is evicted.
const MAX_ADDRESSES = 10_000

interface Window {
  readonly since: number
  reads: number
}

/** Creates a limit whose memory is bounded. `now` is in monotonic milliseconds. */
export function createAddressLimit(
  perMinute: number,
  now: () => number = () => performance.now(),
  most = MAX_ADDRESSES,
): AddressLimit {
  const windows = new Map<string, Window>()
  return {
    take: (address) => {
      const owner = ownerOf(address)
      const known = windows.get(owner)
      const window = known !== undefined && now() - known.since < WINDOW_MS ? known : { since: now(), reads: 0 }
      windows.delete(owner)
      const [oldest] = windows.keys()
      if (windows.size >= most && oldest !== undefined) windows.delete(oldest)
      windows.set(owner, window)
      if (window.reads >= perMinute) return Math.max(1, Math.ceil((window.since + WINDOW_MS - now()) / 1000))
      window.reads += 1
      return undefined
    },
  }
}

/** The counted key: an IPv4 address, or the /64 of an IPv6 address, since a host may have a whole /64. */
function ownerOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address
  const [head = '', tail] = address.toLowerCase().split('%', 1)[0]?.split('::') ?? []
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ?? '').split(':')]
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16).toString(16))
    .join(':')
}
