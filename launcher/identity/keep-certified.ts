import type { Logger } from '#core/log/logger.ts'
import { CERTIFICATE_SECONDS } from '#core/signing/launcher-certificate.ts'

/** A certificate that is renewed in time. */
export interface RenewedCertificate {
  /** The newest certificate while it is valid. */
  current(): string | undefined
  close(): void
}

/** Options of `keepCertified`. */
export interface KeepOptions {
  readonly request: () => Promise<string>
  readonly onCertificate: (certificate: string) => void
  readonly log: Logger
  /** Wall clock, and monotonic clock, in milliseconds. */
  readonly clocks?: Clocks
  /** Interval between checks whether a renewal is due (1 s). */
  readonly everyMs?: number
}

/** Two clocks: the monotonic clock stops while the machine sleeps, the wall clock may be set. The larger elapsed time is the age. */
export interface Clocks {
  wall(): number
  monotonic(): number
}

const validMs = CERTIFICATE_SECONDS * 1000
const longestPauseMs = 15_000

/**
 * Requests a certificate, and renews it after half of its lifetime. A failed request is repeated after 1 to 15 seconds, and has no effect until the
 * certificate expires. Each launcher has another jitter, so that pods of one roll-out do not renew in the same second.
 */
export function keepCertified(options: KeepOptions): RenewedCertificate {
  const { request, onCertificate, log, clocks = systemClocks, everyMs = 1_000 } = options
  const renewAfterMs = (validMs / 2) * (0.9 + Math.random() / 10)
  let known: { readonly certificate: string; readonly at: Instant } | undefined
  let failures = 0
  let failedAt: Instant | undefined
  let running = false
  const ageOf = (at: Instant | undefined): number =>
    at === undefined ? Infinity : Math.max(clocks.wall() - at.wall, clocks.monotonic() - at.monotonic)
  const isDue = (): boolean => {
    const pauseMs = Math.min(2 ** Math.max(failures - 1, 0) * 1_000, longestPauseMs)
    return !running && ageOf(known?.at) >= renewAfterMs && ageOf(failedAt) >= (failures === 0 ? 0 : pauseMs)
  }
  const renew = async (): Promise<void> => {
    running = true
    // Taken before the request: the certificate is not older than this.
    const at = { wall: clocks.wall(), monotonic: clocks.monotonic() }
    try {
      known = { certificate: await request(), at }
      if (failures > 0) log.info({}, 'certificate received')
      failures = 0
      onCertificate(known.certificate)
    } catch (error) {
      failures++
      failedAt = at
      const valid = ageOf(known?.at) < validMs
      const why = error instanceof Error ? error.message : String(error)
      log.warn({ why, valid }, valid ? 'certificate not renewed' : 'no valid certificate: the launcher is not ready')
    } finally {
      running = false
    }
  }
  const look = (): void => {
    // oxlint-disable-next-line typescript/no-floating-promises -- handles its errors
    if (isDue()) void renew()
  }
  const timer = setInterval(look, everyMs).unref()
  look()
  return {
    current: () => (ageOf(known?.at) < validMs ? known?.certificate : undefined),
    close: () => clearInterval(timer),
  }
}

interface Instant {
  readonly wall: number
  readonly monotonic: number
}

const systemClocks: Clocks = { wall: Date.now, monotonic: () => performance.now() }
