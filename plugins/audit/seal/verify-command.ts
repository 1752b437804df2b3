import type { CommandInput } from '#core/plugin/command.ts'
import { verify } from './verify.ts'
import type { SealVerdict } from './verify.ts'

const notIntact = 3

interface VerifyOptions {
  readonly head: readonly (readonly [day: string, head: string])[]
  readonly output: 'text' | 'json'
}

/** `mesh audit verify`. */
export async function verifySeals({ values, out, openStore }: CommandInput<VerifyOptions>): Promise<number> {
  const verdict = await verify(await openStore(), new Map(values.head))
  out(values.output === 'json' ? `${JSON.stringify(verdict)}\n` : toText(verdict))
  return verdict.ok ? 0 : notIntact
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
