import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { DocumentPanes } from '#ui/kinds/document/document-panes.tsx'
import { forgetDraft, keepDraft } from '#ui/kinds/document/draft-store.ts'
import { fieldsOfCluster } from '#ui/kinds/kind-object.ts'
import type { ApiDocument } from '#ui/kinds/served-kind.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { useKeys } from '#ui/parts/keys/use-keys.ts'
import { Notice } from '#ui/parts/page/notice.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { checkValue } from '#ui/parts/yaml/schema-problems.ts'
import { toNode } from '#ui/parts/yaml/schema-shape.ts'
import { readYaml } from '#ui/parts/yaml/yaml-source.ts'
import { draftKeyOf } from './agent-source.ts'
import { schemaOf, toBody } from './draft-body.ts'
import { FileGateCard } from './gate/gate-card.tsx'
import { isManifest } from './gate/is-manifest.ts'
import styles from './new-agent.module.css'
import { RefineCard } from './refine-card.tsx'
import { RequirementsCard } from './requirements-card.tsx'
import { newAgentText as text } from './text.ts'
import { useCreate } from './use-create.ts'

interface DraftFormProps {
  readonly document: ApiDocument
  readonly namespace: string
  readonly username: string
  /** The source, as it stands in the address. */
  readonly from: string
  readonly first: string
  readonly isRestored: boolean
  /** It was generated or read from a file: a reload cannot load it again. */
  readonly isMade: boolean
  readonly tryInput: string | undefined
  readonly onLeave: () => void
}

const KEEP_MS = 500
const SETTLE_MS = 700

/** The document as form and YAML, what it needs, and the buttons that try and create it. */
export function DraftForm(props: DraftFormProps) {
  const { document, namespace, username, from, first, isRestored, isMade, tryInput, onLeave } = props
  const [yaml, setYaml] = useState(first)
  const draftKey = draftKeyOf(from)
  const { outcome, busy, send } = useCreate({ namespace, draftKey, tryInput })
  const create = (): void => {
    send(yaml, 'create').catch(() => undefined)
  }
  useKeys([{ keys: 'Ctrl+enter', label: text.create, run: create }])
  useEffect(() => {
    if (yaml === first && !isRestored && !isMade) return
    const timer = setTimeout(() => keepDraft({ username, key: draftKey, yaml }), KEEP_MS)
    return () => clearTimeout(timer)
  }, [yaml, first, isRestored, isMade, username, draftKey])
  const isObject = useMemo(() => isManifest(readYaml(yaml).value), [yaml])
  const schema = useMemo(() => schemaOf(document, isObject ? { kind: '' } : {}), [document, isObject])
  const body = useCheckedBody(yaml, schema, namespace)
  const { problem, isAccepted = false } = outcome
  const refused = problem instanceof ApiProblem ? problem.facts.errors : undefined
  const leave = (): void => {
    forgetDraft(draftKey)
    onLeave()
  }
  return (
    <div className={styles['editor']}>
      {isRestored ? (
        <Notice tone="info" title={text.restored}>
          {text.restoredDetail}
        </Notice>
      ) : undefined}
      {isAccepted ? (
        <div role="status">
          <Notice tone="ok">{text.accepted}</Notice>
        </div>
      ) : undefined}
      {problem === undefined ? undefined : <Refusal problem={problem} />}
      <DocumentPanes
        {...{ noun: text.noun, value: yaml, onChange: setYaml, onSave: create, schema, refused }}
        hidden={fieldsOfCluster}
      >
        {isObject ? undefined : (
          <RefineCard {...{ yaml, namespace }} wordsKey={`${draftKey}/change`} onTake={setYaml} />
        )}
        <RequirementsCard body={body} />
        <FileGateCard {...{ yaml, namespace }} onTake={setYaml} />
      </DocumentPanes>
      <div className={styles['actions']}>
        <Button kind="primary" isBusy={busy === 'create'} onClick={create}>
          {text.create}
        </Button>
        <Button
          isBusy={busy === 'dryRun'}
          onClick={() => {
            send(yaml, 'dryRun').catch(() => undefined)
          }}
        >
          {text.dryRun}
        </Button>
        <Button kind="quiet" onClick={leave}>
          {isRestored ? text.discard : text.other}
        </Button>
      </div>
    </div>
  )
}

function Refusal({ problem }: { readonly problem: Error }) {
  const isWhole = problem instanceof ApiProblem && problem.facts.errors === undefined
  if (isWhole) return <ProblemState error={problem} />
  return (
    <div role="alert">
      <Notice tone="bad" title={problem instanceof ApiProblem ? problem.facts.title : ''}>
        {problem.message}
      </Notice>
    </div>
  )
}

/** The body of the document once it is valid and was not typed in for a moment. */
function useCheckedBody(yaml: string, schema: ReturnType<typeof schemaOf>, namespace: string): object | undefined {
  const [settled, setSettled] = useState(yaml)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(yaml), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [yaml])
  const shown = useDeferredValue(settled)
  return useMemo(() => {
    const { value, problems } = readYaml(shown)
    const isValid = problems.length === 0 && toNode(value) !== undefined && checkValue(schema, value).length === 0
    return isValid ? toBody(value, namespace) : undefined
  }, [shown, schema, namespace])
}
