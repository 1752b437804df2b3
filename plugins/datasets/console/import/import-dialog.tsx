import { useRef, useState } from 'react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { useAct } from '#ui/kinds/dialogs/use-act.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { DialogForm } from '#ui/parts/form/dialog-form.tsx'
import { toSize } from '#ui/parts/format/counts.ts'
import type { Static } from 'typebox'
import type { ImportedCases } from '#schemas/api/datasets.ts'
import type { DatasetName } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import { importTypeOf, refusedRows } from './import-file.ts'
import { RefusedRows } from './refused-rows.tsx'
import styles from './import.module.css'

const text = datasetsText.import

interface ImportDialogProps {
  readonly place: DatasetName
  readonly onClose: () => void
}

/** Imports a file of cases; what is wrong with a row is shown by its number. */
export function ImportDialog({ place: { namespace, name }, onClose }: ImportDialogProps) {
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File>()
  const send = useAct({
    send: async () => {
      const type = file === undefined ? undefined : importTypeOf(file.name)
      if (file === undefined || type === undefined) throw new Error(text.unknown)
      if (file.size === 0) throw new Error(text.empty)
      const path = ['datasets', name, 'cases', 'import']
      // The bytes are sent as they are: the type that a browser gives a file depends on the machine.
      const bytes = new Blob([file], { type })
      return sendApi<Static<typeof ImportedCases>>({ method: 'POST', path, query: { namespace }, file: bytes })
    },
    done: (made) => made && text.done(made.created, made.updated, made.unchanged),
    changes: [['datasets']],
    onDone: onClose,
  })
  const rows = refusedRows(send.error instanceof ApiProblem ? (send.error.facts.errors ?? []) : [])
  return (
    <DialogForm
      title={text.title}
      hint={text.hint}
      action={text.action}
      isBusy={send.isPending}
      error={rows.length === 0 ? send.error : null}
      onSubmit={() => send.mutate()}
      onClose={onClose}
    >
      <div className={styles['file']}>
        <input
          ref={input}
          type="file"
          accept=".csv,.ndjson,.jsonl"
          hidden
          aria-label={text.file}
          onChange={({ target }) => {
            send.reset()
            setFile(target.files?.[0])
          }}
        />
        <Button icon="data" onClick={() => input.current?.click()}>
          {text.choose}
        </Button>
        <span className={`user-text ${file === undefined ? 'faint' : ''}`} dir="auto">
          {file === undefined ? text.none : text.chosen(file.name, toSize(file.size))}
        </span>
      </div>
      <p className="faint">{text.fileHint}</p>
      {rows.length === 0 ? undefined : <RefusedRows rows={rows} />}
    </DialogForm>
  )
}
