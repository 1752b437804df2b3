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
import { comparedVersions } from './compared-versions.ts'
import type { ShownVersion } from './compared-versions.ts'
import { RollBackDialog } from './roll-back-dialog.tsx'
import { SpecChanges } from './spec-changes.tsx'
import { versionsText as text } from './text.ts'
import { VersionList } from './version-list.tsx'
import { VersionPicker } from './version-picker.tsx'
import styles from './versions.module.css'

interface VersionPage {
  readonly items: readonly ShownVersion[]
}

/** The versions of the agent, and what differs between any two of them. */
export function VersionsTab({ agent, place }: AgentTabProps) {
  const { namespace, name } = place
  const [{ from, to }, change] = useAddress()
  const [rollsBackTo, setRollsBackTo] = useState<number>()
  const { data, error, refetch } = useQuery(apiQuery<VersionPage>(['agents', namespace, name, 'versions']))
  if (data === undefined) return <TabProblem error={error} refetch={refetch} />
  const serving = agent.status?.servingRevisions ?? []
  const newest = data.items[0]?.revision
  const compared = comparedVersions(data.items, serving, { from, to })
  const target = compared?.from === newest ? compared?.to : compared?.from
  return (
    <div className={styles['versions']}>
      <VersionList
        versions={data.items}
        serving={serving}
        gate={agent.status?.evalGate}
        compared={compared === undefined ? [] : [compared.from, compared.to]}
        onCompare={(revision) => change(revision === compared?.to ? { to: undefined } : { from: String(revision) })}
      />
      {compared === undefined || newest === undefined || target === undefined ? (
        <div>
          <PageState icon="stack" title={text.one}>
            {text.oneDetail}
          </PageState>
        </div>
      ) : (
        <div className={styles['diff']}>
          <div className={styles['head']}>
            <VersionPicker versions={data.items} compared={compared} onChange={change} />
            <span className="grow" />
            <Button
              onClick={() => setRollsBackTo(target)}
              whyNot={mayNot(agent.can, 'patch') ? agentText.notAllowed(text.rollBack.verb) : undefined}
            >
              {text.preview(target)}
            </Button>
          </div>
          <SpecChanges place={place} from={compared.from} to={compared.to} />
        </div>
      )}
      {rollsBackTo === undefined || newest === undefined ? undefined : (
        <RollBackDialog
          agent={agent}
          newest={newest}
          revision={rollsBackTo}
          onClose={() => setRollsBackTo(undefined)}
        />
      )}
    </div>
  )
}
