import { createLogger } from '#core/log/create-logger.ts'
import { catchFatalErrors } from '#core/log/fatal-errors.ts'
import { composeHost } from './compose-process.ts'
import type { Composition } from './compose-process.ts'
import { exitCodes, runProcess } from './run-process.ts'

/** Composes and runs the roles of a process. Returns the exit code, and reports why it could not start. */
export async function runRoles(composition: Composition): Promise<number> {
  const fatal = catchFatalErrors({ roles: composition.roles })
  try {
    const composed = await Promise.race([
      composeHost(composition),
      fatal.then(() => Promise.reject(new Error('unhandled error during startup'))),
    ])
    return await runProcess({ ...composed, fatal }, composition.roles)
  } catch (error) {
    createLogger().error({}, error instanceof Error ? error.message : String(error))
    return exitCodes.failed
  }
}
