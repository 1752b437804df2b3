const loopbackName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const hostHeader = /^([^:[\]]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/

/** Whether a listener bound to `address` (`127.0.0.1`, `::1`, `localhost`) is reachable from its own machine only. */
export function isLoopbackAddress(address: string): boolean {
  return loopbackName.test(address.includes(':') ? `[${address}]` : address.toLowerCase())
}

/**
 * Whether a listener on loopback serves a request with this Host header (H1): `localhost`, an address of 127.0.0.0/8, `[::1]`, or one of
 * `names` (lowercase), each with or without a port. A web page whose name was rebound to loopback sends its own name and is refused. Ports
 * are not compared: the page cannot choose the name, and a forwarded port differs from the listener's.
 */
export function isServedHost(host: string | undefined, names: readonly string[] = []): boolean {
  const name = hostHeader.exec(host?.toLowerCase() ?? '')?.[1]
  return name !== undefined && (loopbackName.test(name) || names.includes(name))
}
