import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sendApi } from '#ui/api/request-api.ts'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import type { ShownAgent } from '../../shared/shown-agent.ts'
import { agentText } from '../../shared/text.ts'
import { DialogForm, TextField } from './dialog-form.tsx'
import { toPublishBody } from './to-publish-body.ts'

const text = agentText.publish

interface PublishDialogProps {
  readonly agent: ShownAgent
  readonly onClose: () => void
}

/** Publishes the spec of the agent in the catalog. */
export function PublishDialog({ agent: { metadata }, onClose }: PublishDialogProps) {
  const [title, setTitle] = useState(metadata.name)
  const [description, setDescription] = useState('')
  const [tags, setTags] = useState('')
  const queries = useQueryClient()
  const path = ['agents', metadata.namespace ?? '', metadata.name, 'publish']
  const publish = useMutation({
    mutationFn: () => sendApi({ method: 'POST', path, body: toPublishBody({ title, description, tags }) }),
    onSuccess: async () => {
      showToast({ kind: 'done', message: text.done(title) })
      onClose()
      await queries.invalidateQueries({ queryKey: ['templates'] })
    },
  })
  const { error } = publish
  return (
    <DialogForm
      title={text.title(metadata.name)}
      hint={text.hint}
      action={text.action}
      isBusy={publish.isPending}
      error={error}
      onSubmit={() => publish.mutate()}
      onClose={onClose}
    >
      <TextField
        label={text.words}
        value={title}
        maxLength={128}
        isRequired
        pointer="/title"
        error={error}
        onChange={setTitle}
      />
      <TextField
        label={text.description}
        value={description}
        maxLength={4096}
        isLong
        pointer="/description"
        error={error}
        onChange={setDescription}
      />
      <TextField
        label={text.tags}
        hint={text.tagsHint}
        value={tags}
        maxLength={2048}
        pointer="/tags"
        error={error}
        onChange={setTags}
      />
    </DialogForm>
  )
}
