import { useState } from 'react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { useAct } from '#ui/kinds/dialogs/use-act.ts'
import { DialogForm, FieldPair } from '#ui/parts/form/dialog-form.tsx'
import { refusedFields } from '#ui/parts/form/refusal-at.ts'
import { TextField } from '#ui/parts/form/text-field.tsx'
import type { DatasetName, ReadDataset, ShownDataset } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import { toDatasetBody, typedOf } from './to-dataset-body.ts'

const text = datasetsText.write

interface WriteDatasetDialogProps {
  readonly namespace?: string | undefined
  /** The dataset that is changed. */
  readonly dataset?: ReadDataset | undefined
  readonly onClose: () => void
  readonly onSaved: (place: DatasetName) => void
}

/** Creates a dataset, or changes what is known of one. */
export function WriteDatasetDialog({ namespace = 'default', dataset, onClose, onSaved }: WriteDatasetDialogProps) {
  const [typed, setTyped] = useState(() => typedOf(namespace, dataset))
  const isFirst = dataset === undefined
  const save = useAct({
    send: async () => {
      const path = ['datasets', typed.name.trim()]
      const query = { namespace: typed.namespace.trim() }
      // The version of a new one is 0: a dataset of that name is not replaced.
      const headers = { 'if-match': dataset?.tag ?? '"0"' }
      return sendApi<ShownDataset>({ method: 'PUT', path, query, headers, body: toDatasetBody(typed, dataset) })
    },
    done: (saved) => saved && (isFirst ? text.created : text.saved)(saved.name),
    changes: [['datasets']],
    onDone: (saved) => {
      onClose()
      if (saved !== undefined) onSaved(saved)
    },
  })
  const { fields, rest } = refusedFields(save.error, ['description', 'allowedNamespaces', 'name', 'namespace'])
  const set = (changed: Partial<typeof typed>) => setTyped({ ...typed, ...changed })
  return (
    <DialogForm
      title={isFirst ? text.first : text.edit}
      hint={text.hint}
      action={isFirst ? text.create : text.save}
      isBusy={save.isPending}
      error={toRefusal(rest, isFirst)}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {isFirst ? (
        <FieldPair>
          <TextField
            label={text.name}
            value={typed.name}
            maxLength={63}
            isRequired
            refused={fields.name}
            onChange={(name) => set({ name })}
          />
          <TextField
            label={text.namespace}
            value={typed.namespace}
            maxLength={63}
            isRequired
            refused={fields.namespace}
            onChange={(ns) => set({ namespace: ns })}
          />
        </FieldPair>
      ) : undefined}
      <TextField
        label={text.about}
        value={typed.description}
        maxLength={2_000}
        isLong
        refused={fields.description}
        onChange={(description) => set({ description })}
      />
      <TextField
        label={text.shared}
        hint={text.sharedHint}
        value={typed.shared}
        maxLength={6_400}
        refused={fields.allowedNamespaces}
        onChange={(shared) => set({ shared })}
      />
    </DialogForm>
  )
}

// To a person, a version is an implementation.
function toRefusal(error: Error | null, isFirst: boolean): Error | null {
  const isOther = error instanceof ApiProblem && error.facts.status === 412
  return isOther ? new Error(isFirst ? text.exists : text.changed) : error
}
