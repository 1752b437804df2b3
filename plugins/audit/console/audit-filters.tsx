import type { AuditEvent } from '#schemas/api/audit.ts'
import { useAddress } from '#ui/contract/search.ts'
import { SearchField } from '#ui/parts/control/search-field.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { Facet } from '#ui/parts/filter/facet.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import { TimeRange } from '#ui/parts/filter/time-range.tsx'
import { FIRST_RANGE, commonActions, commonKinds, filterNames, toOptions } from './audit-rows.ts'
import { auditText as text } from './text.ts'

interface AuditFiltersProps {
  /** The rows that are shown, whose values can be chosen. */
  readonly rows: readonly AuditEvent[]
  readonly onClear: () => void
}

const outcomes = (['all', 'success', 'denied', 'error'] as const).map((value) => ({
  value: value as string,
  label: text.outcomes[value],
}))

/** Filters of the log. */
export function AuditFilters({ rows, onClear }: AuditFiltersProps) {
  const [search, change] = useAddress()
  // The cursor and the entry are those of another list.
  const set = (name: string, value: string | undefined): void =>
    change({ [name]: value, cursor: undefined, item: undefined })
  const facets: readonly (readonly [name: string, label: string, values: readonly string[]])[] = [
    ['action', text.action, [...commonActions, ...rows.map(({ action }) => action)]],
    ['kind', text.kind, [...commonKinds, ...rows.map((row) => row.resource_kind)]],
    ['actor_kind', text.actorKind, ['controller', 'system', 'user']],
    ['source', text.source, ['bff', 'controller']],
    // Set by an entry, and removed here.
    ...(search['resource_name'] === undefined ? [] : [['resource_name', text.resource, []] as const]),
    ...(search['trace_id'] === undefined ? [] : [['trace_id', text.trace, []] as const]),
  ]
  return (
    <FilterBar setCount={filterNames.filter((name) => search[name] !== undefined).length} onClear={onClear}>
      <SearchField label={text.actor} value={search['actor'] ?? ''} onChange={(value) => set('actor', value)} />
      <Segmented
        label={text.outcome}
        value={search['outcome'] ?? 'all'}
        options={outcomes}
        onChange={(value) => set('outcome', value === 'all' ? undefined : value)}
      />
      {facets.map(([name, label, values]) => (
        <Facet
          key={name}
          label={label}
          options={toOptions([], values, search[name])}
          value={search[name]}
          onChange={(value) => set(name, value)}
        />
      ))}
      <TimeRange
        value={{ from: search['from'] ?? FIRST_RANGE, to: search['to'] }}
        onChange={({ from, to }) =>
          change({ from: from === FIRST_RANGE ? undefined : from, to, cursor: undefined, item: undefined })
        }
      />
    </FilterBar>
  )
}
