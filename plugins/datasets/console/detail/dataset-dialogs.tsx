import { RemovalDialog } from '#ui/kinds/dialogs/removal-dialog.tsx'
import { ExportDialog } from '../export/export-dialog.tsx'
import { ImportDialog } from '../import/import-dialog.tsx'
import { PinDialog } from '../pins/pin-dialog.tsx'
import type { DatasetDialogName, ReadDataset } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import { WriteDatasetDialog } from '../write/write-dataset-dialog.tsx'

interface DatasetDialogsProps {
  readonly shown: DatasetDialogName
  readonly dataset: ReadDataset
  readonly onClose: () => void
  readonly onOpenTab: (tab: 'pins' | 'exports', item?: string) => void
  readonly onGone: () => void
}

/** The dialogs of a dataset. */
export function DatasetDialogs({ shown, dataset, onClose, onOpenTab, onGone }: DatasetDialogsProps) {
  const { namespace, name } = dataset
  const openTab = (tab: 'pins' | 'exports', item?: string): void => {
    onClose()
    onOpenTab(tab, item)
  }
  switch (shown) {
    case 'edit':
      return <WriteDatasetDialog dataset={dataset} onClose={onClose} onSaved={() => undefined} />
    case 'pin':
      return <PinDialog dataset={dataset} onClose={onClose} onPinned={() => openTab('pins')} />
    case 'import':
      return <ImportDialog place={dataset} onClose={onClose} />
    case 'export':
      return <ExportDialog place={dataset} onClose={onClose} onStarted={(id) => openTab('exports', id)} />
    case 'remove':
      return (
        <RemovalDialog
          words={datasetsText.removal}
          name={name}
          path={['datasets', name]}
          query={{ namespace }}
          lists={['datasets']}
          isTyped
          {...{ onClose, onGone }}
        />
      )
  }
}
