import { JsonView } from '#ui/parts/content/json-view.tsx'
import { Report } from '#ui/parts/page/card.tsx'
import type { AgentTabProps } from '../../shared/agent-tab.ts'
import { toSource } from './to-source.ts'
import { sourceText as text } from './text.ts'

/** The object as the cluster keeps it. */
export function SourceTab({ agent }: AgentTabProps) {
  return (
    <Report>
      <JsonView label={text.label} value={toSource(agent)} />
    </Report>
  )
}
