import type { ShownDataset } from '../shared/shown-dataset.ts'

/** What was typed of a dataset. */
export interface TypedDataset {
  readonly namespace: string
  readonly name: string
  readonly description: string
  /** Names of namespaces with commas between them. */
  readonly shared: string
}

/** What the dialog begins with. Pure. */
export function typedOf(namespace: string, dataset: ShownDataset | undefined): TypedDataset {
  if (dataset === undefined) return { namespace, name: '', description: '', shared: '' }
  const { description, allowedNamespaces } = dataset
  return {
    namespace: dataset.namespace,
    name: dataset.name,
    description,
    shared: (allowedNamespaces ?? []).join(', '),
  }
}

/** The body that stores it; a replacement keeps the schemas, which the dialog does not show. Pure. */
export function toDatasetBody({ description, shared }: TypedDataset, kept: ShownDataset | undefined): object {
  const names = shared
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  return {
    description: description.trim(),
    allowedNamespaces: names.length === 0 ? null : names,
    ...(kept === undefined ? {} : { inputSchema: kept.inputSchema, expectedSchema: kept.expectedSchema }),
  }
}
