import { useNavigate } from '@tanstack/react-router'
import { Suspense, lazy } from 'react'
import type { ComponentType } from 'react'
import { useRefusal } from '../contract/reachable.ts'
import { useAddress } from '../contract/search.ts'
import { CodeSkeleton } from '../parts/document/yaml-editor.tsx'
import { Report } from '../parts/page/card.tsx'
import { PageBar } from '../parts/page/page-bar.tsx'
import { ProblemState } from '../parts/state/problem-state.tsx'
import { RefusedState } from '../parts/state/refused-state.tsx'
import { kindText as text } from '../text/kinds.ts'
import { objectPath } from './kind-entry.ts'
import type { KindEntry, KindParts } from './kind-entry.ts'
import { useServedKind } from './use-kind.ts'

const KindEditor = lazy(async () => ({ default: (await import('./kind-editor.tsx')).KindEditor }))

/** A new object of a kind, as a page. */
export function newPageOf(entry: KindEntry, parts: KindParts): ComponentType {
  return function KindNewPage() {
    return <KindNew entry={entry} parts={parts} />
  }
}

interface KindNewProps {
  readonly entry: KindEntry
  readonly parts?: KindParts | undefined
}

/** Creates an object from its form or YAML, and opens it. */
export function KindNew({ entry, parts }: KindNewProps) {
  const refusal = useRefusal(entry.createNeeds)
  return (
    <>
      <PageBar title={text.create(entry.noun)} crumbs={[{ label: entry.title, to: entry.path }]} />
      {refusal === undefined ? <NewObject entry={entry} parts={parts} /> : <RefusedState refusal={refusal} />}
    </>
  )
}

function NewObject({ entry, parts = {} }: KindNewProps) {
  const [{ namespace }] = useAddress()
  const { served, error } = useServedKind(entry)
  const navigate = useNavigate()
  return (
    <Report>
      {error === null ? undefined : <ProblemState error={error} />}
      {served === undefined ? (
        <CodeSkeleton text="" rows={12} />
      ) : (
        <Suspense fallback={<CodeSkeleton text="" rows={12} />}>
          <KindEditor
            entry={entry}
            served={served ?? undefined}
            Checks={parts.Checks}
            object={undefined}
            namespace={namespace}
            onCreated={({ metadata }) => {
              navigate({ href: objectPath(entry, metadata) }).catch(() => undefined)
            }}
          />
        </Suspense>
      )}
    </Report>
  )
}
