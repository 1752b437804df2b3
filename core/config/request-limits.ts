/** Limits of one replica, and of one user or address. */
export interface RequestLimits {
  /** Requests per user and minute. */
  readonly perCallerPerMinute: number
  /** Requests per address and minute with a rejected bearer, or to public routes. */
  readonly perAddressPerMinute: number
  /** Bearers per address and minute that the cluster was asked about and rejected. */
  readonly rejectedPerAddressPerMinute?: number
  /** Concurrent requests without open event streams. Further requests get 503 at once (X7). */
  readonly underWay: number
  /** Concurrent requests per user. Default: a tenth of `underWay`, at least 32. */
  readonly underWayPerCaller?: number
  /** Requests per user that run at once while several users are active; others of that user wait. */
  readonly turnsPerCaller?: number
  /** Concurrent requests per user that wait for a run (`POST /api/invoke`), not counted in `underWay`. */
  readonly waitsPerCaller?: number
  /** Concurrent authentications of unknown bearers per address. */
  readonly authenticationsPerAddress?: number
  /** Bytes of request bodies held at once. */
  readonly bodyBytes?: number
  /** Bytes of request bodies held at once per user. */
  readonly bodyBytesPerCaller?: number
  /** Seconds for a body to arrive, plus one per 256 KiB received. */
  readonly bodySeconds?: number
}

const MiB = 1024 * 1024

/** Defaults, sized for the gateway: 512 MiB of memory, bodies of up to 32 MiB. */
export const defaultLimits = {
  perCallerPerMinute: 60_000,
  perAddressPerMinute: 6_000,
  rejectedPerAddressPerMinute: 60,
  underWay: 1_000,
  turnsPerCaller: 2,
  waitsPerCaller: 50,
  authenticationsPerAddress: 64,
  bodyBytes: 128 * MiB,
  bodyBytesPerCaller: 32 * MiB,
  bodySeconds: 10,
} as const satisfies RequestLimits

/** Applies the defaults. */
export function completeLimits(given: RequestLimits): Required<RequestLimits> {
  const limits = { ...defaultLimits, ...given }
  return { ...limits, underWayPerCaller: given.underWayPerCaller ?? Math.max(32, Math.floor(limits.underWay / 10)) }
}
