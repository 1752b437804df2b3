import type { PageAction } from '#ui/parts/page/page-actions.tsx'
import type { AgentDialogName } from '../shared/agent-tab.ts'
import { mayNot } from '../shared/shown-agent.ts'
import type { ShownAgent } from '../shared/shown-agent.ts'
import { agentText as text } from '../shared/text.ts'

interface AgentActing {
  readonly isGone: boolean
  /** The tab that is shown. */
  readonly tab: string
  readonly openTab: (tab: 'playground' | 'yaml') => void
  readonly openDialog: (dialog: AgentDialogName) => void
}

const { actions: words } = text

/** What can be done with an agent. What the caller may not do stays, with its reason. */
export function actionsOf(
  { can }: ShownAgent,
  { isGone, tab, openTab, openDialog }: AgentActing,
): readonly PageAction[] {
  const whyGone = isGone ? text.deleted : undefined
  const talk: PageAction = {
    text: words.talk,
    icon: 'message',
    rank: 'secondary',
    whyNot: whyGone,
    onPick: () => openTab('playground'),
  }
  const edit: PageAction = {
    text: words.edit,
    icon: 'edit',
    rank: 'secondary',
    whyNot: whyGone ?? (mayNot(can, 'update') ? text.notAllowed(words.verbs.edit) : undefined),
    onPick: () => openTab('yaml'),
  }
  return [
    ...(tab === 'playground' ? [] : [talk]),
    ...(tab === 'yaml' ? [] : [edit]),
    { text: words.fork, icon: 'fork', rank: 'menu', whyNot: whyGone, onPick: () => openDialog('fork') },
    { text: words.publish, icon: 'stack', rank: 'menu', whyNot: whyGone, onPick: () => openDialog('publish') },
    {
      text: words.remove,
      icon: 'bin',
      rank: 'menu',
      isDanger: true,
      whyNot: whyGone ?? (mayNot(can, 'delete') ? text.notAllowed(words.verbs.remove) : undefined),
      onPick: () => openDialog('remove'),
    },
  ]
}
