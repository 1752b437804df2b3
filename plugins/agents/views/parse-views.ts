import { Fail } from '#core/errors/domain-error.ts'
import { durationToMs } from '#schemas/values/duration.ts'

/** Parsed parameters of a request for more than the object. */
export interface RequestedViews<Name extends string> {
  readonly names: ReadonlySet<Name>
  readonly windowMs: number
  readonly bins: number
}

const MINUTE_MS = 60_000
const MOST_MS = 90 * 86_400_000
const DEFAULT_WINDOW = '24h'
const DEFAULT_BINS = 24

/** Parameters as the query has them. */
export interface ViewQuery {
  readonly include?: string
  readonly window?: string
  readonly bins?: number
}

/** Parses the parameters. Undefined if the query asks for no field. Throws `invalid_query` with the parameter. */
export function parseViews<Name extends string>(
  { include = '', window = DEFAULT_WINDOW, bins = DEFAULT_BINS }: ViewQuery,
  known: readonly Name[],
): RequestedViews<Name> | undefined {
  if (include === '') return undefined
  const names = include.split(',').map((name) => {
    const found = known.find((one) => one === name)
    if (found === undefined) throw refuse('?include', `must be of ${known.join(', ')}, with commas between them`)
    return found
  })
  const windowMs = durationToMs(window)
  if (windowMs === undefined || windowMs < MINUTE_MS || windowMs > MOST_MS)
    throw refuse('?window', 'must be a duration from 1m to 90d, such as 24h')
  if (windowMs / bins < MINUTE_MS) throw refuse('?bins', 'must leave at least a minute of the window to each bin')
  return { names: new Set(names), windowMs, bins }
}

function refuse(pointer: string, detail: string): Fail {
  return new Fail('invalid_query', `${pointer.slice(1)} ${detail}.`, { errors: [{ pointer, detail }] })
}
