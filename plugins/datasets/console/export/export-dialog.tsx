import { useState } from 'react'
import type { Static } from 'typebox'
import type { Run } from '#schemas/api/runs.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { useAct } from '#ui/kinds/dialogs/use-act.ts'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { DialogForm, FieldPair } from '#ui/parts/form/dialog-form.tsx'
import { refusedFields } from '#ui/parts/form/refusal-at.ts'
import { CheckField, TextField } from '#ui/parts/form/text-field.tsx'
import type { DatasetName } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import { emptyExport, toExportBody } from './to-export-body.ts'

const text = datasetsText.export
const tos = (['dataset', 'file'] as const).map((value) => ({ value, label: text.tos[value] }))

interface ExportDialogProps {
  readonly place: DatasetName
  readonly onClose: () => void
  readonly onStarted: (runId: string) => void
}

/** Starts an export of runs, which goes on by itself. */
export function ExportDialog({ place: { namespace, name }, onClose, onStarted }: ExportDialogProps) {
  const [typed, setTyped] = useState(emptyExport)
  const [isWrong, setWrong] = useState(false)
  const start = useAct({
    send: (body: object) =>
      sendApi<Static<typeof Run>>({ method: 'POST', path: ['datasets', name, 'export'], query: { namespace }, body }),
    // The tab of exports shows it.
    done: () => undefined,
    changes: [['runs']],
    onDone: (run) => {
      if (run !== undefined) onStarted(run.id)
    },
  })
  const submit = (): void => {
    const body = toExportBody(typed)
    setWrong(body === undefined)
    if (body !== undefined) start.mutate(body)
  }
  const { fields, rest } = refusedFields(start.error, ['agent', 'redact'])
  const set = (changed: Partial<typeof typed>) => setTyped({ ...typed, ...changed })
  return (
    <DialogForm
      title={text.title}
      hint={text.hint}
      action={text.action}
      isBusy={start.isPending}
      error={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <FieldPair>
        <TextField
          label={text.agent}
          hint={text.agentHint}
          value={typed.agent}
          maxLength={253}
          refused={fields.agent}
          onChange={(agent) => set({ agent })}
        />
        <TextField
          label={text.most}
          value={typed.most}
          maxLength={6}
          isRequired
          refused={isWrong ? text.wrongMost : undefined}
          onChange={(most) => set({ most })}
        />
      </FieldPair>
      <Segmented label={text.to} value={typed.to} options={tos} onChange={(to) => set({ to })} />
      <TextField
        label={text.redact}
        hint={text.redactHint}
        value={typed.redact}
        maxLength={2_000}
        refused={fields.redact}
        onChange={(redact) => set({ redact })}
      />
      <CheckField label={text.expected} isOn={typed.hasExpected} onChange={(hasExpected) => set({ hasExpected })} />
    </DialogForm>
  )
}
