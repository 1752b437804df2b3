import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { BulkDialog } from '#ui/parts/bulk/bulk-dialog.tsx'
import { Button } from '#ui/parts/control/button.tsx'
import { BulkBar } from '#ui/parts/table/bulk-bar.tsx'
import type { BulkSelection } from '#ui/parts/table/use-bulk.ts'
import { endShare } from './end-share.ts'
import type { ShownShare } from './end-share.ts'
import { sharesText } from './text.ts'

const { bulk: text } = sharesText

interface RevokeSelectedProps {
  readonly bulk: BulkSelection
  readonly shares: readonly ShownShare[]
}

/** What can be done with the selected shares: end them. Those that cannot be ended stay selected. */
export function RevokeSelected({ bulk, shares }: RevokeSelectedProps) {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const chosen = shares.filter(({ id }) => bulk.selected.has(id))
  const revoke = async (key: string): Promise<void> => {
    const share = shares.find(({ id }) => id === key)
    if (share !== undefined) await endShare(share)
  }
  return (
    <>
      <BulkBar bulk={bulk}>
        <Button kind="danger" icon="close" onClick={() => setOpen(true)}>
          {text.action(chosen.length)}
        </Button>
      </BulkBar>
      {isOpen ? (
        <BulkDialog
          title={text.title(chosen.length)}
          effects={text.effects}
          action={text.action(chosen.length)}
          items={chosen.map(({ id, agent, runId }) => ({
            key: id,
            name: `${agent ?? ''} ${runId}`.trim(),
          }))}
          act={revoke}
          doneWords={text.done}
          onEnded={(left) => {
            bulk.keep(left)
            queries.invalidateQueries({ queryKey: ['my', 'shares'] }).catch(() => undefined)
          }}
          onClose={() => setOpen(false)}
        />
      ) : undefined}
    </>
  )
}
