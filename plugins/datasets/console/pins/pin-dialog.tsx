import { useState } from 'react'
import { requestApi } from '#ui/api/request-api.ts'
import { useAct } from '#ui/kinds/dialogs/use-act.ts'
import { DialogForm } from '#ui/parts/form/dialog-form.tsx'
import { TextField } from '#ui/parts/form/text-field.tsx'
import type { ShownDataset, ShownPin } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'

const text = datasetsText.pins

interface PinDialogProps {
  readonly dataset: ShownDataset
  readonly onClose: () => void
  readonly onPinned: () => void
}

/** Pins the cases as they are, with a note. */
export function PinDialog({ dataset: { namespace, name, cases }, onClose, onPinned }: PinDialogProps) {
  const [note, setNote] = useState('')
  const pin = useAct({
    send: async () => {
      const path = ['datasets', name, 'pin']
      const response = await requestApi({ method: 'POST', path, query: { namespace }, body: { note: note.trim() } })
      // 200: these cases were pinned before.
      return { made: (await response.json()) as ShownPin, isNew: response.status === 201 }
    },
    done: ({ made, isNew }) => (isNew ? text.done(made.version, made.cases) : text.same(made.version)),
    changes: [['datasets']],
    onDone: onPinned,
  })
  return (
    <DialogForm
      title={text.title}
      hint={text.hint(cases)}
      action={text.action}
      isBusy={pin.isPending}
      error={pin.error}
      onSubmit={() => pin.mutate()}
      onClose={onClose}
    >
      <TextField label={text.note} hint={text.noteHint} value={note} maxLength={500} onChange={setNote} />
    </DialogForm>
  )
}
