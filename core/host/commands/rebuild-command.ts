import { openSettings, readCoreSettings } from '#core/config/settings.ts'
import { SettingsError } from '#core/config/settings-error.ts'
import { UnknownProjection } from '#core/event-store/projection-versions.ts'
import { createLogger } from '#core/log/create-logger.ts'
import type { Composed, Composition } from '../process/compose-process.ts'
import { exitCodes } from '../process/run-process.ts'
import { BadArguments, parseFlags } from './database-command.ts'
import type { CommandInput } from './database-command.ts'

const usage = `usage: mesh rebuild PROJECTION

Fills the tables of a projection, such as runs.runs, from the event log again, while the roles run. The new tables replace the old ones
under a short lock. Use it after a defect wrote wrong rows, or to return to an older release whose projection has a lower version:
\`mesh migrate\` rebuilds a projection with a higher version by itself. Refused when retention has dropped the beginning of the log.

Reads the settings of the role migrate. Exit code: 0 done, 1 could not run, 2 wrong arguments.
`

/** Composes the process that rebuilds: the role `migrate`. */
export type ComposeRebuild = (
  composition: Pick<Composition, 'roles' | 'rebuild' | 'log' | 'mayMovePorts'>,
) => Promise<Pick<Composed, 'host' | 'close'>>

/** `mesh rebuild`; resolves with the exit code. */
export async function rebuildCommand(input: CommandInput, compose: ComposeRebuild): Promise<number> {
  if (input.args.includes('--help')) {
    input.out(usage)
    return exitCodes.ok
  }
  try {
    const projection = projectionOf(input)
    if (readCoreSettings(openSettings({ env: input.env }), input.env).databaseUrl === undefined)
      throw new SettingsError('DATABASE_URL: required by this command')
    const events = await rebuildWith(compose, projection)
    input.out(`rebuilt: ${projection} from ${events} events\n`)
    return exitCodes.ok
  } catch (error) {
    const isUsage = error instanceof BadArguments
    input.err(`mesh: ${error instanceof Error ? error.message : String(error)}\n${isUsage ? `\n${usage}` : ''}`)
    return isUsage || error instanceof UnknownProjection ? exitCodes.usage : exitCodes.failed
  }
}

async function rebuildWith(compose: ComposeRebuild, projection: string): Promise<number> {
  let events = 0
  const done = (result: { readonly events: number }): void => {
    events = result.events
  }
  const composed = await compose({
    roles: ['migrate'],
    rebuild: { projection, done },
    log: createLogger({ level: 'error' }),
    // The roles of the same pod have the port of the admin listener.
    mayMovePorts: true,
  })
  try {
    await composed.host.start()
  } finally {
    await composed.close()
  }
  return events
}

function projectionOf({ args }: CommandInput): string {
  const { positionals } = parseFlags(args, {})
  const [projection = '', extra] = positionals
  if (projection === '') throw new BadArguments('PROJECTION is required')
  if (extra !== undefined) throw new BadArguments(`unknown argument ${JSON.stringify(extra.slice(0, 60))}`)
  return projection
}
