import { Diff } from '../../parts/document/diff.tsx'
import { ConfirmDialog } from '../../parts/overlay/confirm-dialog.tsx'
import { kindText as text } from '../../text/kinds.ts'

interface ReviewDialogProps {
  readonly noun: string
  readonly before: string
  readonly after: string
  /** What a save does besides. */
  readonly effects: readonly string[]
  readonly isBusy: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Shows what a save changes after the server has accepted its dry run. */
export function ReviewDialog({ noun, before, after, effects, isBusy, onConfirm, onClose }: ReviewDialogProps) {
  return (
    <ConfirmDialog
      title={text.review.title(noun)}
      effects={[text.review.accepted, ...effects]}
      action={text.save}
      isBusy={isBusy}
      isBroad
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Diff title={text.changes(noun)} before={before} after={after} labels={[text.saved2, text.mine]} />
    </ConfirmDialog>
  )
}
