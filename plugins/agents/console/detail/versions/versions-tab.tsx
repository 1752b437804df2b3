import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiQuery } from '#ui/api/queries.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { PageState } from '#ui/parts/state/page-state.tsx'
import { mayNot } from '../../shared/shown-agent.ts'
import { agentText } from '../../shared/text.ts'
import type { AgentTabProps } from '../../shared/agent-tab.ts'
import { TabProblem } from '../../shared/tab-problem.tsx'
import { RollBackDialog } from './roll-back-dialog.tsx'
import { SpecChanges } from './spec-changes.tsx'
import { versionsText as text } from './text.ts'
import { VersionList } from './version-list.tsx'
import type { ShownVersion } from './version-list.tsx'
import styles from './versions.module.css'

interface VersionPage {
  readonly items: readonly ShownVersion[]
}

/** The versions of the agent, and what differs between two of them. */
export function VersionsTab({ agent, place }: AgentTabProps) {
  const { namespace, name } = place
  const [{ from: given }, change] = useAddress()
  const [rollsBackTo, setRollsBackTo] = useState<number>()
  const { data, error, refetch } = useQuery(apiQuery<VersionPage>(['agents', namespace, name, 'versions']))
  if (data === undefined) return <TabProblem error={error} refetch={refetch} />
  const [newest, before] = data.items
  const from = data.items.find(({ revision }) => String(revision) === given && revision !== newest?.revision) ?? before
  return (
    <div className={styles['versions']}>
      <VersionList
        versions={data.items}
        serving={agent.status?.servingRevisions ?? []}
        compared={from?.revision}
        onCompare={(revision) => change({ from: revision === before?.revision ? undefined : String(revision) })}
      />
      {from === undefined || newest === undefined ? (
        <div>
          <PageState icon="stack" title={text.one}>
            {text.oneDetail}
          </PageState>
        </div>
      ) : (
        <div className={styles['diff']}>
          <SpecChanges place={place} from={from.revision} to={newest.revision}>
            <Button
              onClick={() => setRollsBackTo(from.revision)}
              whyNot={mayNot(agent.can, 'patch') ? agentText.notAllowed(text.rollBack.verb) : undefined}
            >
              {text.preview(from.revision)}
            </Button>
          </SpecChanges>
        </div>
      )}
      {rollsBackTo === undefined || newest === undefined ? undefined : (
        <RollBackDialog
          agent={agent}
          newest={newest.revision}
          revision={rollsBackTo}
          onClose={() => setRollsBackTo(undefined)}
        />
      )}
    </div>
  )
}
