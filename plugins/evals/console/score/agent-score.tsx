import { useQuery } from '@tanstack/react-query'
import type { AgentDeploymentObject } from '#schemas/crds/agent-deployment.ts'
import { apiQuery } from '#ui/api/queries.ts'
import type { ObjectTabProps } from '#ui/contract/page.ts'
import { ButtonLink } from '#ui/parts/control/button-link.tsx'
import { Card, Report } from '#ui/parts/page/card.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { evalsText } from '../shared/text.ts'
import { GateCard } from './gate-card.tsx'
import { OnlineCard } from './online-card.tsx'
import styles from './score.module.css'

const text = evalsText.gate

/** How good an agent is: the state of its gate and why, scores over its revisions, and scores in production. */
export function AgentScore({ object: { namespace = '', name = '' } }: ObjectTabProps) {
  const place = { namespace, name }
  const { data: agent, error, refetch } = useQuery(apiQuery<AgentDeploymentObject>(['agents', namespace, name]))
  if (agent === undefined && error !== null)
    return (
      <ProblemState
        error={error}
        onRetry={() => {
          refetch().catch(() => undefined)
        }}
      />
    )
  return (
    <div className={styles['tab']}>
      <Report>
        {agent === undefined ? <div className={styles['wait']} aria-busy /> : <Gate agent={agent} />}
        <OnlineCard place={place} />
      </Report>
    </div>
  )
}

function Gate({ agent }: { readonly agent: AgentDeploymentObject }) {
  const { evalGate } = agent.spec
  if (evalGate !== undefined) return <GateCard agent={agent} suite={evalGate.suiteRef.name} />
  const { namespace = '' } = agent.metadata
  return (
    <Card title={text.title}>
      <EmptyState
        icon="hourglass"
        title={text.none}
        action={
          <ButtonLink icon="plus" to={`/evals/new?namespace=${encodeURIComponent(namespace)}`}>
            {text.make}
          </ButtonLink>
        }
      >
        {text.noneDetail}
      </EmptyState>
    </Card>
  )
}
