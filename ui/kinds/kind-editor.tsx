import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { ApiProblem } from '../api/api-problem.ts'
import { Button } from '../parts/control/button.tsx'
import { useKeys } from '../parts/keys/use-keys.ts'
import { showToast } from '../parts/overlay/toast-store.ts'
import { Notice } from '../parts/page/notice.tsx'
import { rebaseYaml } from '../parts/yaml/rebase-yaml.ts'
import { readYaml } from '../parts/yaml/yaml-source.ts'
import { kindText as text } from '../text/kinds.ts'
import { ConflictView } from './document/conflict-view.tsx'
import { DocumentPanes } from './document/document-panes.tsx'
import { ReviewDialog } from './document/review-dialog.tsx'
import { OutcomeNotice, ReadOnlyNotice, RestoredNotice } from './editor-notices.tsx'
import type { KindEntry, KindParts } from './kind-entry.ts'
import { fieldsOfCluster, fixedFields } from './kind-object.ts'
import type { KindObject } from './kind-object.ts'
import styles from './kinds.module.css'
import type { ServedKind } from './served-kind.ts'
import { objectYaml, sampleYaml, useEdited } from './use-edited.ts'
import type { EditedObject } from './use-edited.ts'
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
  readonly onSaved?: (saved: KindObject) => void
  /** What a save does besides. Given, a save shows its dry run and what changes before it is sent. */
  readonly effects?: readonly string[]
  /** Why the caller cannot save. */
  readonly whyNot?: string | undefined
  readonly Checks?: KindParts['Checks'] | undefined
}

/** Changes or creates an object as form and YAML. */
export function KindEditor(props: KindEditorProps) {
  const { entry, served, object, namespace, onCreated, onSaved, effects, whyNot, Checks } = props
  const edited = useEdited({ entry, served, object, namespace })
  const { base, first, yaml, setYaml, isRestored, continueOn } = edited
  const [isReviewed, setReviewed] = useState(false)
  const { outcome, busy, save, forget } = useSave({
    entry,
    object: base,
    onSaved: (saved) => {
      setReviewed(false)
      const { name } = saved.metadata
      showToast({ kind: 'done', message: base === undefined ? text.created2(name) : text.saved(name) })
      if (base === undefined) return onCreated?.(saved)
      continueOn(saved, objectYaml(saved))
      onSaved?.(saved)
    },
  })
  const send = async (how: 'save' | 'dryRun'): Promise<void> => {
    const isReview = how === 'save' && effects !== undefined
    const isAccepted = await save(yaml, isReview ? 'dryRun' : how)
    if (isReview) setReviewed(isAccepted)
  }
  const isOpen = base === undefined || yaml !== first
  const canSave = served?.verbs.includes(base === undefined ? 'create' : 'update') === true && whyNot === undefined
  const start = (how: 'save' | 'dryRun') => (): void => {
    if (canSave && isOpen) send(how).catch(() => undefined)
  }
  useKeys([{ keys: 'Ctrl+enter', label: text.save, run: start('save') }])
  useUnsaved(base !== undefined && isOpen)
  if (served === undefined)
    return (
      <Notice tone="warn" title={text.notServed}>
        {text.notServedDetail}
      </Notice>
    )
  return (
    <div className={styles['editor']}>
      {isRestored ? <RestoredNotice /> : undefined}
      <Conflict edited={edited} outcome={outcome} onForget={forget} onKeep={save} />
      <OutcomeNotice outcome={outcome} />
      {canSave || base === undefined ? undefined : <ReadOnlyNotice object={base} {...(whyNot && { whyNot })} />}
      <DocumentPanes
        noun={entry.noun}
        value={yaml}
        onChange={canSave ? setYaml : undefined}
        onSave={canSave ? start('save') : undefined}
        schema={served.input}
        refused={refusedOf(outcome)}
        hidden={entry.isClusterWide === true ? [...fieldsOfCluster, '/metadata/namespace'] : fieldsOfCluster}
        fixed={base === undefined ? [] : fixedFields}
        before={canSave && base !== undefined ? first : undefined}
      />
      {canSave && Checks !== undefined ? <Checks document={readYaml(yaml).value} /> : undefined}
      {canSave ? (
        <EditorActions
          words={base === undefined ? text.create(entry.noun) : text.save}
          isSaving={busy === 'save' || (effects !== undefined && busy === 'dryRun')}
          isTrying={busy === 'dryRun'}
          whyNot={isOpen ? undefined : text.unchanged}
          onStart={start}
        >
          {yaml === first ? undefined : <Button onClick={() => setYaml(first)}>{text.discard}</Button>}
          {base === undefined && served.sample !== undefined ? (
            <Button kind="quiet" onClick={() => setYaml(sampleYaml(served, namespace))}>
              {text.example}
            </Button>
          ) : undefined}
        </EditorActions>
      ) : undefined}
      {isReviewed ? (
        <ReviewDialog
          noun={entry.noun}
          before={first}
          after={yaml}
          effects={effects ?? []}
          isBusy={busy === 'save'}
          onConfirm={() => {
            save(yaml, 'save')
              .then((isSaved) => (isSaved ? undefined : setReviewed(false)))
              .catch(() => undefined)
          }}
          onClose={() => setReviewed(false)}
        />
      ) : undefined}
    </div>
  )
}

interface EditorActionsProps {
  readonly words: string
  readonly isSaving: boolean
  readonly isTrying: boolean
  readonly whyNot: string | undefined
  readonly onStart: (how: 'save' | 'dryRun') => () => void
  readonly children: ReactNode
}

function EditorActions({ words, isSaving, isTrying, whyNot, onStart, children }: EditorActionsProps) {
  return (
    <div className={styles['actions']}>
      <Button kind="primary" isBusy={isSaving} whyNot={whyNot} onClick={onStart('save')}>
        {words}
      </Button>
      <Button isBusy={isTrying} whyNot={whyNot} onClick={onStart('dryRun')}>
        {text.dryRun}
      </Button>
      {children}
    </div>
  )
}

interface ConflictProps {
  readonly edited: EditedObject
  readonly outcome: SaveOutcome
  readonly onForget: () => void
  readonly onKeep: (yaml: string, how: 'save', replaced: KindObject) => Promise<unknown>
}

// Mine, theirs and the base, if another person was faster.
function Conflict({ edited: { base, first, yaml, continueOn }, outcome: { theirs }, onForget, onKeep }: ConflictProps) {
  if (theirs === undefined || base === undefined) return undefined
  return (
    <ConflictView
      base={first}
      mine={yaml}
      theirs={objectYaml(theirs)}
      onPick={(pick) => {
        const kept = pick === 'take' ? objectYaml(theirs) : rebaseYaml(first, yaml, objectYaml(theirs))
        continueOn(theirs, kept)
        onForget()
        if (pick === 'keep') onKeep(kept, 'save', theirs).catch(() => undefined)
      }}
    />
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
