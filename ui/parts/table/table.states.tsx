import { ApiProblem } from '../../api/api-problem.ts'
import type { PartStates } from '../part-states.ts'
import { EmptyState, NoMatch } from '../state/empty-state.tsx'
import { StatusBadge } from '../status/status-badge.tsx'
import { Button } from '../control/button.tsx'
import { AgentName } from '../value/agent-name.tsx'
import { Duration, Money } from '../value/numbers.tsx'
import { BulkBar } from './bulk-bar.tsx'
import type { DataColumn } from './data-column.ts'
import { DataTable } from './data-table.tsx'
import { Pager } from './pager.tsx'
import type { BulkSelection } from './use-bulk.ts'

interface ExampleRun {
  readonly id: string
  readonly state: string
  readonly agent: string
  readonly input: string
  readonly ms: number | null
  readonly cost: string | null
}

const columns: readonly DataColumn<ExampleRun>[] = [
  { title: 'State', cell: ({ state }) => <StatusBadge state={state} /> },
  { title: 'Agent', cell: ({ agent }) => <AgentName name={agent} /> },
  { title: 'Input', rank: 2, isWide: true, cell: ({ input }) => <span dir="auto">{input}</span> },
  { title: 'Duration', rank: 3, align: 'end', cell: ({ ms }) => <Duration ms={ms} /> },
  { title: 'Cost', rank: 4, align: 'end', cell: ({ cost }) => <Money amount={cost} currency="USD" /> },
]
const states = ['running', 'paused', 'succeeded', 'failed', 'queued']
const inputs = [
  'Order 48213 arrived damaged, customer asks for a refund',
  'Summarise RFC 9728 for engineers',
  '<img src=x onerror=alert(1)>',
]

function rowsOf(count: number): readonly ExampleRun[] {
  return Array.from({ length: count }, (_, index) => ({
    id: String(index),
    state: states[index % states.length] ?? '',
    agent: ['triage', 'refund-agent', 'sentiment'][index % 3] ?? '',
    input: inputs[index % inputs.length] ?? '',
    ms: index % 5 === 4 ? null : 400 * (index + 1),
    cost: index % 5 === 4 ? null : `0.${String(index + 1).padStart(4, '0')}`,
  }))
}

const some = rowsOf(5)
const many = rowsOf(10_000)
const shared = { columns, keyOf: ({ id }: ExampleRun) => id, onOpen: () => undefined }
const problem = new ApiProblem({
  status: 503,
  title: 'The database is away',
  detail: 'The server could not read runs.',
  code: 'unavailable',
})
const empty = (
  <EmptyState icon="activity" title="No runs yet">
    A run begins when an agent is called.
  </EmptyState>
)

function bulkOf(count: number): BulkSelection {
  const nothing = (): void => undefined
  const selected = new Set(Array.from({ length: count }, (_, index) => String(index)))
  return { selected, toggle: nothing, extend: nothing, keep: nothing, clear: nothing }
}

/** States of the parts of this folder. */
export const tableStates: readonly PartStates[] = [
  {
    part: 'DataTable',
    states: [
      { name: 'skeleton', show: () => <DataTable {...shared} label="Loading runs" rows={undefined} empty={empty} /> },
      { name: 'rows', show: () => <DataTable {...shared} label="Runs" rows={some} empty={empty} /> },
      {
        name: 'selected',
        show: () => <DataTable {...shared} label="Selected runs" rows={some} empty={empty} selected={new Set(['1'])} />,
      },
      {
        name: 'selected for an action',
        show: () => <DataTable {...shared} label="Picked runs" rows={some} empty={empty} bulk={bulkOf(2)} />,
      },
      { name: 'empty', show: () => <DataTable {...shared} label="No runs" rows={[]} empty={empty} /> },
      {
        name: 'no match',
        show: () => <DataTable {...shared} label="No match" rows={[]} empty={<NoMatch onClear={() => undefined} />} />,
      },
      {
        name: 'error with old rows',
        show: () => <DataTable {...shared} label="Old runs" rows={some} error={problem} empty={empty} />,
      },
      {
        name: 'error',
        show: () => (
          <DataTable
            {...shared}
            label="Failed runs"
            rows={undefined}
            error={problem}
            onRetry={() => undefined}
            empty={empty}
          />
        ),
      },
      {
        name: '10,000 rows',
        show: () => (
          <div style={{ display: 'flex', height: 320 }}>
            <DataTable {...shared} label="Many runs" rows={many} empty={empty} />
          </div>
        ),
      },
    ],
  },
  {
    part: 'BulkBar',
    states: [
      {
        name: 'some selected',
        show: () => (
          <BulkBar bulk={bulkOf(2)}>
            <Button kind="danger">Cancel 2 runs</Button>
          </BulkBar>
        ),
      },
      {
        name: 'full',
        show: () => (
          <BulkBar bulk={bulkOf(50)}>
            <Button kind="danger">Cancel 50 runs</Button>
          </BulkBar>
        ),
      },
      { name: 'none selected', show: () => <BulkBar bulk={bulkOf(0)}>{undefined}</BulkBar> },
    ],
  },
  {
    part: 'Pager',
    states: [
      {
        name: 'first',
        show: () => <Pager note="Kept for 90 days, newest first" onNewer={undefined} onOlder={() => undefined} />,
      },
      {
        name: 'middle',
        show: () => <Pager note="50 a page, newest first" onNewer={() => undefined} onOlder={() => undefined} />,
      },
      {
        name: 'last',
        show: () => <Pager note="50 a page, newest first" onNewer={() => undefined} onOlder={undefined} />,
      },
      {
        name: 'by name',
        show: () => <Pager note="By name" order="other" onNewer={undefined} onOlder={() => undefined} />,
      },
    ],
  },
]
