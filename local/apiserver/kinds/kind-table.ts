import { builtInKinds } from './built-in-kinds.ts'
import type { Kind, SchemaSource } from './kind.ts'

/** The table of everything served; one line of it is one kind in one version. */
export interface Kinds {
  readonly all: readonly Kind[]
  find(group: string, version: string, resource: string): Kind | undefined
  /** A served version of a kind, preferably the stored one: for owner references and garbage collection. */
  byStore(storeId: string): Kind | undefined
  serves(group: string, version?: string): boolean
  /** Replaces the kinds of a definition, given by its name; no kinds remove it. Built-in kinds cannot be replaced. */
  define(definition: string, kinds: readonly Kind[]): void
}

const pathOf = ({ group, version, resource }: Kind): string => `${group}/${version}/${resource}`

/** Builds the table with the built-in kinds. */
export function createKinds(schemas: SchemaSource): Kinds {
  const builtIn = builtInKinds(schemas)
  const defined = new Map<string, readonly Kind[]>()
  let all: readonly Kind[] = []
  let byPath = new Map<string, Kind>()
  let stores = new Map<string, Kind>()

  function index(): void {
    // A later entry of a map wins: built-in kinds over defined ones, the stored version over the others.
    const custom = [...defined.values()].flat()
    const isStored = (kind: Kind) => kind.apiVersion === kind.storedAs
    byPath = new Map([...custom, ...builtIn].map((kind) => [pathOf(kind), kind]))
    all = [...builtIn, ...custom.filter((kind) => byPath.get(pathOf(kind)) === kind)]
    stores = new Map(
      [...custom.filter((kind) => !isStored(kind)), ...custom.filter(isStored), ...builtIn.filter(isStored)].map(
        (kind) => [kind.storeId, kind],
      ),
    )
  }

  index()
  return {
    get all() {
      return all
    },
    find: (group, version, resource) => byPath.get(`${group}/${version}/${resource}`),
    byStore: (storeId) => stores.get(storeId),
    serves: (group, version) =>
      all.some((kind) => kind.group === group && (version === undefined || kind.version === version)),
    define(definition, kinds) {
      if (kinds.length === 0) defined.delete(definition)
      else defined.set(definition, kinds)
      index()
    },
  }
}
