import { useState } from 'react'
import type { FormEvent } from 'react'
import type { Static } from 'typebox'
import type { GenerateResponse } from '#schemas/api/agent-authoring.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { toYaml } from './load-source.ts'
import styles from './new-agent.module.css'
import { newAgentText as text } from './text.ts'
import { useTypedWords } from './typed-words.ts'

type Generated = Static<typeof GenerateResponse>

interface PromptPaneProps {
  /** Draft of the words. */
  readonly wordsKey: string
  readonly namespace: string
  readonly onMade: (yaml: string) => void
  readonly onLeave: () => void
}

const MAX_PROMPT = 16_384

/** Asks a model for the configuration. */
export function PromptPane({ wordsKey, namespace, onMade, onLeave }: PromptPaneProps) {
  const { words: prompt, setWords: setPrompt } = useTypedWords(wordsKey)
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const generate = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      const made = await sendApi<Generated>({
        method: 'POST',
        path: ['agents', 'generate'],
        body: { prompt, namespace },
      })
      if (made !== undefined) onMade(commented(made))
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)))
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isBusy && prompt.trim() !== '') generate().catch(() => undefined)
  }
  return (
    <form className={styles['asked']} onSubmit={submit}>
      <label className={styles['found']}>
        <b>{text.prompt}</b>
        <textarea
          className={styles['input']}
          rows={6}
          maxLength={MAX_PROMPT}
          dir="auto"
          value={prompt}
          onChange={({ target }) => setPrompt(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
          }}
        />
      </label>
      <p className="faint">{text.promptHint}</p>
      {error === undefined ? undefined : <ProblemState error={error} />}
      <div className={styles['tags']}>
        <Button kind="primary" isSubmit isBusy={isBusy}>
          {text.generate}
        </Button>
        <Button onClick={() => onMade('name: agent\n')}>{text.blank}</Button>
        <Button kind="quiet" onClick={onLeave}>
          {text.other}
        </Button>
      </div>
    </form>
  )
}

// What the model says stands above what it wrote, as comments: the document is the one thing to read.
function commented({ config, explanation, warnings }: Generated): string {
  const lines = [explanation, ...warnings].flatMap((words) => words.split(/\r\n|[\n\r\u0085\u2028\u2029]/))
  return lines.map((line) => `# ${line}`.trimEnd()).join('\n') + `\n${toYaml(config)}`
}
