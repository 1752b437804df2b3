import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiProblem } from '#ui/api/api-problem.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { readYaml } from '#ui/parts/yaml/yaml-source.ts'
import { toNode } from '#ui/parts/yaml/schema-shape.ts'
import { forgetDraft } from '#ui/kinds/document/draft-store.ts'
import { toBody, toDocumentFields } from './draft-body.ts'
import { newAgentText as text } from './text.ts'
import { wordsKeyOf } from './typed-words.ts'

interface CreatedAgent {
  readonly metadata: { readonly namespace?: string; readonly name: string }
}

interface CreateOutcome {
  readonly problem?: Error
  readonly isAccepted?: boolean
}

interface CreateInput {
  readonly namespace: string
  /** The draft that is forgotten then. */
  readonly draftKey: string
  readonly tryInput: string | undefined
}

/** Creates the agent of a document, and opens its playground. */
export function useCreate({ namespace, draftKey, tryInput }: CreateInput) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [outcome, setOutcome] = useState<CreateOutcome>({})
  const [busy, setBusy] = useState<'create' | 'dryRun'>()
  const open = async ({ metadata }: CreatedAgent): Promise<void> => {
    const path = [metadata.namespace ?? namespace, metadata.name].map(encodeURIComponent).join('/')
    const search = new URLSearchParams({ tab: 'playground', ...(tryInput === undefined ? {} : { input: tryInput }) })
    await navigate({ href: `/agents/${path}?${search.toString()}` })
  }
  const send = async (yaml: string, how: 'create' | 'dryRun'): Promise<void> => {
    const { value, problems } = readYaml(yaml)
    if (problems.length > 0 || toNode(value) === undefined) return setOutcome({ problem: new Error(text.notParsed) })
    setBusy(how)
    setOutcome({})
    try {
      const query = how === 'dryRun' ? { dryRun: 'All' } : {}
      const created = await sendApi<CreatedAgent>({
        method: 'POST',
        path: ['agents'],
        query,
        body: toBody(value, namespace),
      })
      if (how === 'dryRun' || created === undefined) return setOutcome({ isAccepted: true })
      for (const key of [draftKey, wordsKeyOf(draftKey)]) forgetDraft(key)
      queries.invalidateQueries({ queryKey: ['agents'] }).catch(() => undefined)
      showToast({ kind: 'done', message: text.created(created.metadata.name) })
      await open(created)
    } catch (error) {
      setOutcome({ problem: ofDocument(error, value) })
    } finally {
      setBusy(undefined)
    }
  }
  return { outcome, busy, send }
}

// The body has the document in a field; the page shows the document.
function ofDocument(error: unknown, value: unknown): Error {
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error : new Error(String(error))
  const { errors } = error.facts
  return errors === undefined ? error : new ApiProblem({ ...error.facts, errors: toDocumentFields(errors, value) })
}
