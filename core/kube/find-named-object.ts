import type { KubeObject, KubeClient, Resource } from './client.ts'
import { isLabel, isName } from './names.ts'
import { isStatus } from './status.ts'

/** Reads an object by a name that an account, a spec or an envelope gives; undefined for an unknown object and without a name. */
export async function findNamedObject<O extends KubeObject>(
  cluster: Pick<KubeClient, 'get'>,
  resource: Resource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<O | undefined> {
  if (!isLabel(namespace) || !isName(name)) return undefined
  try {
    return await cluster.get<O>(resource, { namespace, name })
  } catch (error) {
    if (isStatus(error, 404)) return undefined
    throw error
  }
}
