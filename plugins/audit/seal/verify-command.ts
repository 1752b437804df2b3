import { BadArguments, parseFlags, runOnDatabase } from '#core/host/commands/database-command.ts'
import type { CommandInput } from '#core/host/commands/database-command.ts'
import { createStore } from '#core/event-store/create-store.ts'
import { verify } from './verify.ts'
import type { Heads, SealVerdict } from './verify.ts'

const usage = `usage: mesh audit verify [--head DAY=HEAD]... [--output text|json]

Verifies the seals of the audit log and names the first bad day and row.

  --head DAY=HEAD   a head as it was published (line mesh_audit_seal, event day-sealed); repeatable
  --output          text (default) or json

Reads DATABASE_URL, as the roles do. Exit code: 0 intact, 1 could not run, 2 wrong arguments, 3 not intact.
`
const notIntact = 3

/** `mesh audit verify`: resolves with the exit code. */
export function verifyCommand(input: CommandInput): Promise<number> {
  return runOnDatabase(input, usage, async (open) => {
    const { values, positionals } = parseFlags(input.args, {
      head: { type: 'string', multiple: true },
      output: { type: 'string', default: 'text' },
    })
    if (positionals.length > 0) throw new BadArguments(`unknown argument ${positionals[0]}`)
    if (values.output !== 'text' && values.output !== 'json') throw new BadArguments('--output: must be text or json')
    const heads = parseHeads(values.head ?? [])
    const verdict = await verify(createStore(await open(), { projections: [] }), heads)
    input.out(values.output === 'json' ? `${JSON.stringify(verdict)}\n` : toText(verdict))
    return verdict.ok ? 0 : notIntact
  })
}

function parseHeads(given: readonly string[]): Heads {
  return new Map(
    given.map((text): [string, string] => {
      const match = /^(\d{4}-\d{2}-\d{2})=([0-9a-f]{64})$/.exec(text)
      if (match === null) throw new BadArguments(`--head ${text}: must be DAY=HEAD, as in 2026-11-20=<64 hex digits>`)
      return [match[1] ?? '', match[2] ?? '']
    }),
  )
}

const faults: Readonly<Record<Exclude<SealVerdict, { ok: true }>['fault'], string>> = {
  changed: 'was changed after its day was sealed',
  missing: 'is missing',
  inserted: 'was inserted into a sealed day',
  seal: 'the seal is missing or does not fit the chain',
  tombstone: 'the tombstones do not cover the missing days',
  unpublished: 'the head is not the one that was published',
}

function toText(verdict: SealVerdict): string {
  if (!verdict.ok) {
    const what = verdict.row === undefined ? '' : ` row ${verdict.row}`
    return `not intact: ${verdict.day}${what}: ${faults[verdict.fault]}\n`
  }
  const { last } = verdict
  const head = last === undefined ? 'no day is sealed yet' : `head of ${last.day} is ${last.head}`
  return `intact: ${verdict.days} days, ${verdict.rows} rows; ${head}\n`
}
