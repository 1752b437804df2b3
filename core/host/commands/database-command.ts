import { parseArgs } from 'node:util'
import type { ParseArgsOptionsConfig } from 'node:util'
import { openSettings, originOfSetting, readCoreSettings } from '#core/config/settings.ts'
import { SettingsError } from '#core/config/settings-error.ts'
import { openDatabase } from '#core/database/database.ts'
import type { Database } from '#core/database/database.ts'
import { exitCodes } from '../process/run-process.ts'

/** Input of a command. Results are written to `out`, errors to `err`. */
export interface CommandInput {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** Invalid arguments: the usage is printed, and the exit code is 2. */
export class BadArguments extends Error {}

/** Parses flags and positional arguments. An unknown flag throws `BadArguments`. */
export function parseFlags<const Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    return { values, positionals }
  } catch (error) {
    throw new BadArguments(error instanceof Error ? error.message : String(error))
  }
}

/** Runs a command on the configured database and closes it. Returns the exit code. */
export async function runOnDatabase(
  { args, env, out, err }: CommandInput,
  usage: string,
  work: (open: () => Promise<Database>) => Promise<number>,
): Promise<number> {
  if (args.includes('--help')) {
    out(usage)
    return exitCodes.ok
  }
  let database: Database | undefined
  try {
    return await work(async () => (database ??= await open(env)))
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    err(`mesh: ${text}\n${error instanceof BadArguments ? `\n${usage}` : ''}`)
    return error instanceof BadArguments ? exitCodes.usage : exitCodes.failed
  } finally {
    await database?.close()
  }
}

function open(env: CommandInput['env']): Promise<Database> {
  const file = openSettings({ env })
  const { databaseUrl: url } = readCoreSettings(file, env)
  if (url === undefined) throw new SettingsError('DATABASE_URL: required by this command')
  return openDatabase({ url, connections: 2, setting: originOfSetting(file, env, 'databaseUrl') })
}
