import type { ShownAgent } from './shown-agent.ts'
import type { AgentPlace } from './use-agent.ts'

/** What the panel of a tab is given. */
export interface AgentTabProps {
  readonly agent: ShownAgent
  readonly place: AgentPlace
}

/** A dialog of the page. */
export type AgentDialogName = 'fork' | 'publish' | 'remove'
