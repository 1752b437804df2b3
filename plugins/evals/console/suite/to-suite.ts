import { valueAt } from '#ui/kinds/kind-object.ts'
import type { KindObject } from '#ui/kinds/kind-object.ts'

/** What the page uses of a suite. */
export interface ShownSuite {
  readonly namespace: string
  readonly name: string
  readonly minScore: number | undefined
  readonly isWarning: boolean
  readonly dataset: { readonly namespace: string; readonly name: string }
}

/** Reads a suite. Pure. */
export function toSuite({ metadata: { namespace = '', name }, spec }: KindObject): ShownSuite {
  const minScore = valueAt(spec, 'minScore')
  const text = (field: string, preset: string): string => {
    const value = valueAt(spec, field)
    return typeof value === 'string' ? value : preset
  }
  return {
    namespace,
    name,
    minScore: typeof minScore === 'number' ? minScore : undefined,
    isWarning: valueAt(spec, 'mode') === 'warn',
    dataset: { namespace: text('datasetRef.namespace', namespace), name: text('datasetRef.name', '') },
  }
}
