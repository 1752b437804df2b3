import { useParams } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { ComponentType } from 'react'
import { useLive } from '#ui/api/live/live.ts'
import { useAddress } from '#ui/contract/search.ts'
import { useObjectTabs } from '#ui/kinds/object-tabs/object-tabs.tsx'
import type { ObjectTab } from '#ui/kinds/object-tabs/object-tabs.tsx'
import { Tabs } from '#ui/parts/control/tabs.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { useNarrow } from '#ui/parts/page/use-narrow.ts'
import { PageBar } from '#ui/parts/page/page-bar.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { LiveBadge } from '#ui/parts/status/live-badge.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import { Glyph } from '#ui/parts/value/agent-name.tsx'
import { healthOf } from '../shared/shown-agent.ts'
import { useAgent } from '../shared/use-agent.ts'
import { actionsOf } from './agent-actions.ts'
import type { AgentDialogName, AgentTabProps } from '../shared/agent-tab.ts'
import { AgentFacts } from './agent-facts.tsx'
import styles from '../shared/agent.module.css'
import { agentText as text } from '../shared/text.ts'

type TabName = keyof typeof text.tabs

// Each tab is code of its own, loaded when it is opened.
const panels: Readonly<Record<TabName, ComponentType<AgentTabProps>>> = {
  overview: lazy(async () => ({ default: (await import('./overview/overview-tab.tsx')).OverviewTab })),
  playground: lazy(async () => ({ default: (await import('../playground/playground-tab.tsx')).PlaygroundTab })),
  runs: lazy(async () => ({ default: (await import('./runs/runs-tab.tsx')).AgentRunsTab })),
  versions: lazy(async () => ({ default: (await import('./versions/versions-tab.tsx')).VersionsTab })),
  logs: lazy(async () => ({ default: (await import('./logs/logs-tab.tsx')).LogsTab })),
  memory: lazy(async () => ({ default: (await import('./memory/memory-tab.tsx')).MemoryTab })),
  policies: lazy(async () => ({ default: (await import('./policies/policies-tab.tsx')).PoliciesTab })),
  yaml: lazy(async () => ({ default: (await import('./yaml/yaml-tab.tsx')).YamlTab })),
}
const AgentDialogs = lazy(async () => ({ default: (await import('./dialogs/agent-dialogs.tsx')).AgentDialogs }))

const tabs = (Object.keys(panels) as TabName[]).map((value) => ({ value, label: text.tabs[value] }))

/** How one agent is, and what can be done with it. */
export function AgentPage() {
  const { ns: namespace = '', name = '' }: { readonly ns?: string; readonly name?: string } = useParams({
    strict: false,
  })
  const place = { namespace, name }
  const { agent, error, isGone, reload } = useAgent(place)
  const [{ tab: given }, change] = useAddress()
  const live = useLive()
  // The name of the agent needs the place.
  const isNarrow = useNarrow()
  const [dialog, setDialog] = useState<AgentDialogName>()
  const added = useObjectTabs('agent')
  const options = [...tabs, ...added.map(({ id, title }) => ({ value: id, label: title }))]
  const tab = options.find(({ value }) => value === given)?.value ?? 'overview'
  const openTab = (value: string): void => change({ tab: value === 'overview' ? undefined : value })
  return (
    <>
      <PageBar
        title={name}
        crumbs={[{ label: text.agents, to: '/agents' }]}
        lead={<Glyph name={name} />}
        actions={agent === undefined ? [] : actionsOf(agent, { isGone, tab, openTab, openDialog: setDialog })}
      >
        {agent === undefined ? undefined : <StatusBadge state={healthOf(agent).state} />}
        {agent === undefined || isGone || isNarrow ? undefined : <LiveBadge state={live} />}
      </PageBar>
      {agent === undefined && error !== null ? <ProblemState error={error} onRetry={reload} /> : undefined}
      {agent !== undefined && error !== null ? <StaleStrip error={error} isGone={isGone} /> : undefined}
      {agent === undefined ? undefined : (
        <>
          <AgentFacts agent={agent} />
          <Tabs label={text.tabsLabel} value={tab} options={options} onChange={openTab} isTall>
            <Suspense fallback={<div className={styles['busy']} />}>
              <TabPanel key={`${namespace}/${name}`} tab={tab} added={added} agent={agent} place={place} />
            </Suspense>
          </Tabs>
          <Suspense>
            {dialog === undefined ? undefined : (
              <AgentDialogs dialog={dialog} agent={agent} onClose={() => setDialog(undefined)} />
            )}
          </Suspense>
        </>
      )}
    </>
  )
}

interface TabPanelProps extends AgentTabProps {
  readonly tab: string
  readonly added: readonly ObjectTab[]
}

function TabPanel({ tab, added, agent, place }: TabPanelProps) {
  const Added = added.find(({ id }) => id === tab)?.Panel
  if (Added !== undefined) return <Added object={place} />
  const Panel = panels[tab as TabName]
  return <Panel agent={agent} place={place} />
}

function StaleStrip({ error, isGone }: { readonly error: Error; readonly isGone: boolean }) {
  return (
    <div className={styles['strip']} role="status">
      <Notice tone={isGone ? 'bad' : 'warn'} title={isGone ? text.gone : text.stale}>
        {isGone ? text.goneDetail : error.message}
      </Notice>
    </div>
  )
}
