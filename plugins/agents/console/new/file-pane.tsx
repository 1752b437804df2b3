import { useState } from 'react'
import { Button } from '#ui/parts/control/button.tsx'
import { Notice } from '#ui/parts/page/notice.tsx'
import styles from './new-agent.module.css'
import { newAgentText as text } from './text.ts'

interface FilePaneProps {
  readonly onMade: (yaml: string) => void
  readonly onLeave: () => void
}

const MAX_BYTES = 262_144

/** Reads an agent file of this machine. */
export function FilePane({ onMade, onLeave }: FilePaneProps) {
  const [problem, setProblem] = useState<string>()
  const read = async (file: File): Promise<void> => {
    if (file.size > MAX_BYTES) return setProblem(text.fileTooLarge)
    const decoded = await file.text()
    // Bytes that are no UTF-8 were replaced.
    if (decoded.includes('\0') || decoded.includes('\uFFFD')) return setProblem(text.fileNoText)
    onMade(decoded.trim() === '' ? 'name: agent\n' : decoded)
  }
  return (
    <div className={styles['asked']}>
      <label className={styles['found']}>
        <b>{text.file}</b>
        <input
          type="file"
          accept=".yaml,.yml,.json,application/yaml,text/yaml"
          className={styles['input']}
          onChange={({ target }) => {
            const file = target.files?.[0]
            if (file !== undefined) read(file).catch(() => setProblem(text.fileNoText))
          }}
        />
      </label>
      <p className="faint">{text.fileHint}</p>
      {problem === undefined ? undefined : (
        <div role="alert">
          <Notice tone="bad">{problem}</Notice>
        </div>
      )}
      <div className={styles['tags']}>
        <Button onClick={() => onMade('name: agent\n')}>{text.blank}</Button>
        <Button kind="quiet" onClick={onLeave}>
          {text.other}
        </Button>
      </div>
    </div>
  )
}
