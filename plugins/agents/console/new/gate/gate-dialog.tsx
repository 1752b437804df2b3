import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Static } from 'typebox'
import type { Dataset } from '#schemas/api/datasets.ts'
import { apiQuery } from '#ui/api/queries.ts'
import { sendApi } from '#ui/api/request-api.ts'
import { DialogForm, FieldPair } from '#ui/parts/form/dialog-form.tsx'
import { ChoiceField, TextField } from '#ui/parts/form/text-field.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import { gateYaml, readScore, toGateSuite } from './gated-file.ts'
import type { TypedGate } from './gated-file.ts'
import { gateText as text } from './text.ts'

interface GateDialogProps {
  readonly yaml: string
  readonly agent: { readonly name: string; readonly namespace: string }
  readonly onTake: (yaml: string) => void
  readonly onClose: () => void
}

interface ListedDatasets {
  readonly items: readonly Static<typeof Dataset>[]
}

const evaluators = (['contains', 'exact'] as const).map((value) => ({ value, label: text.evaluators[value] }))
const noDatasets = new Error(text.noDatasets)

/** Creates a suite for the agent, then names it in the file. */
export function GateDialog({ yaml, agent: { name, namespace }, onTake, onClose }: GateDialogProps) {
  const lists = useQuery(apiQuery<ListedDatasets>(['datasets'], { namespace, limit: 200 }))
  const known = (lists.data?.items ?? []).map((one) => ({ value: one.name, label: one.name }))
  const [given, setGiven] = useState<Partial<TypedGate>>({})
  const typed: TypedGate = {
    dataset: known[0]?.value ?? '',
    evaluator: 'contains',
    minScore: '0.8',
    suite: `${name}-gate`,
    ...given,
  }
  const score = readScore(typed.minScore)
  const create = useCreateGate({ yaml, namespace, typed, onTake, onClose })
  const submit = (): void => {
    if (score !== undefined && typed.dataset !== '') create.mutate(score)
  }
  const set = (changed: Partial<TypedGate>): void => setGiven({ ...given, ...changed })
  const missing = lists.data !== undefined && known.length === 0 ? noDatasets : null
  return (
    <DialogForm
      title={text.action}
      hint={text.hint}
      action={text.create}
      isBusy={create.isPending || lists.isPending}
      error={create.error ?? lists.error ?? missing}
      onSubmit={submit}
      onClose={onClose}
    >
      <ChoiceField
        label={text.dataset}
        hint={text.datasetHint}
        value={typed.dataset}
        options={known}
        onChange={(dataset) => set({ dataset })}
      />
      <ChoiceField
        label={text.evaluator}
        value={typed.evaluator}
        options={evaluators}
        onChange={(evaluator) => set({ evaluator })}
      />
      <FieldPair>
        <TextField
          label={text.minScore}
          hint={text.minScoreHint}
          value={typed.minScore}
          maxLength={8}
          isRequired
          refused={score === undefined ? text.wrongScore : undefined}
          onChange={(minScore) => set({ minScore })}
        />
        <TextField
          label={text.suite}
          value={typed.suite}
          maxLength={63}
          isRequired
          onChange={(next) => set({ suite: next })}
        />
      </FieldPair>
    </DialogForm>
  )
}

interface GateCreation extends Pick<GateDialogProps, 'yaml' | 'onTake' | 'onClose'> {
  readonly namespace: string
  readonly typed: TypedGate
}

// The file is changed only once the suite exists.
function useCreateGate({ yaml, namespace, typed, onTake, onClose }: GateCreation) {
  const queries = useQueryClient()
  const suite = typed.suite.trim()
  return useMutation({
    mutationFn: async (minScore: number) => {
      const gated = gateYaml(yaml, { dataset: typed.dataset, suite })
      if (gated === undefined) throw new Error(text.blocked)
      const body = { metadata: { name: suite, namespace }, spec: toGateSuite(typed, minScore) }
      await sendApi({ method: 'POST', path: ['evalsuites'], body })
      return gated
    },
    onSuccess: (gated) => {
      showToast({ kind: 'done', message: text.created(suite) })
      onTake(gated)
      onClose()
      queries.invalidateQueries({ queryKey: ['evalsuites'] }).catch(() => undefined)
    },
  })
}
