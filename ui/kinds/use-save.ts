import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '../api/api-problem.ts'
import { apiQuery } from '../api/queries.ts'
import { requestApi, sendApi } from '../api/request-api.ts'
import { toNode } from '../parts/yaml/schema-shape.ts'
import { readYaml } from '../parts/yaml/yaml-source.ts'
import { kindText as text } from '../text/kinds.ts'
import type { KindEntry } from './kind-entry.ts'
import { toEdited } from './kind-object.ts'
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

/** Saves a document as an object of a kind. A replacement names the version that it replaces. The promise says whether the server has accepted it. */
export function useSave({ entry, object, onSaved }: SaveInput) {
  const queries = useQueryClient()
  const [outcome, setOutcome] = useState<SaveOutcome>({})
  const [busy, setBusy] = useState<'save' | 'dryRun'>()
  const save = async (yaml: string, how: 'save' | 'dryRun', replaced = object): Promise<boolean> => {
    const { value, problems } = readYaml(yaml)
    const isBroken = problems.length > 0 || toNode(value) === undefined
    setOutcome(isBroken ? { problem: new Error(text.notParsed) } : {})
    if (isBroken) return false
    setBusy(how)
    try {
      const saved = await sendLatest(entry, replaced, { value, isDry: how === 'dryRun' })
      if (how === 'dryRun') setOutcome({ isAccepted: true })
      else keep(saved)
      return true
    } catch (error) {
      setOutcome(error instanceof Overtaken ? { theirs: error.theirs } : { problem: toError(error) })
      return false
    } finally {
      setBusy(undefined)
    }
  }
  const keep = (saved: KindObject): void => {
    queries.setQueryData(apiQuery<KindObject>(pathOf(entry, saved)).queryKey, saved)
    queries.invalidateQueries({ queryKey: [...entry.api, {}], exact: false }).catch(() => undefined)
    onSaved(saved)
  }
  return { outcome, busy, save, forget: () => setOutcome({}) }
}

/** Segments of the routes of an object. */
export function pathOf({ api }: KindEntry, { metadata: { namespace, name } }: KindObject): readonly string[] {
  return [...api, ...(namespace === undefined ? [] : [namespace]), name]
}

interface SentDocument {
  readonly value: unknown
  readonly isDry: boolean
}

// A controller may write a status between any two requests.
const MOST_TRIES = 5

/** Another person has changed what is edited. */
class Overtaken extends Error {
  override readonly name = 'Overtaken'
  readonly theirs: KindObject
  constructor(theirs: KindObject) {
    super('the object has changed')
    this.theirs = theirs
  }
}

/** Sends a document in place of the latest version, if that one has no other change than its status. */
async function sendLatest(
  entry: KindEntry,
  replaced: KindObject | undefined,
  sent: SentDocument,
  tries = 1,
): Promise<KindObject> {
  try {
    return await sendObject(entry, replaced, sent)
  } catch (error) {
    if (replaced === undefined || !isConflict(error)) throw error
    const response = await requestApi({ path: pathOf(entry, replaced) })
    const theirs = (await response.json()) as KindObject
    const isSame = JSON.stringify(toEdited(theirs)) === JSON.stringify(toEdited(replaced))
    if (!isSame) throw new Overtaken(theirs)
    const isOfVersion = theirs.metadata.resourceVersion !== replaced.metadata.resourceVersion
    if (!isOfVersion || tries >= MOST_TRIES) throw error
    return sendLatest(entry, theirs, sent, tries + 1)
  }
}

// 412 is the guard of this page; 409 is a version that the body itself names.
function isConflict(error: unknown): boolean {
  return error instanceof ApiProblem && [409, 412].includes(error.facts.status)
}

async function sendObject(
  entry: KindEntry,
  replaced: KindObject | undefined,
  { value, isDry }: SentDocument,
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

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
