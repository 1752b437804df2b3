import { BadArguments, parseFlags, runOnDatabase } from './database-command.ts'
import type { CommandInput } from './database-command.ts'
import { exitCodes } from '../process/run-process.ts'
import type { Database } from '#core/database/database.ts'
import { listDeadLetters, redrive } from '#core/messaging/consumer/dead-letter.ts'
import type { DeadLetter } from '#core/messaging/consumer/dead-letter.ts'

const usage = `usage: mesh worker dead-letters list [--consumer NAME] [--limit N] [--output text|json]
       mesh worker dead-letters redrive (ID... [--consumer NAME] | --consumer NAME) [--output text|json]

Events that a consumer gave up on after its attempts. A redriven one is tried once more by the running consumer, within a minute;
when that fails it is listed again with one attempt more.

  --consumer NAME   of this consumer only; for redrive without ids: all of it
  --limit N         list at most so many, oldest first; 1 to 10000, default 200
  --output          text (default) or json

Reads DATABASE_URL, as the roles do. Exit code: 0 done, 1 could not run or an id was not found, 2 wrong arguments.
`

const options = {
  consumer: { type: 'string' },
  limit: { type: 'string' },
  output: { type: 'string', default: 'text' },
} as const

interface Flags {
  readonly consumer?: string | undefined
  readonly limit?: string | undefined
  readonly json: boolean
}

/** `mesh worker dead-letters list` and `redrive`. Returns the exit code. */
export function deadLettersCommand(input: CommandInput): Promise<number> {
  return runOnDatabase(input, usage, async (open) => {
    const { values, positionals } = parseFlags(input.args, options)
    if (values.output !== 'text' && values.output !== 'json') throw new BadArguments('--output: must be text or json')
    if (values.consumer === '') throw new BadArguments('--consumer: must not be empty')
    const flags = { consumer: values.consumer, limit: values.limit, json: values.output === 'json' }
    const [verb, ...ids] = positionals
    if (verb === 'list' && ids.length === 0) return list(input, flags, open)
    if (verb === 'redrive') return again(input, flags, ids, open)
    throw new BadArguments(verb === 'list' ? `unknown argument ${ids[0]}` : 'list or redrive is required')
  })
}

type Open = () => Promise<Database>

async function list(input: CommandInput, { consumer, limit = '200', json }: Flags, open: Open): Promise<number> {
  const most = /^[1-9]\d{0,4}$/.test(limit) ? Number(limit) : 0
  if (most < 1 || most > 10_000) throw new BadArguments(`--limit ${limit}: must be 1 to 10000`)
  const found = await listDeadLetters(await open(), { limit: most, ...(consumer === undefined ? {} : { consumer }) })
  const items = found.map((one) => ({ ...one, position: String(one.position), deadAt: one.deadAt.toISOString() }))
  input.out(json ? `${JSON.stringify({ items })}\n` : toText(found))
  return exitCodes.ok
}

async function again(
  input: CommandInput,
  { consumer, limit, json }: Flags,
  ids: readonly string[],
  open: Open,
): Promise<number> {
  if (limit !== undefined) throw new BadArguments('--limit: is for list')
  if (ids.length === 0 && consumer === undefined) throw new BadArguments('an id or --consumer is required')
  const redriven = await redrive(await open(), { consumer, ...(ids.length === 0 ? {} : { ids }) })
  input.out(json ? `${JSON.stringify({ redriven })}\n` : `redriven: ${redriven}\n`)
  // One id may be dead for several consumers, so only fewer results than ids are an error.
  if (redriven >= new Set(ids).size) return exitCodes.ok
  input.err('mesh: not every id is a dead letter; `mesh worker dead-letters list` names them\n')
  return exitCodes.failed
}

function toText(found: readonly DeadLetter[]): string {
  if (found.length === 0) return 'no dead letters\n'
  const rows = found.map((one) => [
    one.eventId,
    one.consumer,
    one.deadAt.toISOString(),
    `${one.attempts} attempts`,
    one.error,
    one.redriven ? 'redriven' : '',
  ])
  return rows.map((row) => `${row.join('  ').trimEnd()}\n`).join('')
}
