import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { sendApi } from '#ui/api/request-api.ts'
import { DialogForm } from '#ui/parts/form/dialog-form.tsx'
import { TextField } from '#ui/parts/form/text-field.tsx'
import { refusalAt } from '#ui/parts/form/refusal-at.ts'
import { agentAddress } from '../../shared/shown-agent.ts'
import type { ShownAgent } from '../../shared/shown-agent.ts'
import { agentText } from '../../shared/text.ts'

const text = agentText.fork

interface ForkDialogProps {
  readonly agent: ShownAgent
  readonly onClose: () => void
}

/** Makes a copy of the agent, and opens it. */
export function ForkDialog({ agent: { metadata }, onClose }: ForkDialogProps) {
  const [name, setName] = useState(`${metadata.name}-copy`)
  const [namespace, setNamespace] = useState(metadata.namespace ?? '')
  const queries = useQueryClient()
  const navigate = useNavigate()
  const path = ['agents', metadata.namespace ?? '', metadata.name, 'fork']
  const fork = useMutation({
    mutationFn: () => sendApi<ShownAgent>({ method: 'POST', path, body: { name, namespace } }),
    onSuccess: async (made) => {
      queries.invalidateQueries({ queryKey: ['agents'] }).catch(() => undefined)
      onClose()
      await navigate({ to: agentAddress(made?.metadata ?? { namespace, name }) })
    },
  })
  return (
    <DialogForm
      title={text.title(metadata.name)}
      hint={text.hint}
      action={text.action}
      isBusy={fork.isPending}
      error={fork.error}
      onSubmit={() => fork.mutate()}
      onClose={onClose}
    >
      <TextField
        label={text.name}
        value={name}
        maxLength={253}
        isRequired
        refused={refusalAt(fork.error, '/name')}
        onChange={setName}
      />
      <TextField
        label={text.namespace}
        value={namespace}
        maxLength={63}
        isRequired
        refused={refusalAt(fork.error, '/namespace')}
        onChange={setNamespace}
      />
    </DialogForm>
  )
}
