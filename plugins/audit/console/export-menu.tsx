import { useState } from 'react'
import { downloadFile } from '#ui/api/download.ts'
import type { RequestQuery } from '#ui/api/request-api.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Menu } from '#ui/parts/overlay/menu.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { auditText as text } from './text.ts'

type ExportFormat = 'csv' | 'ndjson'

/** Saves the rows of filter and range as a file. */
export function ExportMenu({ query }: { readonly query: RequestQuery }) {
  const [isBusy, setBusy] = useState(false)
  const save = (format: ExportFormat): void => {
    const name = `audit.${format}`
    // An export has an end, which a relative range leaves open.
    const range = { to: new Date().toISOString(), ...query, format }
    setBusy(true)
    downloadFile({ path: ['audit', 'export'], query: range }, name)
      .then(() => showToast({ kind: 'done', message: text.exported(name) }))
      .catch((error: Error) => showToast({ kind: 'failed', message: error.message }))
      .finally(() => setBusy(false))
  }
  return (
    <Menu
      label={text.export}
      align="end"
      trigger={(props) => (
        <Button {...props} icon="download" isBusy={isBusy}>
          {text.export}
        </Button>
      )}
      entries={[
        { kind: 'item', text: text.exportCsv, onPick: () => save('csv') },
        { kind: 'item', text: text.exportLines, onPick: () => save('ndjson') },
      ]}
    />
  )
}
