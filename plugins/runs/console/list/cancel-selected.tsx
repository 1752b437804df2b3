import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { BulkDialog } from '#ui/parts/bulk/bulk-dialog.tsx'
import { Button } from '#ui/parts/control/button.tsx'
import { BulkBar } from '#ui/parts/table/bulk-bar.tsx'
import type { BulkSelection } from '#ui/parts/table/use-bulk.ts'
import { sendRun } from '../send/send-run.ts'
import type { RunOfList } from './run-columns.tsx'
import { runsText } from './text.ts'

const { cancel: text } = runsText

interface CancelSelectedProps {
  readonly bulk: BulkSelection
  readonly rows: readonly RunOfList[]
}

/** What can be done with the selected runs: cancel them. Those that cannot be cancelled stay selected. */
export function CancelSelected({ bulk, rows }: CancelSelectedProps) {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const items = rows
    .filter(({ id }) => bulk.selected.has(id))
    .map(({ id, agent, executor }) => ({ key: id, name: `${agent?.name ?? executor ?? ''} ${id}`.trim() }))
  return (
    <>
      <BulkBar bulk={bulk}>
        <Button kind="danger" icon="barred" onClick={() => setOpen(true)}>
          {text.action(items.length)}
        </Button>
      </BulkBar>
      {isOpen ? (
        <BulkDialog
          title={text.title(items.length)}
          effects={text.effects}
          action={text.action(items.length)}
          items={items}
          act={async (id) => sendRun([id, 'cancel'])}
          doneWords={text.done}
          onEnded={(left) => {
            bulk.keep(left)
            queries.invalidateQueries({ queryKey: ['runs'] }).catch(() => undefined)
          }}
          onClose={() => setOpen(false)}
        />
      ) : undefined}
    </>
  )
}
