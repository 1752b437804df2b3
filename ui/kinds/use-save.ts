import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '../api/api-problem.ts'
import { apiQuery } from '../api/queries.ts'
import { requestApi, sendApi } from '../api/request-api.ts'
import { toNode } from '../parts/yaml/schema-shape.ts'
import { readYaml } from '../parts/yaml/yaml-source.ts'
import { kindText as text } from '../text/kinds.ts'
import type { KindEntry } from './kind-entry.ts'
import type { KindObject } from './kind-object.ts'

/** What came of the last attempt to save. */
export interface SaveOutcome {
  readonly problem?: Error
  /** The server accepts what a dry run sent. */
  readonly isAccepted?: boolean
  /** The object that another person has changed, as it is now. */
  readonly theirs?: KindObject
}

interface SaveInput {
  readonly entry: KindEntry
  /** The object that is replaced; undefined creates one. */
  readonly object: KindObject | undefined
  readonly onSaved: (saved: KindObject) => void
}

/** Saves a document as an object of a kind. A replacement names the version that it replaces. */
export function useSave({ entry, object, onSaved }: SaveInput) {
  const queries = useQueryClient()
  const [outcome, setOutcome] = useState<SaveOutcome>({})
  const [busy, setBusy] = useState<'save' | 'dryRun'>()
  const save = async (yaml: string, how: 'save' | 'dryRun', replaced = object): Promise<void> => {
    const { value, problems } = readYaml(yaml)
    if (problems.length > 0 || toNode(value) === undefined) return setOutcome({ problem: new Error(text.notParsed) })
    setBusy(how)
    setOutcome({})
    try {
      const saved = await sendObject(entry, replaced, { value, isDry: how === 'dryRun' })
      if (how === 'dryRun') return setOutcome({ isAccepted: true })
      queries.setQueryData(apiQuery<KindObject>(pathOf(entry, saved)).queryKey, saved)
      queries.invalidateQueries({ queryKey: [...entry.api, {}], exact: false }).catch(() => undefined)
      onSaved(saved)
    } catch (error) {
      setOutcome(await outcomeOf(error, entry, replaced))
    } finally {
      setBusy(undefined)
    }
  }
  return { outcome, busy, save, forget: () => setOutcome({}) }
}

/** Segments of the routes of an object. */
export function pathOf({ api }: KindEntry, { metadata: { namespace, name } }: KindObject): readonly string[] {
  return [...api, ...(namespace === undefined ? [] : [namespace]), name]
}

async function sendObject(
  entry: KindEntry,
  replaced: KindObject | undefined,
  { value, isDry }: { readonly value: unknown; readonly isDry: boolean },
): Promise<KindObject> {
  const query = isDry ? { dryRun: 'All' } : {}
  const version = replaced?.metadata.resourceVersion
  const saved = await sendApi<KindObject>({
    method: replaced === undefined ? 'POST' : 'PUT',
    path: replaced === undefined ? entry.api : pathOf(entry, replaced),
    query,
    body: value,
    ...(version === undefined ? {} : { headers: { 'if-match': `"${version}"` } }),
  })
  if (saved === undefined) throw new Error('the response has no object')
  return saved
}

// 412 is the guard of this page; 409 is a version that the body itself names.
async function outcomeOf(error: unknown, entry: KindEntry, replaced: KindObject | undefined): Promise<SaveOutcome> {
  const problem = error instanceof Error ? error : new Error(String(error))
  const isConflict = problem instanceof ApiProblem && [409, 412].includes(problem.facts.status)
  if (!isConflict || replaced === undefined) return { problem }
  try {
    const response = await requestApi({ path: pathOf(entry, replaced) })
    return { theirs: (await response.json()) as KindObject }
  } catch (failure) {
    return { problem: failure instanceof Error ? failure : problem }
  }
}
