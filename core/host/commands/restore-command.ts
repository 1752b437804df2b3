import { resetIndex } from '#core/controllers/objects/object-index.ts'
import { openSettings, readCoreSettings } from '#core/config/settings.ts'
import { dropStream } from '#core/messaging/bus/reset-stream.ts'
import { toNatsOptions } from '#core/messaging/bus/nats-url.ts'
import { txWithTables } from '#core/database/database.ts'
import { beginEpoch, livingLeaders } from '#core/host/commands/log-epoch.ts'
import type { CoreTables } from '#core/database/core-tables.ts'
import { exitCodes } from '../process/run-process.ts'
import { runRoles } from '../process/run-roles.ts'
import type { CoreCommandInput } from './core-command.ts'

/** `mesh restore`; the role `migrate` then creates the new stream. */
export async function restoreLog({
  values: { epoch: given },
  env,
  out,
  program,
  openDatabase,
}: CoreCommandInput<{ readonly epoch: number }>): Promise<number> {
  const database = await openDatabase()
  const living = await database.db.transaction().execute(livingLeaders)
  if (living.length > 0) throw new Error(`roles are running (they lead ${living.join(', ')}): stop them first`)
  const { natsUrl } = readCoreSettings(openSettings({ env }), env)
  const begin = (carried: number): Promise<number> =>
    database.root.transaction().execute(async (db) => {
      await resetIndex(db)
      return beginEpoch(txWithTables<CoreTables>(db), Math.max(given, carried))
    })
  const epoch = natsUrl === undefined ? await begin(0) : await dropStream(toNatsOptions(natsUrl), begin)
  const { version } = program
  const code = await runRoles({ roles: ['migrate'], plugins: await program.builtIn(), env, version })
  if (code === exitCodes.ok) out(`restored: the log is in epoch ${epoch}; start the roles\n`)
  return code
}
