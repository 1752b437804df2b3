import { Suspense, lazy } from 'react'
import { useSession } from '#ui/api/session.ts'
import { useAddress } from '#ui/contract/search.ts'
import { Segmented } from '#ui/parts/control/segmented.tsx'
import { CodeSkeleton } from '#ui/parts/document/yaml-editor.tsx'
import { Report } from '#ui/parts/page/card.tsx'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { sourceOf, sourceKinds, toFrom } from './agent-source.ts'
import type { AgentSource } from './agent-source.ts'
import { AgentSources } from './agent-sources.tsx'
import styles from './new-agent.module.css'
import { newAgentText as text } from './text.ts'

const AgentEditor = lazy(async () => ({ default: (await import('./agent-editor.tsx')).AgentEditor }))

/** A new agent: what it begins with, then its document. `?from=` is the source. */
export function NewAgentPage() {
  const [{ from, source: tab, namespace = 'default' }, change] = useAddress()
  const session = useSession()
  const source = sourceOf(from)
  const kind = sourceKinds.find((one) => one === tab) ?? 'recipe'
  const pick = (next: AgentSource): void => change({ from: toFrom(next), source: undefined })
  return (
    <>
      <PageBar title={text.title} crumbs={[{ label: text.agents, to: '/agents' }]} />
      <Report>
        {source === undefined ? (
          <>
            <div className={styles['begin']}>
              <h2>{text.begin}</h2>
              <div className={styles['kinds']}>
                <Segmented
                  label={text.source}
                  value={kind}
                  options={sourceKinds.map((value) => ({ value, label: text.sources[value] }))}
                  onChange={(value) =>
                    value === 'prompt' || value === 'file' ? pick({ kind: value, id: '' }) : change({ source: value })
                  }
                />
              </div>
            </div>
            <AgentSources kind={kind} onPick={pick} />
          </>
        ) : (
          <Suspense fallback={<CodeSkeleton text="" rows={12} />}>
            <AgentEditor
              key={toFrom(source)}
              source={source}
              namespace={namespace}
              username={session?.session?.username ?? ''}
              onLeave={() =>
                change({
                  from: undefined,
                  source: source.kind === 'prompt' || source.kind === 'file' ? undefined : source.kind,
                  view: undefined,
                })
              }
            />
          </Suspense>
        )}
      </Report>
    </>
  )
}
