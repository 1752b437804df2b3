/** A resource in rights and the kind of its objects, from the declaration of a kind, an informer or a virtual resource. */
export interface NamedResource {
  readonly plural: string
  readonly kind: string
  /** Name of an object in messages; default: the kind. */
  readonly noun?: string | undefined
}

/** Names of resources in audit rows and messages (CON12). */
export interface ResourceNames {
  /** Kind of a resource as rights name it: `runs/fixture` is `Run`. Other resources are returned unchanged. */
  kindOf(resource: string): string
  /** Name of an object in messages: `agent`, `ModelRoute`; undefined for other resources. */
  nounOf(resource: string): string | undefined
}

/** Creates the names; the first declaration of a plural counts. */
export function createResourceNames(declared: readonly NamedResource[]): ResourceNames {
  const byPlural = new Map(declared.toReversed().map((one) => [one.plural, one]))
  const find = (resource: string): NamedResource | undefined => byPlural.get(/^[^./]*/.exec(resource)?.[0] ?? '')
  return {
    kindOf: (resource) => find(resource)?.kind ?? resource,
    nounOf: (resource) => {
      const found = find(resource)
      return found && inMessages(found.noun ?? found.kind)
    },
  }
}

// A kind of one word reads as a word: `tenant`, but `ModelRoute`.
function inMessages(name: string): string {
  return /^[A-Z][a-z]+$/.test(name) ? name.toLowerCase() : name
}
