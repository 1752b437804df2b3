import type { Caller } from '#core/cluster/caller.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import { Fail } from '#core/errors/domain-error.ts'
import { rightsResource } from '#core/http/resource/resource-schemas.ts'
import type { ListOptions, ObjectList, Resource } from '#core/kube/client.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import type { KubeError } from '#core/kube/status.ts'
import { isStatus } from '#core/kube/status.ts'
import type { AnyKind } from '#schemas/kinds/kind.ts'
import type { TypedObject } from '#schemas/kinds/object.ts'
import type { Reference } from '#schemas/kinds/references.ts'
import type { References } from './references.ts'
import { createFindResource } from '../contract/resources.ts'

/** The target of a used-by query. */
export interface UsedTarget {
  kind: string
  namespace: DnsLabel
  name: string
}

/** One reference to the target: object and field. */
export type User = Reference & { found: true }

/** Kinds and references of the installation. */
export interface UsedByContext {
  readonly kinds: readonly AnyKind[]
  readonly references: References
  /** If set, every namespace that the caller may list is searched (`scope=permitted`). */
  readonly directory?: Directory | undefined
  readonly signal: AbortSignal
}

/**
 * Lists the objects that refer to a target and that the caller can list. Each kind that may refer to it is listed cluster-wide or, if that is denied,
 * in the target's namespace or each permitted namespace. Throws the cluster's 403 if no list is allowed.
 */
export async function findUsers(
  caller: Caller,
  target: UsedTarget,
  { kinds, references, directory, signal }: UsedByContext,
): Promise<User[]> {
  const referring = kinds.filter((kind) => references.shownTargetsOf(kind).has(target.kind))
  const isKnown = referring.length > 0 || createFindResource(() => kinds)(target.kind) !== undefined
  if (!isKnown) {
    throw new Fail('invalid_query', undefined, {
      errors: [{ pointer: '?kind', detail: 'is not a kind that other objects refer to' }],
    })
  }
  const answers = await Promise.all(
    referring.map((kind) => listVisible(caller, kind, { namespace: target.namespace, directory, signal })),
  )
  const denied = answers.filter((answer) => answer.denied !== undefined)
  if (denied[0]?.denied !== undefined && denied.length === answers.length) throw denied[0].denied
  return answers.flatMap(({ objects }, index) =>
    objects.flatMap((object) => usersIn(references, referring[index], object, target)),
  )
}

function usersIn(references: References, kind: AnyKind | undefined, object: TypedObject, target: UsedTarget): User[] {
  if (kind === undefined) return []
  const { namespace = '', name } = object.metadata
  return references
    .collectShown(kind, object)
    .filter((found) => found.kind === target.kind && found.namespace === target.namespace && found.name === target.name)
    .map(({ field }) => ({ kind: kind.kind, namespace, name, field, found: true }))
}

interface Visible {
  objects: TypedObject[]
  denied?: KubeError
}

interface Places {
  readonly namespace: DnsLabel
  readonly directory: Directory | undefined
  readonly signal: AbortSignal
}

async function listVisible(caller: Caller, kind: Resource, { namespace, directory, signal }: Places): Promise<Visible> {
  try {
    return { objects: await listAll(caller, kind, { signal }) }
  } catch (error) {
    if (!isStatus(error, 403) || (!kind.namespaced && directory === undefined)) return deniedOr(error)
    if (directory !== undefined) return { objects: kind.namespaced ? await walk(caller, kind, directory, signal) : [] }
  }
  try {
    return { objects: await listAll(caller, kind, { namespace, signal }) }
  } catch (error) {
    return deniedOr(error)
  }
}

async function walk(caller: Caller, kind: Resource, directory: Directory, signal: AbortSignal): Promise<TypedObject[]> {
  const objects: TypedObject[] = []
  await directory.permitted(caller, 'list', rightsResource(kind), '', async ({ namespace }) => {
    if (namespace !== '') objects.push(...(await listAll(caller, kind, { namespace, signal })))
    return 'more'
  })
  return objects
}

function deniedOr(error: unknown): Visible {
  if (isStatus(error, 403)) return { objects: [], denied: error }
  throw error
}

async function listAll(caller: Caller, kind: Resource, options: ListOptions): Promise<TypedObject[]> {
  const objects: TypedObject[] = []
  let next: string | undefined
  do {
    const page: ObjectList<TypedObject> = await caller.cluster.list<TypedObject>(kind, {
      ...options,
      limit: 500,
      ...(next === undefined ? {} : { continue: next }),
    })
    objects.push(...page.items)
    next = page.continue
  } while (next !== undefined)
  return objects
}
