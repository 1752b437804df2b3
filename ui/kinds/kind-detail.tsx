import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Suspense, lazy, useState } from 'react'
import type { ComponentType } from 'react'
import { ApiProblem } from '../api/api-problem.ts'
import { apiQuery } from '../api/queries.ts'
import { toApiUrl } from '../api/request-api.ts'
import { useAddress } from '../contract/search.ts'
import { CopyAs } from '../parts/content/copy-as.tsx'
import { Tabs } from '../parts/control/tabs.tsx'
import { Report } from '../parts/page/card.tsx'
import { Notice } from '../parts/page/notice.tsx'
import { PageBar } from '../parts/page/page-bar.tsx'
import type { PageAction } from '../parts/page/page-actions.tsx'
import { ProblemState } from '../parts/state/problem-state.tsx'
import { kindText as text } from '../text/kinds.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import type { KindEntry, KindParts } from './kind-entry.ts'
import type { KindObject } from './kind-object.ts'
import { KindOverview } from './kind-overview.tsx'
import type { ServedKind } from './served-kind.ts'
import { useObjectInterval, useServedKind } from './use-kind.ts'

const KindEditor = lazy(async () => ({ default: (await import('./kind-editor.tsx')).KindEditor }))

/** An object of a kind, as a page. */
export function detailPageOf(entry: KindEntry, parts: KindParts): ComponentType {
  return function KindDetailPage() {
    const { ns, name = '' } = useParams({ strict: false }) as { readonly ns?: string; readonly name?: string }
    return <KindDetail key={`${ns}/${name}`} entry={entry} parts={parts} namespace={ns} name={name} />
  }
}

interface KindDetailProps {
  readonly entry: KindEntry
  readonly parts?: KindParts
  readonly namespace: string | undefined
  readonly name: string
}

/** An object: what it is, and its form and YAML. */
export function KindDetail({ entry, parts = {}, namespace, name }: KindDetailProps) {
  const [{ tab }, change] = useAddress()
  const [isDeleting, setDeleting] = useState(false)
  const navigate = useNavigate()
  const { served, error: schemaError } = useServedKind(entry)
  const path = [...entry.api, ...(namespace === undefined ? [] : [namespace]), name]
  const isEdited = tab === 'edit'
  // What is edited is not replaced under the hands; the server refuses an old version.
  const interval = useObjectInterval(entry)
  const query = useQuery({
    ...apiQuery<KindObject>(path),
    refetchInterval: ({ state }) => (isEdited ? false : interval(state.data === undefined ? [] : [state.data])),
  })
  const { data: object, error, refetch } = query
  const verbs = served?.verbs ?? []
  const edit = isEdited ? undefined : () => change({ tab: 'edit' })
  const actions = toActions(verbs, edit, () => setDeleting(true))
  return (
    <>
      <PageBar
        title={name}
        crumbs={[{ label: entry.title, to: entry.path }]}
        actions={object === undefined ? [] : actions}
      >
        <CopyAs request={{ method: 'GET', path: toApiUrl(path) }} kubectl={kubectlOf(entry, served, namespace, name)} />
      </PageBar>
      {object === undefined && error !== null ? (
        <ProblemState
          error={error}
          onRetry={() => {
            refetch().catch(() => undefined)
          }}
        />
      ) : undefined}
      {object === undefined ? undefined : (
        <Tabs
          label={text.tabs.label}
          value={isEdited ? 'edit' : 'overview'}
          options={[
            { value: 'overview', label: text.tabs.overview },
            { value: 'edit', label: verbs.includes('update') ? text.tabs.edit : text.tabs.yaml },
          ]}
          onChange={(value) => change({ tab: value === 'overview' ? undefined : value, view: undefined })}
        >
          <Report>
            {error === null ? undefined : <StaleNotice error={error} />}
            {isEdited ? (
              <Suspense>
                {schemaError === null ? undefined : <ProblemState error={schemaError} />}
                {served === undefined ? undefined : (
                  <KindEditor entry={entry} Checks={parts.Checks} served={served ?? undefined} object={object} />
                )}
              </Suspense>
            ) : (
              <KindOverview object={object} Own={parts.Overview} />
            )}
          </Report>
        </Tabs>
      )}
      {isDeleting && object !== undefined ? (
        <DeleteDialog
          entry={entry}
          object={object}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            navigate({ href: entry.path }).catch(() => undefined)
          }}
        />
      ) : undefined}
    </>
  )
}

function toActions(
  verbs: ServedKind['verbs'],
  onEdit: (() => void) | undefined,
  onDelete: () => void,
): readonly PageAction[] {
  return [
    ...(onEdit === undefined || !verbs.includes('update')
      ? []
      : [{ text: text.edit, rank: 'primary', onPick: onEdit } as const]),
    ...(verbs.includes('delete')
      ? [{ text: text.remove, icon: 'close', rank: 'menu', isDanger: true, onPick: onDelete } as const]
      : []),
  ]
}

function StaleNotice({ error }: { readonly error: Error }) {
  const isGone = error instanceof ApiProblem && error.facts.status === 404
  return (
    <Notice tone={isGone ? 'bad' : 'warn'} title={isGone ? text.gone : text.stale}>
      {error.message}
    </Notice>
  )
}

function kubectlOf(
  { api }: KindEntry,
  served: ServedKind | null | undefined,
  namespace: string | undefined,
  name: string,
): readonly string[] {
  const group = served?.apiVersion.split('/')[0]
  const resource = `${api.at(-1) ?? ''}${group === undefined ? '' : `.${group}`}`
  return ['kubectl', 'get', resource, name, ...(namespace === undefined ? [] : ['-n', namespace]), '-o', 'yaml']
}
