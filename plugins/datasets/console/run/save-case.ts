import { sendApi } from '#ui/api/request-api.ts'
import type { ShownCase } from '../shared/shown-dataset.ts'
import { datasetsText } from '../shared/text.ts'
import type { ReadExpected } from './typed-case.ts'

/** A case that is made from a run. */
export interface SavedCase {
  readonly namespace: string
  readonly dataset: string
  readonly runId: string
  readonly expected: Exclude<ReadExpected, { readonly kind: 'notJson' }>
  readonly tags: readonly string[]
}

// The next run is most often a case of the same dataset.
const lastDatasets = new Map<string, string>()

/** The dataset of a namespace into which this window saved the last case. */
export function lastDatasetOf(namespace: string): string | undefined {
  return lastDatasets.get(namespace)
}

/** Stores a run as a case. Another expected output is a second write: the route of runs takes that of the run, or none. */
export async function saveCase({ namespace, dataset, runId, expected, tags }: SavedCase): Promise<void> {
  const cases = ['datasets', dataset, 'cases']
  const query = { namespace }
  const body = {
    runId,
    expected: expected.kind === 'output' ? 'output' : 'none',
    ...(tags.length === 0 ? {} : { tags }),
  }
  const made = await sendApi<ShownCase>({ method: 'POST', path: [...cases, 'from-run'], query, body })
  lastDatasets.set(namespace, dataset)
  if (expected.kind !== 'other' || made === undefined) return
  const { id, input, metadata, tags: stored } = made
  const changed = { input, expected: expected.value, metadata, tags: stored }
  await sendApi({ method: 'PUT', path: [...cases, id], query, body: changed }).catch((error: Error) => {
    throw new Error(datasetsText.keep.half(error.message))
  })
}
