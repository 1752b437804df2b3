import { ApiProblem } from '../api/api-problem.ts'
import { toCommand } from '../parts/content/shell-words.ts'
import { Notice } from '../parts/page/notice.tsx'
import { ProblemState } from '../parts/state/problem-state.tsx'
import { kindText as text } from '../text/kinds.ts'
import styles from './kinds.module.css'
import type { KindObject } from './kind-object.ts'
import type { SaveOutcome } from './use-save.ts'

/** What came of the last attempt to save. */
export function OutcomeNotice({ outcome: { problem, isAccepted = false } }: { readonly outcome: SaveOutcome }) {
  if (isAccepted) {
    return (
      <div role="status">
        <Notice tone="ok">{text.accepted}</Notice>
      </div>
    )
  }
  if (problem === undefined) return undefined
  if (!(problem instanceof ApiProblem)) return <Notice tone="bad">{problem.message}</Notice>
  if (problem.facts.errors === undefined) return <ProblemState error={problem} />
  return (
    <div role="alert">
      <Notice tone="bad" title={problem.facts.title}>
        {problem.facts.detail}
      </Notice>
    </div>
  )
}

/** Says that a draft is shown, and what was not kept of it. */
export function RestoredNotice() {
  return (
    <div role="status">
      <Notice tone="info" title={text.restored}>
        {text.restoredDetail}
      </Notice>
    </div>
  )
}

/** Why a document can be read only. Without a route, kubectl still changes it. */
export function ReadOnlyNotice({ object, whyNot }: { readonly object: KindObject; readonly whyNot?: string }) {
  if (whyNot !== undefined) return <Notice tone="mute">{whyNot}</Notice>
  return (
    <Notice tone="mute" title={text.noUpdate}>
      {text.noUpdateDetail}
      <code className={`mono ${styles['command']}`}>{toCommand(editCommand(object))}</code>
    </Notice>
  )
}

function editCommand({ apiVersion = '', kind = '', metadata: { namespace, name } }: KindObject): readonly string[] {
  const [group, version] = apiVersion.split('/')
  const resource = version === undefined ? kind : `${kind}.${version}.${group}`
  return ['kubectl', 'edit', resource.toLowerCase(), name, ...(namespace === undefined ? [] : ['-n', namespace])]
}
