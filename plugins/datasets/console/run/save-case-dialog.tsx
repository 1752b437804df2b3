import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Static } from 'typebox'
import type { Run } from '#schemas/api/runs.ts'
import { apiQuery } from '#ui/api/queries.ts'
import type { ObjectDialogProps } from '#ui/contract/page.ts'
import { DialogForm } from '#ui/parts/form/dialog-form.tsx'
import { ChoiceField, TextField } from '#ui/parts/form/text-field.tsx'
import { showToast } from '#ui/parts/overlay/toast-store.ts'
import type { DatasetItems, ShownDataset } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import { lastDatasetOf, saveCase } from './save-case.ts'
import { readExpected, readTags, toTypedOutput } from './typed-case.ts'

const text = datasetsText.keep
/** No dataset has an empty name. */
const ANOTHER = ''

/** Saves a run as a case of a dataset; its output is the expected one unless a person changes it. */
export function SaveCaseDialog({ object: { id = '', namespace = 'default' }, onClose }: ObjectDialogProps) {
  const { data: run, error } = useQuery(apiQuery<Static<typeof Run>>(['runs', id]))
  const lists = useQuery(apiQuery<DatasetItems<ShownDataset>>(['datasets'], { namespace, limit: 200 }))
  const [given, setGiven] = useState<Partial<TypedCase>>({})
  const queries = useQueryClient()
  const names = lists.data?.items.map(({ name }) => name) ?? []
  const typed: TypedCase = {
    picked: names.find((name) => name === lastDatasetOf(namespace)) ?? names[0] ?? ANOTHER,
    name: '',
    expected: toTypedOutput(run?.output),
    tags: '',
    ...given,
  }
  const dataset = typed.picked === ANOTHER ? typed.name.trim() : typed.picked
  const save = useMutation({
    mutationFn: async () => {
      const expected = readExpected(typed.expected, run?.output)
      if (expected.kind === 'notJson') throw new Error(text.notJson)
      await saveCase({ namespace, dataset, runId: id, expected, tags: readTags(typed.tags) })
    },
    onSuccess: () => {
      showToast({ kind: 'done', message: text.done(dataset) })
      onClose()
    },
    // A case without its expected output is stored, too.
    onSettled: () => queries.invalidateQueries({ queryKey: ['datasets'] }),
  })
  const set = (changed: Partial<TypedCase>) => setGiven({ ...given, ...changed })
  const known = names.map((name) => ({ value: name, label: name }))
  return (
    <DialogForm
      title={text.title}
      hint={text.hint}
      action={text.action}
      isBusy={save.isPending || run === undefined}
      error={save.error ?? error ?? lists.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {known.length === 0 ? undefined : (
        <ChoiceField
          label={text.dataset}
          value={typed.picked}
          options={[...known, { value: ANOTHER, label: text.another }]}
          onChange={(picked) => set({ picked })}
        />
      )}
      {typed.picked === ANOTHER ? (
        <TextField label={text.name} value={typed.name} maxLength={63} isRequired onChange={(name) => set({ name })} />
      ) : undefined}
      <TextField
        label={text.expected}
        hint={text.expectedHint}
        value={typed.expected}
        maxLength={1_048_576}
        isLong
        onChange={(expected) => set({ expected })}
      />
      <TextField
        label={text.tags}
        hint={text.tagsHint}
        value={typed.tags}
        maxLength={2_000}
        onChange={(tags) => set({ tags })}
      />
    </DialogForm>
  )
}

interface TypedCase {
  /** Name of a dataset, or {@link ANOTHER}. */
  readonly picked: string
  /** Name of a new dataset. */
  readonly name: string
  readonly expected: string
  readonly tags: string
}
