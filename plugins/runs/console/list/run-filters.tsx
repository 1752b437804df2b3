import type { FailReason } from '#schemas/runs/run.ts'
import type { SearchValues } from '#ui/contract/search.ts'
import { SearchField } from '#ui/parts/control/search-field.tsx'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { Facet } from '#ui/parts/filter/facet.tsx'
import { FilterBar } from '#ui/parts/filter/filter-bar.tsx'
import type { ListOption } from '#ui/parts/filter/option-list.tsx'
import { TimeRange } from '#ui/parts/filter/time-range.tsx'
import { runsText as text } from './text.ts'
import { rangeOf, setFilters, stateChoices, withoutFilters } from './run-search.ts'
import type { FilterName } from './run-search.ts'

interface RunFiltersProps {
  readonly search: SearchValues
  readonly onChange: (changes: SearchValues) => void
  /** Agents with runs in the range. */
  readonly agents: readonly string[]
}

const toOptions = (values: readonly string[]): readonly ListOption[] => values.map((value) => ({ value, label: value }))
const triggers = toOptions(['api', 'spawn', 'handoff', 'retry', 'a2a', 'amp', 'ag-ui', 'gateway'])
const failures: Readonly<Record<FailReason, true>> = {
  agent_error: true,
  model_error: true,
  tool_error: true,
  guardrail_blocked: true,
  budget_exceeded: true,
  agent_unreachable: true,
  permission_revoked: true,
  lost_worker: true,
  approval_denied: true,
  approval_expired: true,
}
const reasons = toOptions(Object.keys(failures))
const orders: readonly ListOption[] = [
  { value: 'oldest', label: text.orders.oldest },
  { value: 'longest', label: text.orders.longest },
]
const choices = Object.entries(stateChoices)
const stateOptions = choices.map(([name, value]) => ({ value, label: text.states[name as keyof typeof stateChoices] }))

/** Filters that have no control of their own: they come with a link. */
const linked: readonly FilterName[] = [
  'subject',
  'model',
  'parent',
  'label',
  'conversationId',
  'minDuration',
  'hasFeedback',
]

/** Filters and order of the list of runs. */
export function RunFilters({ search, onChange, agents }: RunFiltersProps) {
  const change = (changes: SearchValues): void => onChange({ ...changes, cursor: undefined })
  const facet = (name: FilterName | 'order', options: readonly ListOption[]) => (
    <Facet
      key={name}
      label={text.facets[name]}
      options={options}
      value={search[name]}
      onChange={(value) => change({ [name]: value })}
    />
  )
  const { state = '', q = '' } = search
  const isChoice = stateOptions.some(({ value }) => value === state)
  return (
    <FilterBar setCount={setFilters(search).length} onClear={() => onChange(withoutFilters())}>
      <SearchField label={text.search} value={q} onChange={(value) => change({ q: value })} />
      <Segmented
        label={text.facets.state}
        value={state}
        options={stateOptions}
        onChange={(value) => change({ state: value })}
      />
      {isChoice ? undefined : facet('state', stateOptions.slice(1))}
      {facet('agent', toOptions(agents))}
      {facet('failReason', reasons)}
      {facet('trigger', triggers)}
      {linked.filter((name) => search[name] !== undefined).map((name) => facet(name, []))}
      <TimeRange value={rangeOf(search)} onChange={({ from, to }) => change({ from, to })} />
      {facet('order', orders)}
    </FilterBar>
  )
}
