import type { ShownAgent } from '../../shared/shown-agent.ts'
import type { AgentDialogName } from '../../shared/agent-tab.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { ForkDialog } from './fork-dialog.tsx'
import { PublishDialog } from './publish-dialog.tsx'

interface AgentDialogsProps {
  readonly dialog: AgentDialogName
  readonly agent: ShownAgent
  readonly onClose: () => void
}

/** The dialogs of the page of an agent. */
export function AgentDialogs({ dialog, agent, onClose }: AgentDialogsProps) {
  switch (dialog) {
    case 'fork':
      return <ForkDialog agent={agent} onClose={onClose} />
    case 'publish':
      return <PublishDialog agent={agent} onClose={onClose} />
    case 'remove':
      return <DeleteDialog agent={agent} onClose={onClose} />
  }
}
