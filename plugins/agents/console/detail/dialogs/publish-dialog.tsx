import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { sendApi } from '#ui/api/request-api.ts'
import { DialogForm } from '#ui/parts/form/dialog-form.tsx'
import { TextField } from '#ui/parts/form/text-field.tsx'
import { refusalAt } from '#ui/parts/form/refusal-at.ts'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import type { ShownAgent } from '../../shared/shown-agent.ts'
import { agentText } from '../../shared/text.ts'
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
        refused={refusalAt(error, '/title')}
        onChange={setTitle}
      />
      <TextField
        label={text.description}
        value={description}
        maxLength={4096}
        isLong
        refused={refusalAt(error, '/description')}
        onChange={setDescription}
      />
      <TextField
        label={text.tags}
        hint={text.tagsHint}
        value={tags}
        maxLength={2048}
        refused={refusalAt(error, '/tags')}
        onChange={setTags}
      />
    </DialogForm>
  )
}
