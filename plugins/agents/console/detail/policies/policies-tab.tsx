import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { EffectiveRules } from '#schemas/api/effective-rules.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { JsonView } from '#ui/parts/content/json-view.tsx'
import { Card, Report } from '#ui/parts/page/card.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import type { AgentTabProps } from '../../shared/agent-tab.ts'
import { TabProblem } from '../../shared/tab-problem.tsx'
import type { AgentPlace } from '../../shared/use-agent.ts'
import { guardrailColumns, limitColumns, quotaColumns } from './rule-columns.tsx'
import styles from './policies.module.css'
import { policiesText as text } from './text.ts'

/** The rules that apply to the agent, and where each of them is written. */
export function PoliciesTab({ place }: AgentTabProps) {
  const { namespace, name } = place
  const { data, error, refetch } = useQuery(
    apiQuery<Static<typeof EffectiveRules>>(['agents', namespace, name, 'effective']),
  )
  if (data === undefined) return <TabProblem error={error} refetch={refetch} />
  const { guardrails, namespaceGuardrails: isComplete, quotas, limits } = data
  return (
    <Report>
      {isComplete ? undefined : <Notice tone="warn">{text.incomplete}</Notice>}
      <RuleCard title={text.guardrails} none={text.noGuardrails} columns={guardrailColumns} rules={guardrails} />
      <RuleCard title={text.quotas} none={text.noQuotas} columns={quotaColumns} rules={quotas} />
      <RuleCard title={text.limits} none={text.none} columns={limitColumns} rules={limits} />
      <TracePolicyCard place={place} />
    </Report>
  )
}

interface RuleCardProps<Rule> {
  readonly title: string
  readonly none: string
  readonly columns: readonly DataColumn<Rule>[]
  readonly rules: readonly Rule[]
}

function RuleCard<Rule>({ title, none, columns, rules }: RuleCardProps<Rule>) {
  return (
    <Card title={title} isFlush>
      <DataTable
        label={title}
        columns={columns}
        rows={rules}
        keyOf={(rule) => JSON.stringify(rule)}
        empty={<p className={styles['note']}>{none}</p>}
        isInCard
      />
    </Card>
  )
}

function TracePolicyCard({ place: { namespace, name } }: { readonly place: AgentPlace }) {
  const path = ['agents', namespace, name, 'tracepolicy']
  const { data, error } = useQuery(apiQuery<{ readonly tracePolicy: unknown }>(path))
  // Without the plugin of traces there is no such thing.
  if (data === undefined && error === null) return undefined
  return (
    <Card title={text.trace}>
      {data?.tracePolicy === null || data === undefined ? (
        <p className="faint" dir="auto">
          {error?.message ?? text.noTrace}
        </p>
      ) : (
        <JsonView label={text.trace} value={data.tracePolicy} />
      )}
    </Card>
  )
}
