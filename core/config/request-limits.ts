import { Type } from 'typebox'

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

const count = (preset: number, description: string) => Type.Integer({ minimum: 1, default: preset, description })

/** Settings of the limits. */
export const limitSettings = Type.Object({
  perCallerPerMinute: count(defaultLimits.perCallerPerMinute, 'Requests per user and minute.'),
  perAddressPerMinute: count(
    defaultLimits.perAddressPerMinute,
    'Requests per address and minute with a rejected bearer, or to public routes.',
  ),
  rejectedPerAddressPerMinute: count(
    defaultLimits.rejectedPerAddressPerMinute,
    'Bearer tokens per minute and address that the cluster may reject. Above that number, unknown tokens of the address wait.',
  ),
  underWay: count(defaultLimits.underWay, 'Concurrent requests of one process, not counting event streams.'),
  underWayPerCaller: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'Concurrent requests per user. Default: a tenth of the total, at least 32.',
    }),
  ),
  turnsPerCaller: count(
    defaultLimits.turnsPerCaller,
    'Requests per user that run at once while several users are active, for at most 50 ms each.',
  ),
  waitsPerCaller: count(defaultLimits.waitsPerCaller, 'Requests per user that wait for a run (POST /api/invoke).'),
  authenticationsPerAddress: count(
    defaultLimits.authenticationsPerAddress,
    'Concurrent authentications of unknown bearers per address.',
  ),
  bodyBytes: count(defaultLimits.bodyBytes, 'Bytes of request bodies held at once by one process.'),
  bodyBytesPerCaller: count(defaultLimits.bodyBytesPerCaller, 'Bytes of request bodies held at once per user.'),
  bodySeconds: Type.Integer({
    minimum: 1,
    maximum: 120,
    default: defaultLimits.bodySeconds,
    description: 'Seconds within which a request body must arrive, plus one second for each 256 KiB received.',
  }),
  streams: count(10_000, 'Open event streams of one process.'),
  streamsPerUser: count(50, 'Open event streams per user.'),
})

/** Applies the defaults. */
export function completeLimits(given: RequestLimits): Required<RequestLimits> {
  const limits = { ...defaultLimits, ...given }
  return { ...limits, underWayPerCaller: given.underWayPerCaller ?? Math.max(32, Math.floor(limits.underWay / 10)) }
}
