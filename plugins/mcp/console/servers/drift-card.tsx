import { useState } from 'react'
import type { KindObject } from '#ui/kinds/kind-object.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Diff } from '#ui/parts/document/diff.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import type { Tone } from '#ui/parts/status/tones.ts'
import { toToolDocument } from '../shared/shown-tool.ts'
import { toServerState } from './server-state.ts'
import type { ToolDifference } from './server-state.ts'
import styles from './servers.module.css'
import { serversText } from './text.ts'
import { useAcceptance } from './use-acceptance.ts'

const text = serversText.drift
const tones: Readonly<Record<ToolDifference['change'], Tone>> = { added: 'ok', changed: 'warn', removed: 'bad' }

/** What a server offers that is not accepted: tool by tool, old beside new. Absent if nothing waits. */
export function DriftCard({ object }: { readonly object: KindObject }) {
  const { changes, proposed, digest } = toServerState(object)
  const { accept, isBusy, error } = useAcceptance(object)
  if (proposed === undefined) return undefined
  return (
    <Card title={digest === undefined ? text.first : text.title}>
      <div className={styles['drift']}>
        <Notice tone="warn">{text.blocked}</Notice>
        <Differences changes={changes} />
        {error === undefined ? undefined : (
          <div role="alert">
            <Notice tone="bad">{error}</Notice>
          </div>
        )}
        <div>
          <Button kind="primary" icon="check" isBusy={isBusy} onClick={() => accept(proposed)}>
            {text.accept}
          </Button>
        </div>
      </div>
    </Card>
  )
}

/** Tools that differ, and the definition of the picked one on both sides. */
export function Differences({ changes }: { readonly changes: readonly ToolDifference[] }) {
  const [picked, setPicked] = useState<string>()
  const shown = changes.find(({ tool }) => tool === picked) ?? changes[0]
  if (shown === undefined) return undefined
  return (
    <>
      <ul className={styles['changes']} aria-label={text.changes}>
        {changes.map(({ change, tool }) => (
          <li key={tool}>
            <button type="button" aria-pressed={tool === shown.tool} onClick={() => setPicked(tool)}>
              <Tag tone={tones[change]}>{text.kinds[change]}</Tag>
              <span className="mono clip" dir="auto">
                {tool}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <Diff
        key={shown.tool}
        title={text.compared(shown.tool)}
        before={toToolDocument(shown.before)}
        after={toToolDocument(shown.after)}
        labels={[text.before, text.after]}
      />
    </>
  )
}
