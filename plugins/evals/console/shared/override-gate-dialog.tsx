import { useState } from 'react'
import { sendApi } from '#ui/api/request-api.ts'
import { useAct } from '#ui/kinds/dialogs/use-act.ts'
import { DialogForm } from '#ui/parts/form/dialog-form.tsx'
import { refusedFields } from '#ui/parts/form/refusal-at.ts'
import { TextField } from '#ui/parts/form/text-field.tsx'
import { evalsText } from './text.ts'

const text = evalsText.override

interface OverrideGateDialogProps {
  readonly of: {
    readonly namespace: string
    readonly suite: string
    readonly agent: string
    readonly revision: number
  }
  readonly onClose: () => void
}

/** Lets a revision serve that has not passed, with a reason. It needs the verb `override`. */
export function OverrideGateDialog({ of: { namespace, suite, agent, revision }, onClose }: OverrideGateDialogProps) {
  const [reason, setReason] = useState('')
  const send = useAct({
    send: () => {
      const body = { agent, revision, reason: reason.trim() }
      return sendApi({ method: 'POST', path: ['evalsuites', namespace, suite, 'override'], body })
    },
    done: () => text.done(revision),
    changes: [['evalsuites'], ['agents', namespace, agent]],
    onDone: onClose,
  })
  const { fields, rest } = refusedFields(send.error, ['reason'])
  return (
    <DialogForm
      title={text.title(revision, agent)}
      hint={text.hint}
      action={text.action}
      isBusy={send.isPending}
      error={rest}
      onSubmit={() => send.mutate()}
      onClose={onClose}
    >
      <TextField
        label={text.reason}
        hint={text.reasonHint}
        value={reason}
        maxLength={500}
        isRequired
        refused={fields.reason}
        onChange={setReason}
      />
    </DialogForm>
  )
}
