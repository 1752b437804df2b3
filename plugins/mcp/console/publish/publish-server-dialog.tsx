import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PublishMcpServerBody } from '#schemas/api/mcp-connectors.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { DialogForm } from '#ui/parts/form/dialog-form.tsx'
import { refusedFields } from '#ui/parts/form/refusal-at.ts'
import { ChoiceField, TextField } from '#ui/parts/form/text-field.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { toServerPublication } from './publish-body.ts'
import type { PublishAudience, PublicationFields } from './publish-body.ts'
import { publishText as text } from './text.ts'

const audiences = (['all', 'some', 'none'] as const).map((value) => ({ value, label: text.audiences[value] }))

interface PublishServerDialogProps {
  readonly namespace: string
  readonly name: string
  readonly description: string
  readonly onClose: () => void
}

/** Publishes a server as a connector, or ends its publication. */
export function PublishServerDialog({ namespace, name, description, onClose }: PublishServerDialogProps) {
  const [fields, setFields] = useState<PublicationFields>({ ...blank, title: name, description })
  const [isMissing, setMissing] = useState(false)
  const queries = useQueryClient()
  const isEnd = fields.audience === 'none'
  const publish = useMutation({
    mutationFn: async (body: PublishMcpServerBody) => sendApi({ method: 'POST', path: ['mcp', 'publish'], body }),
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: ['mcp', 'connectors'] }).catch(() => undefined)
      showToast({ kind: 'done', message: isEnd ? text.ended(name) : text.done(name) })
      onClose()
    },
  })
  const submit = (): void => {
    const body = toServerPublication({ namespace, name }, fields)
    const isEmpty = fields.audience === 'some' && body.visibleTo.length === 0
    setMissing(isEmpty)
    // An empty list would end the publication.
    if (!isEmpty) publish.mutate(body)
  }
  const { fields: refused, rest } = refusedFields(publish.error, ['title', 'description', 'tags', 'visibleTo'])
  const field = (part: 'title' | 'description' | 'tags', label: string, maxLength: number) => (
    <TextField
      label={label}
      hint={part === 'tags' ? text.tagsHint : undefined}
      value={fields[part]}
      maxLength={maxLength}
      isRequired={part !== 'tags'}
      refused={refused[part]}
      onChange={(typed) => setFields({ ...fields, [part]: typed })}
    />
  )
  return (
    <DialogForm
      title={text.title(name)}
      hint={text.hint}
      action={isEnd ? text.end : text.action}
      isBusy={publish.isPending}
      error={rest}
      onSubmit={submit}
      onClose={onClose}
    >
      {field('title', text.name, 120)}
      {field('description', text.description, 1_024)}
      {field('tags', text.tags, 660)}
      <ChoiceField<PublishAudience>
        label={text.visible}
        value={fields.audience}
        options={audiences}
        refused={fields.audience === 'some' ? undefined : refused.visibleTo}
        onChange={(audience) => setFields({ ...fields, audience })}
      />
      {fields.audience === 'some' ? (
        <TextField
          label={text.namespaces}
          hint={text.namespacesHint}
          value={fields.namespaces}
          maxLength={12_800}
          refused={isMissing ? text.namespacesRequired : refused.visibleTo}
          onChange={(namespaces) => setFields({ ...fields, namespaces })}
        />
      ) : undefined}
    </DialogForm>
  )
}

const blank = { tags: '', audience: 'all', namespaces: '' } as const
