import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sendApi } from '#ui/api/request-api.ts'
import { DialogForm } from '#ui/parts/form/dialog-form.tsx'
import { refusedFields } from '#ui/parts/form/refusal-at.ts'
import { TextField } from '#ui/parts/form/text-field.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
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
  const queries = useQueryClient()
  const send = useMutation({
    mutationFn: () => {
      const body = { agent, revision, reason: reason.trim() }
      return sendApi({ method: 'POST', path: ['evalsuites', namespace, suite, 'override'], body })
    },
    onSuccess: async () => {
      showToast({ kind: 'done', message: text.done(revision) })
      onClose()
      await queries.invalidateQueries({ queryKey: ['evalsuites'] })
      await queries.invalidateQueries({ queryKey: ['agents', namespace, agent] })
    },
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
