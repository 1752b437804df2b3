import { untilSignal } from '#core/async/until-signal.ts'
import { catchFatalErrors } from '#core/log/fatal-errors.ts'
import type { Logger } from '#core/log/logger.ts'
import type { Host } from './host.ts'

/** A process and its shutdown parameters. */
export interface ProcessParts {
  readonly host: Host
  readonly log: Logger
  /** Milliseconds after which a process that drains or closes exits. */
  readonly drainDeadlineMs: number
  /** Resolves at the first unhandled error; default: `catchFatalErrors`. */
  readonly fatal?: Promise<void>
  /** Reports why the process could not start or run; default: logs an error. */
  readonly report?: (error: unknown) => void
  close(): Promise<void>
}

/** Exit codes of `mesh <role>`. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, killed: 130 } as const

/**
 * Starts, waits for SIGTERM or SIGINT, drains and closes; a second signal exits immediately. A fatal error drains too and exits with `failed`.
 * Returns the exit code.
 */
export async function runProcess(parts: ProcessParts, roles: readonly string[]): Promise<number> {
  const { host, log, close, fatal = catchFatalErrors({ roles }) } = parts
  const stopped = untilStopped(fatal)
  try {
    const started = host.start()
    // The role `migrate` ends by itself.
    if (roles.every((role) => role === 'migrate')) {
      await Promise.race([started, fatal.then(() => Promise.reject(new Error('migration stopped')))])
      await close()
      return exitCodes.ok
    }
    // The start waits for store and bus; a signal meanwhile ends it.
    await Promise.race([started, stopped])
    started.catch(() => undefined)
    const reason = await stopped
    log.info({ signal: reason }, 'draining')
    process.once('SIGINT', () => process.exit(exitCodes.killed))
    process.once('SIGTERM', () => process.exit(exitCodes.killed))
    const cut = exitAfter(parts)
    if (reason === 'fatal') process.exitCode = exitCodes.failed
    await host.drain()
    await close()
    clearTimeout(cut)
    return reason === 'fatal' ? exitCodes.failed : exitCodes.ok
  } catch (error) {
    if (parts.report === undefined) log.error({}, error instanceof Error ? error.message : String(error))
    else parts.report(error)
    const cut = exitAfter(parts)
    await close().catch(() => undefined)
    clearTimeout(cut)
    return exitCodes.failed
  }
}

// A close may hang: on inconsistent state after a fatal error, or on a connection that a stuck handler of a plugin holds.
function exitAfter({ drainDeadlineMs, log }: ProcessParts): NodeJS.Timeout {
  return setTimeout(() => {
    log.error({ seconds: drainDeadlineMs / 1_000 }, 'the process did not close in time and exits')
    process.exit(exitCodes.failed)
  }, drainDeadlineMs).unref()
}

function untilStopped(fatal: Promise<void>): Promise<'SIGTERM' | 'SIGINT' | 'fatal'> {
  return new Promise((resolve) => {
    // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
    void untilSignal().then(resolve)
    // oxlint-disable-next-line typescript/no-floating-promises -- never rejects
    void fatal.then(() => resolve('fatal'))
  })
}
