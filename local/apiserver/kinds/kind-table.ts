import { builtInKinds } from './built-in-kinds.ts'
import { customKinds } from './custom-kinds.ts'
import type { CustomResourceDefinition } from './custom-kinds.ts'
import type { Kind, SchemaSource } from './kind.ts'

/** The table of everything served; one line of it is one kind in one version. */
export interface Kinds {
  readonly all: readonly Kind[]
  find(group: string, version: string, resource: string): Kind | undefined
  /** Any served version of a kind: for owner references and garbage collection. */
  byStore(storeId: string): Kind | undefined
  serves(group: string, version?: string): boolean
}

/** Builds the table from the built-in kinds and the definitions given. */
export function createKinds(crds: readonly CustomResourceDefinition[], schemas: SchemaSource): Kinds {
  const all = [...builtInKinds(schemas), ...crds.flatMap((crd) => customKinds(crd, schemas))]
  const byPath = new Map(all.map((kind) => [`${kind.group}/${kind.version}/${kind.resource}`, kind]))
  const stores = new Map(all.filter((kind) => kind.apiVersion === kind.storedAs).map((kind) => [kind.storeId, kind]))
  return {
    all,
    find: (group, version, resource) => byPath.get(`${group}/${version}/${resource}`),
    byStore: (storeId) => stores.get(storeId),
    serves: (group, version) =>
      all.some((kind) => kind.group === group && (version === undefined || kind.version === version)),
  }
}
