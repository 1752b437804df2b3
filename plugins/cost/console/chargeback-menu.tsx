import { useState } from 'react'
import { downloadFile } from '#ui/api/download.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Menu } from '#ui/parts/overlay/menu.tsx'
import { useNarrow } from '#ui/parts/page/use-narrow.ts'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { costText as text } from './text.ts'
import type { CostChoice } from './use-cost.ts'

/** Saves the statement of the period. */
export function ChargebackMenu({ choice: { scope, days } }: { readonly choice: CostChoice }) {
  const [isBusy, setBusy] = useState(false)
  // A narrow bar has room for the title and the period.
  const isNarrow = useNarrow()
  const save = (format: 'csv' | 'focus'): void => {
    const name = `chargeback-${days.from}-${days.to}${format === 'focus' ? '-focus' : ''}.csv`
    setBusy(true)
    downloadFile({ path: ['cost', 'chargeback'], query: { ...scope, ...days, format } }, name)
      .then(() => showToast({ kind: 'done', message: text.saved(name) }))
      .catch((error: Error) => showToast({ kind: 'failed', message: error.message }))
      .finally(() => setBusy(false))
  }
  return (
    <Menu
      label={text.chargeback}
      align="end"
      trigger={(props) => (
        <Button {...props} icon="download" isBusy={isBusy} {...(isNarrow ? { 'aria-label': text.chargeback } : {})}>
          {isNarrow ? undefined : text.chargeback}
        </Button>
      )}
      entries={[
        { kind: 'item', text: text.csv, onPick: () => save('csv') },
        { kind: 'item', text: text.focus, onPick: () => save('focus') },
      ]}
    />
  )
}
