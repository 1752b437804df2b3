import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Version } from '#schemas/api/identity.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { useSession } from '#ui/api/session.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { IdCopy } from '#ui/parts/value/id-copy.tsx'
import { Facts } from './facts.tsx'
import styles from './settings.module.css'
import { settingsText } from './text.ts'

const { about: text } = settingsText

type SettingRow = readonly [name: string, value: string | number | boolean]

const columns: readonly DataColumn<SettingRow>[] = [
  { title: text.name, isWide: true, minPx: 140, cell: ([name]) => <span className="mono">{name}</span> },
  { title: text.value, align: 'end', cell: ([, value]) => <span dir="auto">{String(value)}</span> },
]

/** What runs here, and where its API is. */
export function AboutTab() {
  const { data, error, refetch } = useQuery(apiQuery<Static<typeof Version>>(['version']))
  const isLocal = (useSession()?.session?.personas.length ?? 0) > 0
  if (data === undefined && error !== null)
    return <ProblemState error={error} onRetry={() => refetch().catch(() => undefined)} />
  return (
    <>
      <Card title={text.api}>
        <Facts
          facts={[
            [text.address, <code key="address" className="mono">{`${location.origin}/api`}</code>],
            [text.reference, <PlainLink key="docs" to="/docs" />],
            [text.document, <PlainLink key="document" to="/openapi.json" />],
            ...(isLocal
              ? [
                  [
                    text.terminal,
                    <code key="terminal" className="mono">
                      {text.command}
                    </code>,
                  ] as const,
                ]
              : []),
          ]}
        />
      </Card>
      {data === undefined ? undefined : (
        <Card title={text.version}>
          <Facts
            facts={[
              [text.version, data.version],
              [text.build, data.build.digest === null ? '' : <IdCopy key="build" id={data.build.digest.slice(7)} />],
              [text.node, data.build.node],
              [text.platform, data.build.platform],
              [text.install, data.install],
              [text.profile, data.profile],
            ]}
          />
        </Card>
      )}
      <Card title={text.settings} isFlush>
        <p className={`faint ${styles['hint']}`}>{text.settingsHint}</p>
        <DataTable
          isInCard
          label={text.settings}
          columns={columns}
          rows={data === undefined ? undefined : Object.entries(data.settings)}
          keyOf={([name]) => name}
          empty={undefined}
        />
      </Card>
    </>
  )
}

// Not a page of the console.
function PlainLink({ to }: { readonly to: string }) {
  return (
    <a href={to} className="link">
      {to}
    </a>
  )
}
