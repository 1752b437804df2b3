import { useState } from 'react'
import type { ListedPrompt } from '#schemas/api/prompts.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { useAct } from '#ui/kinds/dialogs/use-act.ts'
import { DialogForm, FieldPair } from '#ui/parts/form/dialog-form.tsx'
import { CheckField, TextField } from '#ui/parts/form/text-field.tsx'
import { DEFAULT_LABEL, promptPath } from '../shared/shown-prompt.ts'
import { promptsText } from '../shared/text.ts'

const text = promptsText.move

interface MoveLabelDialogProps {
  readonly prompt: ListedPrompt
  readonly onClose: () => void
}

/** Moves a label to a version, or removes it. */
export function MoveLabelDialog({ prompt, onClose }: MoveLabelDialogProps) {
  const [label, setLabel] = useState<string>(DEFAULT_LABEL)
  const [given, setGiven] = useState<string>()
  // A version that was just written may arrive after the dialog has opened.
  const typed = given ?? String(prompt.version)
  const [isRemoved, setRemoved] = useState(false)
  const move = useAct({
    send: () => {
      const version = isRemoved ? null : Number(typed)
      return sendApi({ method: 'PUT', path: [...promptPath(prompt), 'labels', label], body: { version } })
    },
    done: () => (isRemoved ? text.removed(label) : text.done(label, Number(typed))),
    changes: [['promptversions']],
    onDone: onClose,
  })
  return (
    <DialogForm
      title={text.title(label === '' ? text.other : label)}
      hint={text.hint}
      action={isRemoved ? text.remove : text.action}
      isBusy={move.isPending}
      error={move.error}
      onSubmit={() => move.mutate()}
      onClose={onClose}
    >
      <FieldPair>
        <TextField label={text.label} value={label} maxLength={63} isRequired onChange={setLabel} />
        {isRemoved ? undefined : (
          <TextField label={text.version} value={typed} maxLength={10} isRequired onChange={setGiven} />
        )}
      </FieldPair>
      <CheckField label={text.remove} isOn={isRemoved} onChange={setRemoved} />
    </DialogForm>
  )
}
