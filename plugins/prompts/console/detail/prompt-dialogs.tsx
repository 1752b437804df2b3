import type { ListedPrompt } from '#schemas/api/prompts.ts'
import { RemovalDialog } from '#ui/kinds/dialogs/removal-dialog.tsx'
import { WritePromptDialog } from '../write/write-prompt-dialog.tsx'
import { MoveLabelDialog } from './move-label-dialog.tsx'
import { promptPath } from '../shared/shown-prompt.ts'
import type { PromptDialogName } from '../shared/shown-prompt.ts'
import { promptsText } from '../shared/text.ts'

interface PromptDialogsProps {
  readonly shown: PromptDialogName
  readonly prompt: ListedPrompt
  readonly onClose: () => void
  readonly onGone: () => void
}

/** The dialogs of a prompt. */
export function PromptDialogs({ shown, prompt, onClose, onGone }: PromptDialogsProps) {
  if (shown === 'write') return <WritePromptDialog prompt={prompt} onClose={onClose} onSaved={() => undefined} />
  if (shown === 'move') return <MoveLabelDialog prompt={prompt} onClose={onClose} />
  return (
    <RemovalDialog
      words={promptsText.removal}
      name={prompt.name}
      path={promptPath(prompt)}
      lists={['promptversions']}
      isTyped
      {...{ onClose, onGone }}
    />
  )
}
