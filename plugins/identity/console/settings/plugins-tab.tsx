import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Static } from 'typebox'
import type { Capabilities, Capability } from '#schemas/api/identity.ts'
import { capabilitiesQuery } from '#ui/api/capabilities.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { StatusBadge } from '#ui/parts/status/status-badge.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import styles from './settings.module.css'
import { settingsText } from './text.ts'

const { plugins: text } = settingsText

type Pages = Static<typeof Capabilities>['pages']

/** What this installation offers the caller, and what it would need. */
export function PluginsTab() {
  const { data, error, refetch } = useQuery(capabilitiesQuery)
  return (
    <Card title={text.list} isFlush>
      <p className={`faint ${styles['hint']}`}>{text.hint}</p>
      <DataTable
        isInCard
        label={text.list}
        columns={columnsOf(data?.pages ?? [])}
        rows={data?.capabilities}
        keyOf={({ id }) => id}
        error={error}
        onRetry={() => refetch().catch(() => undefined)}
        empty={undefined}
      />
    </Card>
  )
}

function columnsOf(pages: Pages): readonly DataColumn<Capability>[] {
  return [
    { title: text.id, isWide: true, minPx: 140, cell: ({ id }) => <span className="mono">{id}</span> },
    { title: text.state, cell: ({ enabled, reason }) => <StatusBadge state={stateOf(enabled, reason)} isPlain /> },
    { title: text.needs, rank: 2, cell: needsOf },
    {
      title: text.page,
      rank: 3,
      cell: ({ id, enabled }) =>
        pages
          .filter(({ capability }) => enabled && capability === id)
          .map(({ path, title }) => (
            <Link key={path} to={path} className={`link ${styles['page']}`}>
              {title}
            </Link>
          )),
    },
  ]
}

function stateOf(isEnabled: boolean, reason: Capability['reason']): string {
  return isEnabled ? text.states.ready : text.states[reason ?? 'disabled']
}

function needsOf({ enabled, requires, setting }: Capability): string {
  if (!enabled && setting !== undefined) return text.setting(setting)
  return requires === undefined ? '' : text.right(requires.verb, requires.resource, requires.group)
}
