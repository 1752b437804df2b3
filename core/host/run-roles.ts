import { createLogger } from '#core/log/create-logger.ts'
import { composeHost, type Composition } from './compose.ts'
import { exitCodes, runProcess } from './run-process.ts'

/** Composes the roles of a process and runs them; resolves with the exit code, and says why when it could not start. */
export async function runRoles(composition: Composition): Promise<number> {
  try {
    return await runProcess(await composeHost(composition), composition.roles)
  } catch (error) {
    createLogger().error({}, error instanceof Error ? error.message : String(error))
    return exitCodes.failed
  }
}
