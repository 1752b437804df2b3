/** Source of the namespace of routes below a dataset. */
export const inQuery = { in: 'query', field: 'namespace', absent: 'default' } as const

/** Names of datasets in rights and in audit rows. */
export const datasetNames = { resource: 'datasets', kind: 'Dataset' } as const

/** The review of a right on the dataset of the path. */
export function reviewOf<const Verb extends string>(verb: Verb) {
  return { kind: 'review', verb, resource: 'datasets', namespace: inQuery, name: 'name' } as const
}
