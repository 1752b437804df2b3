import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import type { Static } from 'typebox'
import type { GenerateResponse } from '#schemas/api/agent-authoring.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { Button } from '#ui/parts/control/button.tsx'
import { Card } from '#ui/parts/page/card.tsx'
import { ProblemState } from '#ui/parts/state/problem-state.tsx'
import { rebaseYaml } from '#ui/parts/yaml/rebase-yaml.ts'
import { toNode } from '#ui/parts/yaml/schema-shape.ts'
import { readYaml } from '#ui/parts/yaml/yaml-source.ts'
import { toYaml } from './load-source.ts'
import styles from './new-agent.module.css'
import { ProposalView } from './proposal-view.tsx'
import type { Proposal } from './proposal-view.tsx'
import { newAgentText as text } from './text.ts'
import { useTypedWords } from './typed-words.ts'

type Refined = Static<typeof GenerateResponse>

interface RefineCardProps {
  readonly yaml: string
  readonly namespace: string
  /** Draft of the words. */
  readonly wordsKey: string
  readonly onTake: (yaml: string) => void
}

const MAX_WORDS = 16_384

/** Asks a model to change the document, and shows each change before it is taken. */
export function RefineCard({ yaml, namespace, wordsKey, onTake }: RefineCardProps) {
  const { words, setWords } = useTypedWords(wordsKey)
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: () => proposalOf(yaml, { instruction: words, namespace }),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isPending && words.trim() !== '') mutate()
  }
  const take = ({ before, after }: Proposal): void => {
    // What was typed meanwhile stays.
    onTake(rebaseYaml(before, after, yaml))
    setWords('')
    reset()
  }
  return (
    <Card title={text.refineTitle}>
      <form className={styles['found']} onSubmit={submit}>
        <textarea
          className={styles['input']}
          aria-label={text.refine}
          placeholder={text.refineExample}
          rows={2}
          maxLength={MAX_WORDS}
          dir="auto"
          value={words}
          onChange={({ target }) => setWords(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            // The same keys create the agent.
            event.stopPropagation()
            submit(event)
          }}
        />
        <div className={styles['tags']}>
          <Button isSubmit isBusy={isPending}>
            {text.refineAction}
          </Button>
        </div>
      </form>
      {error === null ? undefined : <ProblemState error={error} />}
      {data === undefined ? undefined : (
        <ProposalView proposal={data} onTake={() => take(data)} onLeave={() => reset()} />
      )}
    </Card>
  )
}

async function proposalOf(
  yaml: string,
  { instruction, namespace }: { readonly instruction: string; readonly namespace: string },
): Promise<Proposal> {
  const { value, problems } = readYaml(yaml)
  const config = toNode(value)
  if (problems.length > 0 || config === undefined) throw new Error(text.notParsed)
  const body = { config, instruction: instruction.trim(), namespace }
  const refined = await sendApi<Refined>({ method: 'POST', path: ['agents', 'refine'], body })
  if (refined === undefined) throw new Error(text.noProposal)
  // Comments of the document stay.
  const after = rebaseYaml(yaml, toYaml(refined.config), yaml)
  return { before: yaml, after, explanation: refined.explanation, warnings: refined.warnings }
}
