import { useQuery } from '@tanstack/react-query'
import type { Static } from 'typebox'
import type { Namespace, PermissionRule, Whoami } from '#schemas/api/identity.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { useSession } from '#ui/api/session.ts'
import { useAddress } from '#ui/contract/search.ts'
import { UNKNOWN } from '#ui/parts/format/unknown.ts'
import { Card } from '#ui/parts/page/card.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { EmptyState } from '#ui/parts/state/empty-state.tsx'
import type { DataColumn } from '#ui/parts/table/data-column.ts'
import { DataTable } from '#ui/parts/table/data-table.tsx'
import { Time } from '#ui/parts/value/time.tsx'
import { Facts } from './facts.tsx'
import { settingsText } from './text.ts'

const { access: text } = settingsText

type Rule = Static<typeof PermissionRule>

const columns: readonly DataColumn<Rule>[] = [
  { title: text.resources, isWide: true, minPx: 140, cell: ({ resources }) => resources.join(', ') },
  { title: text.verbs, cell: ({ verbs }) => verbs.join(', ') },
  { title: text.apiGroups, rank: 3, cell: ({ groups }) => groups.map((one) => (one === '' ? 'core' : one)).join(', ') },
  { title: text.names, rank: 2, cell: ({ names }) => <span dir="auto">{names?.join(', ') ?? text.every}</span> },
]

/** Who the caller is, and what the cluster allows in a namespace. */
export function AccessTab() {
  const namespace = useShownNamespace()
  const query = apiQuery<Static<typeof Whoami>>(['whoami'], { permissions: namespace })
  const { data, error, refetch } = useQuery(query)
  const session = useSession()?.session
  const rules = data?.permissions
  return (
    <>
      <Card title={text.you}>
        <Facts
          facts={[
            [text.username, data?.username ?? session?.username ?? UNKNOWN],
            [text.uid, data?.uid || UNKNOWN],
            [text.groups, data?.groups.join(', ') ?? UNKNOWN],
            ...(session?.persona ? [[text.persona, session.persona] as const] : []),
            [text.session, <Time key="ends" at={session?.endsAt} />],
          ]}
        />
      </Card>
      {namespace === undefined ? (
        <Notice tone="mute">{text.noNamespace}</Notice>
      ) : (
        <Card title={text.rules(namespace)} isFlush>
          {rules?.complete === false ? <Notice tone="warn">{text.incomplete}</Notice> : undefined}
          <DataTable
            isInCard
            label={text.rules(namespace)}
            columns={columns}
            rows={rules?.rules}
            keyOf={(rule) => JSON.stringify(rule)}
            error={error}
            onRetry={() => refetch().catch(() => undefined)}
            empty={
              <EmptyState icon="lock" title={text.empty}>
                {text.emptyDetail}
              </EmptyState>
            }
          />
        </Card>
      )}
    </>
  )
}

// That of the address, else the first one that the picker has.
function useShownNamespace(): string | undefined {
  const [{ namespace }] = useAddress()
  const query = apiQuery<{ readonly items: readonly Static<typeof Namespace>[] }>(['namespaces'], {
    scope: 'permitted',
    limit: 200,
  })
  const { data } = useQuery({ ...query, staleTime: 60_000 })
  const [first] = data?.items ?? []
  return namespace ?? (first?.metadata as { readonly name?: string } | undefined)?.name
}
