import type { ListedPrompt } from '#schemas/api/prompts.ts'
import { WritePromptDialog } from '../write/write-prompt-dialog.tsx'
import { MoveLabelDialog } from './move-label-dialog.tsx'
import type { PromptDialogName } from '../shared/shown-prompt.ts'
import { RemovePromptDialog } from './remove-prompt-dialog.tsx'

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
  return <RemovePromptDialog prompt={prompt} onClose={onClose} onGone={onGone} />
}
