import { BadArguments } from '#core/command-line/option.ts'
import { listDeadLetters, redrive } from '#core/messaging/consumer/dead-letter.ts'
import type { DeadLetter } from '#core/messaging/consumer/dead-letter.ts'
import { exitCodes } from '../process/run-process.ts'
import type { CoreCommandInput } from './core-command.ts'

interface DeadLetterOptions {
  readonly consumer: string | undefined
  readonly output: 'text' | 'json'
}

/** `mesh worker dead-letters list`. */
export async function printDeadLetters({
  values: { consumer, limit, output },
  out,
  openDatabase,
}: CoreCommandInput<DeadLetterOptions & { readonly limit: number }>): Promise<number> {
  const found = await listDeadLetters(await openDatabase(), { limit, ...(consumer === undefined ? {} : { consumer }) })
  const items = found.map((one) => ({ ...one, position: String(one.position), deadAt: one.deadAt.toISOString() }))
  out(output === 'json' ? `${JSON.stringify({ items })}\n` : toText(found))
  return exitCodes.ok
}

/** `mesh worker dead-letters redrive`. */
export async function redriveDeadLetters({
  values: { id: ids, consumer, output },
  out,
  err,
  openDatabase,
}: CoreCommandInput<DeadLetterOptions & { readonly id: readonly string[] }>): Promise<number> {
  if (ids.length === 0 && consumer === undefined) throw new BadArguments('an ID or --consumer is required')
  const redriven = await redrive(await openDatabase(), { consumer, ...(ids.length === 0 ? {} : { ids }) })
  out(output === 'json' ? `${JSON.stringify({ redriven })}\n` : `redriven: ${redriven}\n`)
  // One id may be dead for several consumers, so only fewer results than ids are an error.
  if (redriven >= new Set(ids).size) return exitCodes.ok
  err('mesh: some ids are not dead letters; `mesh worker dead-letters list` shows them\n')
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
