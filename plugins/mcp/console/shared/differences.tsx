import { useState } from 'react'
import { Diff } from '#ui/parts/document/diff.tsx'
import { Tag } from '#ui/parts/status/status-badge.tsx'
import type { Tone } from '#ui/parts/status/tones.ts'
import type { ToolDifference } from './server-state.ts'
import { toToolDocument } from './shown-tool.ts'
import { toolText } from './text.ts'
import styles from './tool.module.css'

const text = toolText.differences
const tones: Readonly<Record<ToolDifference['change'], Tone>> = { added: 'ok', changed: 'warn', removed: 'bad' }

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
