import type { Logger } from '#core/log/logger.ts'
import type { Host } from './host.ts'

/** A process to run until it is told to stop. */
export interface ProcessParts {
  readonly host: Host
  readonly log: Logger
  close(): Promise<void>
}

/** Exit codes of `mesh <role>`. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, killed: 130 } as const

/** Starts, waits for SIGTERM or SIGINT, drains and closes; a second signal ends at once. Resolves with the exit code. */
export async function runProcess({ host, log, close }: ProcessParts, roles: readonly string[]): Promise<number> {
  const stopped = untilSignal()
  try {
    const started = host.start()
    // Migrations end by themselves.
    if (roles.every((role) => role === 'migrate')) {
      await started
      return await closed(close)
    }
    // The start waits for store and bus: a signal meanwhile ends it.
    await Promise.race([started, stopped])
    started.catch(() => undefined)
    log.info({ signal: await stopped }, 'draining')
    process.once('SIGINT', () => process.exit(exitCodes.killed))
    process.once('SIGTERM', () => process.exit(exitCodes.killed))
    await host.drain()
    return await closed(close)
  } catch (error) {
    log.error({}, error instanceof Error ? error.message : String(error))
    await close().catch(() => undefined)
    return exitCodes.failed
  }
}

async function closed(close: () => Promise<void>): Promise<number> {
  await close()
  return exitCodes.ok
}

function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(signal))
  })
}
