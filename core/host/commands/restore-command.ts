import { resetIndex } from '#core/controllers/objects/object-index.ts'
import { openSettings, readCoreSettings } from '#core/config/settings.ts'
import { dropStream } from '#core/messaging/bus/reset-stream.ts'
import { toNatsOptions } from '#core/messaging/bus/nats-url.ts'
import { txWithTables } from '#core/database/database.ts'
import { beginEpoch, livingLeaders } from '#core/event-store/log-epoch.ts'
import type { CoreTables } from '#core/database/core-tables.ts'
import { BadArguments, parseFlags, runOnDatabase } from './database-command.ts'
import type { CommandInput } from './database-command.ts'

const usage = `usage: mesh restore [--epoch N]

Run once after PostgreSQL, or the cluster, was restored from a backup, while no role runs; then start the roles. The log begins a new
epoch, so that integrators tell its positions from those they have seen; the bus gets a new stream; the manager's next lists decide
what is in the cluster. Nothing is deleted but what the bus carried.

  --epoch N   the newest epoch that was in use, when the bus was lost too: the new one is above it

Reads DATABASE_URL and NATS_URL, as the roles do. Exit code: 0 done, 1 could not run, 2 wrong arguments.
`

/** `mesh restore`; `migrate` creates the new stream. Returns the exit code. */
export function restoreCommand(input: CommandInput, migrate: () => Promise<number>): Promise<number> {
  return runOnDatabase(input, usage, async (open) => {
    const given = epochOf(input)
    const database = await open()
    const living = await database.db.transaction().execute(livingLeaders)
    if (living.length > 0) throw new Error(`roles are running (they lead ${living.join(', ')}): stop them first`)
    const { natsUrl } = readCoreSettings(openSettings({ env: input.env }), input.env)
    const begin = (carried: number): Promise<number> =>
      database.root.transaction().execute(async (db) => {
        await resetIndex(db)
        return beginEpoch(txWithTables<CoreTables>(db), Math.max(given, carried))
      })
    const epoch = natsUrl === undefined ? await begin(0) : await dropStream(toNatsOptions(natsUrl), begin)
    const code = await migrate()
    if (code === 0) input.out(`restored: the log is in epoch ${epoch}; start the roles\n`)
    return code
  })
}

function epochOf({ args }: CommandInput): number {
  const { values, positionals } = parseFlags(args, { epoch: { type: 'string', default: '0' } })
  if (positionals.length > 0) throw new BadArguments(`unknown argument ${positionals[0]}`)
  if (!/^\d{1,6}$/.test(values.epoch)) throw new BadArguments('--epoch: must be a number of at most six digits')
  return Number(values.epoch)
}
