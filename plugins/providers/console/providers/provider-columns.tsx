import type { Provider } from '#schemas/api/providers.ts'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { Count, Duration } from '#ui/parts/value/numbers.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { providersText as text } from './text.ts'

const { columns: titles } = text

/** Columns of the list: who, how well, how fast, what failed, who calls it, how old its key is. */
export const providerColumns: readonly DataColumn<Provider>[] = [
  {
    title: titles.name,
    isWide: true,
    cell: ({ namespace, name }) => (
      <span className="clip" dir="auto">
        <span className="faint">{namespace}/</span>
        <b>{name}</b>
      </span>
    ),
  },
  { title: titles.health, cell: (provider) => <ProviderHealth provider={provider} isPlain /> },
  { title: titles.type, rank: 3, cell: ({ type }) => <span className="dim">{text.types[type]}</span> },
  { title: titles.p50, rank: 2, align: 'end', cell: ({ health }) => <Duration ms={health.p50Ms} /> },
  { title: titles.error, rank: 2, cell: ({ health }) => <LastError health={health} /> },
  { title: titles.routes, rank: 4, align: 'end', cell: ({ routes }) => <Count value={routes?.length} /> },
  { title: titles.key, align: 'end', rank: 2, cell: (provider) => <KeyAge provider={provider} /> },
]

function LastError({ health: { lastErrorAt, lastErrorClass } }: Pick<Provider, 'health'>) {
  if (lastErrorClass === null) return <span className="faint">{text.noErrors}</span>
  return (
    <span dir="auto">
      {toErrorWords(lastErrorClass)} <Time at={lastErrorAt} />
    </span>
  )
}

/** How long ago the key was pasted. */
export function KeyAge({ provider: { hasKey, rotatedAt } }: { readonly provider: Provider }) {
  if (!hasKey) return <span className="faint">{text.noKey}</span>
  return rotatedAt === null ? <span className="faint">{text.keyUnknown}</span> : <Time at={rotatedAt} />
}

interface ProviderHealthProps {
  readonly provider: Pick<Provider, 'health' | 'ready' | 'reason'>
  readonly isPlain?: boolean
}

/** How calls of a provider went. One that the gateway cannot call at all says why. */
export function ProviderHealth({ provider: { health, ready, reason }, isPlain = false }: ProviderHealthProps) {
  if (ready === false)
    return (
      <StatusBadge state="notready" isPlain={isPlain}>
        {reason ?? undefined}
      </StatusBadge>
    )
  return (
    <StatusBadge state={health.state} isPlain={isPlain}>
      {health.state === 'unknown' ? text.noCalls : undefined}
    </StatusBadge>
  )
}

/** The class of a failure, in words: `key_refused` is "key refused". */
export function toErrorWords(errorClass: string | null): string {
  return errorClass === null ? text.noErrors : errorClass.replaceAll('_', ' ')
}
