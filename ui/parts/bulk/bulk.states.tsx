import { useState } from 'react'
import { Button } from '../control/button.tsx'
import type { PartStates } from '../part-states.ts'
import { BulkDialog, BulkFailureList, BulkProgress } from './bulk-dialog.tsx'

const items = [
  { key: '1', name: 'invoice-matcher 0193c5e1' },
  { key: '2', name: 'שירות \u202e <b>' },
]
const failed = new Map([
  ['1', 'The run has ended.'],
  ['2', 'You may not update runs.'],
])

function OpenedBulk() {
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Cancel 2 runs</Button>
      {isOpen ? (
        <BulkDialog
          title="Cancel 2 runs?"
          effects={['Each stops at its next step.']}
          action="Cancel the runs"
          items={items}
          act={async (key) => {
            if (key === '2') throw new Error('The run has ended.')
          }}
          onEnded={() => undefined}
          doneWords={(count) => `${count} cancelled`}
          onClose={close}
        />
      ) : undefined}
    </>
  )
}

/** States of what is done with several rows. */
export const bulkStates: readonly PartStates[] = [
  { part: 'BulkDialog', states: [{ name: 'one of two fails', show: () => <OpenedBulk /> }] },
  {
    part: 'BulkProgress',
    states: [
      { name: 'begun', show: () => <BulkProgress done={0} of={40} /> },
      { name: 'some done', show: () => <BulkProgress done={12} of={40} /> },
    ],
  },
  {
    part: 'BulkFailureList',
    states: [{ name: 'two failed', show: () => <BulkFailureList items={items} failed={failed} /> }],
  },
]
