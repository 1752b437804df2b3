import { useQueryClient } from '@tanstack/react-query'
import { useApiDocument } from '#ui/kinds/use-kind.ts'
import { servedKind } from '#ui/kinds/served-kind.ts'
import type { KindEntry } from '#ui/kinds/kind-entry.ts'
import { KindEditor } from '#ui/kinds/kind-editor.tsx'
import { CodeSkeleton } from '#ui/parts/document/yaml-editor.tsx'
import { Report } from '#ui/parts/page/card.tsx'
import type { AgentTabProps } from '../../shared/agent-tab.ts'
import { mayNot } from '../../shared/shown-agent.ts'
import { TabProblem } from '../../shared/tab-problem.tsx'
import { agentText } from '../../shared/text.ts'
import { yamlText as text } from './text.ts'
import { toSource } from './to-source.ts'

const entry: KindEntry = {
  path: '/agents',
  api: ['agents'],
  title: agentText.agents,
  noun: text.noun,
  icon: 'agent',
  about: '',
}

/** The agent as form and YAML: a save shows what changes first, and makes the next version. */
export function YamlTab({ agent, place: { namespace, name } }: AgentTabProps) {
  const queries = useQueryClient()
  const { data, error, refetch } = useApiDocument()
  if (data === undefined) return error === null ? <Waiting /> : <TabProblem error={error} refetch={refetch} />
  const replicas = agent.status?.replicas ?? 0
  return (
    <Report>
      <KindEditor
        entry={entry}
        served={servedKind(data, entry.api)}
        object={toSource(agent)}
        effects={[text.makes, ...(replicas === 0 ? [] : [text.pods(replicas)])]}
        whyNot={mayNot(agent.can, 'update') ? agentText.notAllowed(agentText.actions.verbs.edit) : undefined}
        onSaved={() => {
          queries.invalidateQueries({ queryKey: ['agents', namespace, name] }).catch(() => undefined)
        }}
      />
    </Report>
  )
}

function Waiting() {
  return (
    <Report>
      <CodeSkeleton text="" rows={12} />
    </Report>
  )
}
