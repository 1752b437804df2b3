import type { Static } from 'typebox'
import type { Permissions } from '#schemas/api/identity.ts'
import { valueAt } from '#ui/kinds/kind-object.ts'

/** The Secret that a document of a binding names. */
export interface NamedSecret {
  readonly namespace: string
  readonly name: string
}

/** Whether the caller may get a Secret; unknown where the cluster cannot list every rule. */
export type SecretRight = 'met' | 'denied' | 'unknown'

/** The Secret of a document; undefined while it names none. Pure. */
export function secretOf(document: unknown): NamedSecret | undefined {
  const name = valueAt(document, 'spec.secretRef.name')
  const namespace = valueAt(document, 'metadata.namespace') ?? 'default'
  const isNamed = typeof name === 'string' && name !== '' && typeof namespace === 'string' && namespace !== ''
  return isNamed ? { namespace, name } : undefined
}

/** Whether rules permit to get a Secret, as the cluster reads them: `*` matches, and names restrict. Pure. */
export function rightOnSecret(
  { rules, complete }: Pick<Static<typeof Permissions>, 'rules' | 'complete'>,
  name: string,
): SecretRight {
  const matches = (values: readonly string[], wanted: string): boolean =>
    values.includes('*') || values.includes(wanted)
  const isAllowed = rules.some(
    ({ verbs, groups, resources, names }) =>
      matches(verbs, 'get') &&
      matches(groups, '') &&
      matches(resources, 'secrets') &&
      (names === undefined || names.includes(name)),
  )
  if (isAllowed) return 'met'
  return complete ? 'denied' : 'unknown'
}
