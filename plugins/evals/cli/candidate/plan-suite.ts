import type { EvalSuiteSpec } from '#schemas/crds/eval-suite.ts'

/** What the suite of an evaluation follows from. */
export interface SuitePlan {
  /** The suite of the file. Without one, outputs are compared with those of the dataset. */
  readonly source: EvalSuiteSpec | undefined
  readonly dataset: EvalSuiteSpec['datasetRef']
  readonly minScore: number
}

/**
 * The suite that the gate uses. The required score replaces that of the source, and it alone decides: there is neither a baseline nor a mode that
 * only warns, and nothing is scored in production. Pure.
 */
export function planSuite({ source, dataset, minScore }: SuitePlan): EvalSuiteSpec {
  if (source === undefined) return { datasetRef: dataset, evaluators: [{ name: 'exact', type: 'exact' }], minScore }
  const { baseline: _baseline, online: _online, ...kept } = source
  return { ...kept, datasetRef: dataset, minScore, mode: 'block' }
}

/** The dataset of an evaluation: of the flag, else of the file, else of the suite. A name without a namespace is one of the file's namespace. */
export function planDataset(
  named: string | undefined,
  { source, from, into }: { readonly source: EvalSuiteSpec | undefined; readonly from: string; readonly into: string },
): EvalSuiteSpec['datasetRef'] | undefined {
  const ref = named === undefined ? source?.datasetRef : splitName(named)
  if (ref === undefined) return undefined
  const { namespace = from, ...rest } = ref
  // Of the same dataset the suite may name a pin.
  const version =
    source?.datasetRef.name === ref.name && (source.datasetRef.namespace ?? from) === namespace
      ? source.datasetRef.version
      : undefined
  return { ...rest, ...(version === undefined ? {} : { version }), ...(namespace === into ? {} : { namespace }) }
}

function splitName(text: string): { readonly namespace?: string; readonly name: string } {
  const [first = '', second] = text.split('/')
  return second === undefined ? { name: first } : { namespace: first, name: second }
}
