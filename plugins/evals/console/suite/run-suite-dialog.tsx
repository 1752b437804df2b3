import { useState } from 'react'
import type { EvaluationView } from '#schemas/api/evaluations.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { useAddress } from '#ui/contract/search.ts'
import { useAct } from '#ui/kinds/dialogs/use-act.ts'
import { DialogForm, FieldPair } from '#ui/parts/form/dialog-form.tsx'
import { refusedFields } from '#ui/parts/form/refusal-at.ts'
import { TextField } from '#ui/parts/form/text-field.tsx'
import { evalsText } from '../shared/text.ts'
import type { ShownSuite } from './to-suite.ts'

const text = evalsText.run

interface RunSuiteDialogProps {
  readonly suite: ShownSuite
  readonly agent: string | undefined
  readonly onClose: () => void
}

/** Scores a revision of an agent now. */
export function RunSuiteDialog({ suite: { namespace, name }, agent: first = '', onClose }: RunSuiteDialogProps) {
  const [agent, setAgent] = useState(first)
  const [revision, setRevision] = useState('')
  const [isWrong, setWrong] = useState(false)
  const [, change] = useAddress()
  const start = useAct({
    send: () => {
      const given = revision.trim() === '' ? {} : { revision: Number(revision) }
      const body = { agent: agent.trim(), ...given }
      return sendApi<EvaluationView>({ method: 'POST', path: ['evalsuites', namespace, name, 'runs'], body })
    },
    done: (made) => made && text.done(made.revision),
    changes: [['evalsuites']],
    onDone: () => {
      onClose()
      change({ agent: undefined, revision: undefined, case: undefined })
    },
  })
  const submit = (): void => {
    const isNumber = /^\s*([1-9]\d{0,8})?\s*$/.test(revision)
    setWrong(!isNumber)
    if (isNumber) start.mutate()
  }
  const { fields, rest } = refusedFields(start.error, ['agent', 'revision'])
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
          value={agent}
          maxLength={253}
          isRequired
          refused={fields.agent}
          onChange={setAgent}
        />
        <TextField
          label={text.revision}
          hint={text.revisionHint}
          value={revision}
          maxLength={9}
          refused={isWrong ? text.wrongRevision : fields.revision}
          onChange={setRevision}
        />
      </FieldPair>
    </DialogForm>
  )
}
