import { BlockList, isIP } from 'node:net'

/**
 * `public` addresses may be called, `restricted` ones need the setting `outbound.allow`. `forbidden` ones are always refused: metadata
 * services return credentials, and an unspecified address is an alias of this machine.
 */
export interface AddressClass {
  readonly access: 'public' | 'restricted' | 'forbidden'
  /** Text for messages, such as `a loopback address`. */
  readonly label: string
  /** Address that a connection reaches: the IPv4 address embedded in a mapped or translated one, else the address itself. */
  readonly target: string
}

/** Label of addresses of this machine. */
export const LOOPBACK = 'a loopback address'

interface Range {
  readonly label: string
  readonly blocks: AddressBlocks
}

/** CIDR blocks, one list per address family: within one list `net.BlockList` treats an IPv4 address and its mapped form as equal. */
export interface AddressBlocks {
  /** Adds a block (`10.0.0.0/8`). Returns false if it is invalid. */
  add(cidr: string): boolean
  has(address: string): boolean
}

// IANA IPv4 and IPv6 special-purpose address registries (RFC 6890), and the metadata services that lie outside link-local:
// AWS and Google over IPv6, Alibaba, Oracle, Azure's wire server.
const forbidden: readonly Range[] = [
  range('a metadata service', [
    '169.254.169.254/32',
    'fd00:ec2::254/128',
    'fd20:ce::254/128',
    '100.100.100.200/32',
    '192.0.0.192/32',
    '168.63.129.16/32',
  ]),
  range('an unspecified address', ['0.0.0.0/8', '::/128']),
  range('a link-local address', ['169.254.0.0/16', 'fe80::/10']),
  range('a multicast address', ['224.0.0.0/4', 'ff00::/8']),
  range('a broadcast address', ['255.255.255.255/32']),
]

const restricted: readonly Range[] = [
  range(LOOPBACK, ['127.0.0.0/8', '::1/128']),
  range('a private address', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10']),
  range('a carrier-grade NAT address', ['100.64.0.0/10']),
  range('an IPv4-mapped address', ['::ffff:0:0/96']),
  range('a translated address', ['::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48']),
  range('a 6to4 address', ['2002::/16', '192.88.99.0/24']),
  range('a Teredo address', ['2001::/32']),
  range('a reserved address', [
    '192.0.0.0/24',
    '192.0.2.0/24',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '240.0.0.0/4',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.175.48.0/24',
    '2001::/23',
    '2001:db8::/32',
    '2620:4f:8000::/48',
    '3fff::/20',
  ]),
]

// The range assigned for global unicast (RFC 4291); all else is reserved.
const globalIpv6 = range('a public address', ['2000::/3'])

/** Classifies an IP address. Any other string is forbidden. */
export function classifyAddress(address: string): AddressClass {
  const family = isIP(address)
  if (family === 0) return { access: 'forbidden', label: 'not an IP address', target: address }
  const inner = family === 6 ? embeddedIpv4(address) : undefined
  const target = inner ?? address
  const never = labelIn(forbidden, address) ?? (inner === undefined ? undefined : labelIn(forbidden, inner))
  if (never !== undefined) return { access: 'forbidden', label: never, target }
  const limited = labelIn(restricted, address)
  if (limited !== undefined) return { access: 'restricted', label: limited, target }
  if (family === 6 && !globalIpv6.blocks.has(address))
    return { access: 'restricted', label: 'a reserved address', target }
  return { access: 'public', label: 'a public address', target }
}

function range(label: string, cidrs: readonly string[]): Range {
  const blocks = createAddressBlocks()
  for (const cidr of cidrs) blocks.add(cidr)
  return { label, blocks }
}

/** An empty set of blocks. */
export function createAddressBlocks(): AddressBlocks {
  const [ipv4, ipv6] = [new BlockList(), new BlockList()]
  return {
    add: (cidr) => {
      const [, net = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(cidr) ?? []
      const family = isIP(net)
      if (family === 0 || net.includes('%') || Number(bits) > (family === 4 ? 32 : 128)) return false
      if (family === 4) ipv4.addSubnet(net, Number(bits), 'ipv4')
      else ipv6.addSubnet(net, Number(bits), 'ipv6')
      return true
    },
    has: (address) => (isIP(address) === 4 ? ipv4.check(address, 'ipv4') : ipv6.check(address, 'ipv6')),
  }
}

function labelIn(ranges: readonly Range[], address: string): string | undefined {
  return ranges.find(({ blocks }) => blocks.has(address))?.label
}

// Mapped (RFC 4291), translated (RFC 2765, RFC 6052), 6to4 (RFC 3056), Teredo (RFC 4380) and compatible (RFC 4291) addresses.
function embeddedIpv4(address: string): string | undefined {
  const words = wordsOf(address)
  const prefix = words
    .slice(0, 6)
    .map((word) => word.toString(16))
    .join(':')
  if (words[0] === 0x2002) return toIpv4(words[1], words[2])
  if (prefix.startsWith('2001:0:')) return toIpv4((words[6] ?? 0) ^ 0xffff, (words[7] ?? 0) ^ 0xffff)
  const atEnd = ['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0', '0:0:0:0:0:0'].includes(prefix)
  return (atEnd || prefix.startsWith('64:ff9b:1:')) && words[6] !== 0 ? toIpv4(words[6], words[7]) : undefined
}

/** The eight 16-bit words of an IPv6 address; a zone is dropped. */
function wordsOf(address: string): readonly number[] {
  const { hostname } = new URL(`http://[${address.split('%', 1)[0]}]`)
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const parse = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16))
  const [before, after] = [parse(head), parse(tail ?? '')]
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after]
}

function toIpv4(high = 0, low = 0): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}
