/** Bounds of one replica, and the share of one user or address. */
export interface RequestLimits {
  /** Requests a minute of one user. */
  readonly perCallerPerMinute: number
  /** Requests a minute of one address whose bearer the cluster rejects, or that need none. */
  readonly perAddressPerMinute: number
  /** Concurrent requests without open event streams; above it 503 at once (X7). */
  readonly underWay: number
  /** Of these, requests of one user. Default: a tenth of `underWay`, at least 32. */
  readonly underWayPerCaller?: number
  /** While several users are active: requests of one user that run at once; the others of that user wait. */
  readonly turnsPerCaller?: number
  /** Concurrent requests of one user that wait for a run (`POST /api/invoke`); not part of `underWay`. */
  readonly waitsPerCaller?: number
  /** Concurrent authentications of unknown bearers from one address. */
  readonly authenticationsPerAddress?: number
  /** Bytes of request bodies held at once. */
  readonly bodyBytes?: number
  /** Of these, bytes of one user. */
  readonly bodyBytesPerCaller?: number
  /** Seconds for a body to arrive, plus one for each 256 KiB received. */
  readonly bodySeconds?: number
}

const MiB = 1024 * 1024

/** Defaults, sized for the gateway: 512 MiB of memory, bodies of up to 32 MiB. */
export const defaultLimits = {
  perCallerPerMinute: 60_000,
  perAddressPerMinute: 6_000,
  underWay: 1_000,
  turnsPerCaller: 2,
  waitsPerCaller: 50,
  authenticationsPerAddress: 64,
  bodyBytes: 128 * MiB,
  bodyBytesPerCaller: 32 * MiB,
  bodySeconds: 10,
} as const satisfies RequestLimits

/** Fills in the defaults. */
export function completeLimits(given: RequestLimits): Required<RequestLimits> {
  const limits = { ...defaultLimits, ...given }
  return { ...limits, underWayPerCaller: given.underWayPerCaller ?? Math.max(32, Math.floor(limits.underWay / 10)) }
}
