import { SearchField } from '../control/search-field.tsx'
import type { PartStates } from '../part-states.ts'
import { Facet } from './facet.tsx'
import { FilterBar } from './filter-bar.tsx'
import { OptionList } from './option-list.tsx'
import { TimeRange } from './time-range.tsx'

const nothing = (): void => undefined
const agents = Array.from({ length: 12 }, (_, index) => ({ value: `agent-${index}`, label: `agent-${index}` }))

/** States of the parts of this folder. */
export const filterStates: readonly PartStates[] = [
  {
    part: 'FilterBar',
    states: [
      {
        name: 'none',
        show: () => (
          <FilterBar setCount={0} onClear={nothing}>
            <SearchField label="Run id" value="" onChange={nothing} />
            <Facet label="Agent" options={agents} value={undefined} onChange={nothing} />
            <TimeRange value={{ from: '6h' }} onChange={nothing} />
          </FilterBar>
        ),
      },
      {
        name: 'many',
        show: () => (
          <FilterBar setCount={3} onClear={nothing}>
            <SearchField label="Run id" value="48213" onChange={nothing} />
            <Facet label="Agent" options={agents} value="agent-3" onChange={nothing} />
            <Facet label="Trigger" options={[]} value="schedule" onChange={nothing} />
          </FilterBar>
        ),
      },
    ],
  },
  {
    part: 'Facet',
    states: [
      { name: 'unset', show: () => <Facet label="Kind" options={agents} value={undefined} onChange={nothing} /> },
      { name: 'set', show: () => <Facet label="Kind" options={agents} value="agent-1" onChange={nothing} /> },
      {
        name: 'set to a long value that is no option',
        show: () => <Facet label="Kind" options={[]} value={'x'.repeat(90)} onChange={nothing} />,
      },
    ],
  },
  {
    part: 'TimeRange',
    states: [
      { name: 'preset', show: () => <TimeRange value={{ from: '24h' }} onChange={nothing} /> },
      {
        name: 'absolute',
        show: () => (
          <TimeRange value={{ from: '2026-11-01T00:00:00Z', to: '2026-11-08T12:30:00Z' }} onChange={nothing} />
        ),
      },
    ],
  },
  {
    part: 'OptionList',
    states: [
      { name: 'searched', show: () => <OptionList label="Agents" options={agents} value="agent-2" onPick={nothing} /> },
    ],
  },
]
