import { useEffect, useState } from 'react'
import { stringify } from 'yaml'
import { ApiProblem } from '../api/api-problem.ts'
import { Button } from '../parts/control/button.tsx'
import { useKeys } from '../parts/keys/use-keys.ts'
import { showToast } from '../parts/overlay/toast-store.ts'
import { Notice } from '../parts/page/notice.tsx'
import { ProblemState } from '../parts/state/problem-state.tsx'
import { kindText as text } from '../text/kinds.ts'
import { ConflictView } from './conflict-view.tsx'
import { DocumentPanes } from './document-panes.tsx'
import type { KindEntry } from './kind-entry.ts'
import { toEdited } from './kind-object.ts'
import type { KindObject } from './kind-object.ts'
import styles from './kinds.module.css'
import { rebaseYaml } from '../parts/yaml/rebase-yaml.ts'
import type { ServedKind } from './served-kind.ts'
import { useSave } from './use-save.ts'
import type { SaveOutcome } from './use-save.ts'

interface KindEditorProps {
  readonly entry: KindEntry
  /** Undefined if the API does not serve the kind any more: then it can be read only. */
  readonly served: ServedKind | undefined
  /** The object that is changed; undefined for a new one. */
  readonly object: KindObject | undefined
  readonly namespace?: string | undefined
  readonly onCreated?: (created: KindObject) => void
}

// What the cluster sets or the address names.
const hidden = [
  '/apiVersion',
  '/kind',
  '/status',
  ...[
    'uid',
    'resourceVersion',
    'generation',
    'generateName',
    'creationTimestamp',
    'deletionTimestamp',
    'managedFields',
    'finalizers',
    'ownerReferences',
    'deletionGracePeriodSeconds',
    'selfLink',
  ].map((name) => `/metadata/${name}`),
]
const fixed = ['/metadata/name', '/metadata/namespace']

/** Changes or creates an object as form and YAML. */
export function KindEditor({ entry, served, object, namespace, onCreated }: KindEditorProps) {
  const [base, setBase] = useState(object)
  const first = base === undefined ? emptyYaml(served, namespace) : toYaml(base)
  const [yaml, setYaml] = useState(first)
  const before = base === undefined ? undefined : first
  const onSaved = (saved: KindObject): void => {
    showToast({
      kind: 'done',
      message: base === undefined ? text.created2(saved.metadata.name) : text.saved(saved.metadata.name),
    })
    if (base === undefined) return onCreated?.(saved)
    setBase(saved)
    setYaml(toYaml(saved))
  }
  const { outcome, busy, save, forget } = useSave({ entry, object: base, onSaved })
  const send = (how: 'save' | 'dryRun'): void => {
    save(yaml, how).catch(() => undefined)
  }
  useKeys([{ keys: 'Ctrl+enter', label: text.save, run: () => send('save') }])
  useUnsaved(before !== undefined && yaml !== before)
  if (served === undefined)
    return (
      <Notice tone="warn" title={text.notServed}>
        {text.notServedDetail}
      </Notice>
    )
  const canSave = served.verbs.includes(base === undefined ? 'create' : 'update')
  const { theirs } = outcome
  return (
    <div className={styles['editor']}>
      {theirs === undefined || base === undefined ? undefined : (
        <ConflictView
          base={first}
          mine={yaml}
          theirs={toYaml(theirs)}
          onPick={(pick) => {
            const kept = pick === 'take' ? toYaml(theirs) : rebaseYaml(first, yaml, toYaml(theirs))
            setBase(theirs)
            setYaml(kept)
            forget()
            if (pick === 'keep') save(kept, 'save', theirs).catch(() => undefined)
          }}
        />
      )}
      <OutcomeNotice outcome={outcome} />
      <DocumentPanes
        noun={entry.noun}
        value={yaml}
        onChange={canSave ? setYaml : undefined}
        onSave={canSave ? () => send('save') : undefined}
        schema={served.input}
        refused={refusedOf(outcome)}
        hidden={entry.isClusterWide === true ? [...hidden, '/metadata/namespace'] : hidden}
        fixed={base === undefined ? [] : fixed}
        before={canSave ? before : undefined}
      />
      {canSave ? (
        <div className={styles['actions']}>
          <Button
            kind="primary"
            isBusy={busy === 'save'}
            whyNot={yaml === before ? text.unchanged : undefined}
            onClick={() => send('save')}
          >
            {base === undefined ? text.create(entry.noun) : text.save}
          </Button>
          <Button isBusy={busy === 'dryRun'} onClick={() => send('dryRun')}>
            {text.dryRun}
          </Button>
          {yaml === first ? undefined : <Button onClick={() => setYaml(first)}>{text.discard}</Button>}
          {base === undefined && served.sample !== undefined ? (
            <Button kind="quiet" onClick={() => setYaml(sampleYaml(served, namespace))}>
              {text.example}
            </Button>
          ) : undefined}
        </div>
      ) : undefined}
    </div>
  )
}

function OutcomeNotice({ outcome: { problem, isAccepted = false } }: { readonly outcome: SaveOutcome }) {
  if (isAccepted) {
    return (
      <div role="status">
        <Notice tone="ok">{text.accepted}</Notice>
      </div>
    )
  }
  if (problem === undefined) return undefined
  if (!(problem instanceof ApiProblem) || problem.facts.errors === undefined)
    return problem instanceof ApiProblem ? (
      <ProblemState error={problem} />
    ) : (
      <Notice tone="bad">{problem.message}</Notice>
    )
  return (
    <div role="alert">
      <Notice tone="bad" title={problem.facts.title}>
        {problem.facts.detail}
      </Notice>
    </div>
  )
}

function refusedOf({ problem }: SaveOutcome) {
  return problem instanceof ApiProblem ? problem.facts.errors : undefined
}

// A closed window asks first; within the console the draft is one press on Back away.
function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isUnsaved])
}

function toYaml(object: KindObject): string {
  return stringify(toEdited(object), { lineWidth: 0 })
}

function emptyYaml(served: ServedKind | undefined, namespace: string | undefined): string {
  const { apiVersion, kind, isNamespaced = false } = served ?? {}
  const metadata = { name: '', ...(isNamespaced ? { namespace: namespace ?? 'default' } : {}) }
  return stringify({ apiVersion, kind, metadata, spec: {} })
}

function sampleYaml({ apiVersion, kind, sample }: ServedKind, namespace: string | undefined): string {
  const { metadata = {}, ...rest } = sample as { readonly metadata?: object }
  const place = namespace === undefined || !('namespace' in metadata) ? {} : { namespace }
  return stringify({ apiVersion, kind, metadata: { ...metadata, ...place }, ...rest }, { lineWidth: 0 })
}
