import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { OrgCredentialBody } from '#schemas/api/mcp.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { DialogForm } from '#ui/parts/form/dialog-form.tsx'
import { refusedFields } from '#ui/parts/form/refusal-at.ts'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { isValueMissing, toCredential } from './credential-body.ts'
import type { CredentialFields } from './credential-body.ts'
import { CredentialPart } from './credential-part.tsx'
import { credentialText } from './text.ts'

const text = credentialText.dialog

interface CredentialDialogProps {
  readonly namespace: string
  readonly server: string
  readonly first: CredentialFields
  readonly onClose: () => void
}

/** Sets the credential of a server. Its value stays in the field: it is an argument of the request and no state. */
export function CredentialDialog({ namespace, server, first, onClose }: CredentialDialogProps) {
  const [fields, setFields] = useState(first)
  const [isMissing, setMissing] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const value = useRef<HTMLInputElement>(null)
  const queries = useQueryClient()
  const set = async (body: OrgCredentialBody): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      await sendApi({ method: 'POST', path: ['mcp', 'org-credential'], body })
      queries.invalidateQueries({ queryKey: ['mcpservers'] }).catch(() => undefined)
      showToast({ kind: 'done', message: text.done(server) })
      onClose()
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
      setBusy(false)
    }
  }
  const submit = (): void => {
    const given = value.current?.value ?? ''
    const isRefused = isValueMissing(fields.kind, given)
    setMissing(isRefused)
    if (!isRefused) set({ namespace, server, credential: toCredential(fields, given) }).catch(() => undefined)
  }
  const { fields: refused, rest } = refusedFields(error, ['kind', 'header', 'clientId', 'value'])
  return (
    <DialogForm
      title={text.title(server)}
      hint={text.hint}
      action={text.action}
      isBusy={isBusy}
      error={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <CredentialPart
        fields={fields}
        refused={refused}
        isMissing={isMissing}
        input={value}
        onChange={(changed) => setFields({ ...fields, ...changed })}
      />
    </DialogForm>
  )
}
