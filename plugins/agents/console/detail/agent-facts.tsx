import type { ReactNode } from 'react'
import { OutcomeBars } from '#ui/parts/figure/outcome-bars.tsx'
import { UNKNOWN } from '#ui/parts/format/unknown.ts'
import { servedRevisionOf } from '../shared/shown-agent.ts'
import type { ShownAgent } from '../shared/shown-agent.ts'
import styles from '../shared/agent.module.css'
import { agentText as text } from '../shared/text.ts'

const BARS = { width: 96, height: 16 }

/** The line of facts under the bar of the page. */
export function AgentFacts({ agent }: { readonly agent: ShownAgent }) {
  const { metadata, spec, status, stats } = agent
  const { facts } = text
  return (
    <dl className={styles['facts']}>
      <AgentFact name={facts.namespace}>{metadata.namespace}</AgentFact>
      <AgentFact name={facts.revision}>{servedRevisionOf(agent) ?? UNKNOWN}</AgentFact>
      <AgentFact name={facts.replicas}>
        <span className="num">{`${status?.readyReplicas ?? 0}/${status?.replicas ?? 0}`}</span>
      </AgentFact>
      {spec?.model?.route === undefined ? undefined : <AgentFact name={facts.route}>{spec.model.route}</AgentFact>}
      {stats === undefined ? undefined : (
        <AgentFact name={facts.day}>
          <span className="row">
            <OutcomeBars bins={stats.bins} label={text.runs(stats.runs, stats.failed)} {...BARS} />
            {text.runCount(stats.runs)}
          </span>
        </AgentFact>
      )}
    </dl>
  )
}

function AgentFact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}
