import { openSettings, readCoreSettings } from '#core/config/settings.ts'
import { SettingsError } from '#core/config/settings-error.ts'
import { UnknownProjection } from '#core/event-store/projection-versions.ts'
import { createLogger } from '#core/log/create-logger.ts'
import { BadArguments } from '#core/command-line/option.ts'
import { composeHost } from '../process/compose-process.ts'
import { exitCodes } from '../process/run-process.ts'
import type { CoreCommandInput } from './core-command.ts'

/** `mesh rebuild`, by the role `migrate`. */
export async function rebuildTables({
  values: { projection },
  env,
  out,
  program,
}: CoreCommandInput<{ readonly projection: string }>): Promise<number> {
  if (readCoreSettings(openSettings({ env }), env).databaseUrl === undefined)
    throw new SettingsError('DATABASE_URL: required by this command')
  let events = 0
  const done = (result: { readonly events: number }): void => {
    events = result.events
  }
  const composed = await composeHost({
    plugins: await program.builtIn(),
    env,
    version: program.version,
    roles: ['migrate'],
    rebuild: { projection, done },
    log: createLogger({ level: 'error' }),
    // The roles of the same pod have the port of the admin listener.
    mayMovePorts: true,
  })
  try {
    await composed.host.start()
  } catch (error) {
    throw error instanceof UnknownProjection ? new BadArguments(error.message) : error
  } finally {
    await composed.close()
  }
  out(`rebuilt: ${projection} from ${events} events\n`)
  return exitCodes.ok
}
