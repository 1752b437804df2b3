import { useState } from 'react'
import type { ListedPrompt } from '#schemas/api/prompts.ts'
import { requestApi } from '#ui/api/request-api.ts'
import { useAct } from '#ui/kinds/dialogs/use-act.ts'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { DialogForm, FieldPair } from '#ui/parts/form/dialog-form.tsx'
import { refusedFields } from '#ui/parts/form/refusal-at.ts'
import { ChoiceField, TextField } from '#ui/parts/form/text-field.tsx'
import type { PromptPlace } from '../shared/shown-prompt.ts'
import { promptsText } from '../shared/text.ts'
import { FileField } from './file-field.tsx'
import { toSaveRequest } from './save-text.ts'
import type { WrittenText } from './save-text.ts'

const text = promptsText.write
const forms = (['text', 'file'] as const).map((value) => ({ value, label: text.forms[value] }))

interface WritePromptDialogProps {
  readonly namespace?: string | undefined
  /** The prompt that gets a further version. */
  readonly prompt?: ListedPrompt | undefined
  readonly onClose: () => void
  readonly onSaved: (saved: PromptPlace) => void
}

/** Writes the first version of a prompt or a further one, as a text or as a document. */
export function WritePromptDialog({ namespace = 'default', prompt, onClose, onSaved }: WritePromptDialogProps) {
  const [typed, setTyped] = useState<WrittenText>(() => firstText(namespace, prompt))
  const save = useAct({
    send: async () => {
      const response = await requestApi(toSaveRequest(typed))
      // 200: the content is not new.
      return { saved: (await response.json()) as ListedPrompt, isNew: response.status === 201 }
    },
    done: ({ saved, isNew }) => (isNew ? text.done : text.unchanged)(saved.name, saved.version),
    changes: [['promptversions']],
    onDone: ({ saved }) => {
      onClose()
      onSaved(saved)
    },
  })
  const { fields, rest } = refusedFields(save.error, ['name', 'namespace', 'text', 'commitMessage'])
  const set = (changed: Partial<WrittenText>) => setTyped({ ...typed, ...changed })
  const isFirst = prompt === undefined
  return (
    <DialogForm
      title={isFirst ? text.first : text.next}
      hint={isFirst ? text.firstHint : text.nextHint}
      action={text.action}
      isBusy={save.isPending}
      error={rest}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Segmented label={text.form} value={typed.form} options={forms} onChange={(form) => set({ form })} />
      {typed.form === 'file' ? (
        <FileField value={typed.file} onChange={(file) => set({ file })} />
      ) : (
        <>
          {isFirst ? (
            <FieldPair>
              <TextField
                label={text.name}
                value={typed.name}
                maxLength={63}
                isRequired
                refused={fields.name}
                onChange={(name) => set({ name })}
              />
              <TextField
                label={text.namespace}
                value={typed.namespace}
                maxLength={63}
                isRequired
                refused={fields.namespace}
                onChange={(ns) => set({ namespace: ns })}
              />
            </FieldPair>
          ) : undefined}
          <TextField
            label={text.text}
            hint={text.textHint}
            value={typed.text}
            maxLength={131_072}
            isRequired
            isLong
            refused={fields.text}
            onChange={(value) => set({ text: value })}
          />
          <TextField
            label={text.message}
            hint={text.messageHint}
            value={typed.message}
            maxLength={1024}
            refused={fields.commitMessage}
            onChange={(message) => set({ message })}
          />
          <ChoiceField
            label={text.label}
            value={typed.label}
            options={labelOptions(prompt)}
            onChange={(label) => set({ label })}
          />
        </>
      )}
    </DialogForm>
  )
}

function firstText(namespace: string, prompt: ListedPrompt | undefined): WrittenText {
  const isChat = prompt?.type === 'chat'
  return {
    form: isChat ? 'file' : 'text',
    namespace: prompt?.namespace ?? namespace,
    name: prompt?.name ?? '',
    text: prompt?.text ?? '',
    message: '',
    label: '',
    file: '',
    kept: prompt,
  }
}

function labelOptions(prompt: ListedPrompt | undefined) {
  const known = new Set(['production', 'staging', ...Object.keys(prompt?.labels ?? {})])
  return [{ value: '', label: text.noLabel }, ...[...known].map((value) => ({ value, label: value }))]
}
