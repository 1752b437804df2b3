import type { Access, Caller } from '#core/cluster/caller.ts'
import type { Call } from '../../endpoint/endpoint.ts'
import { nounPlural, nounWords, withArticle } from '../../resource/resource-words.ts'
import type { StoredNames } from '../declared/stored-names.ts'

/** Operations of a stored resource, named as in Kubernetes. */
export const storedVerbs = ['list', 'get', 'create', 'update', 'delete'] as const

/** One of {@link storedVerbs}. */
export type StoredVerb = (typeof storedVerbs)[number]

/** A change before it is made. The fields of a deletion are absent. */
export interface ProposedChange<Fields = unknown> {
  readonly verb: 'create' | 'update' | 'delete'
  readonly namespace: string
  readonly name: string
  readonly fields?: Fields
}

/** How one operation differs from the usual. */
export interface OperationOptions<Verb extends StoredVerb = StoredVerb> {
  /** Path below `/api`. The default of a list and a creation is the plural; that of the others has `/:ns/:name` after it. */
  readonly path?: string
  readonly id?: string
  readonly summary?: string
  /** Review in another namespace than that of the request, such as the one of a run in the path. Only for `list` and `create`. */
  readonly review?: (call: Call<Readonly<Record<string, string>>, unknown, unknown>) => Promise<Access<Verb>>
}

/** Options of the routes of a stored resource. */
export interface StoredRouteOptions<Fields = unknown> {
  /** Operations to serve: a list of verbs, or options by verb. Default: all. */
  readonly operations?: readonly StoredVerb[] | { readonly [Verb in StoredVerb]?: true | OperationOptions<Verb> }
  /** Path below `/api`; default: the plural. */
  readonly path?: string
  /** Noun in PascalCase for operation ids and summaries; default: the kind. */
  readonly noun?: string
  /** Names that create refuses, since another route has them. */
  readonly reserved?: readonly string[]
  /** Checks a change as the caller, before its transaction, and throws. */
  readonly check?: (caller: Caller, change: ProposedChange<Fields>, signal: AbortSignal) => Promise<void>
}

/** Paths and words of the routes of a stored resource. */
export interface StoredPaths {
  readonly list: string
  readonly item: string
  readonly noun: string
  /** `bookmark`, `a bookmark` and `bookmarks`, and the plural in PascalCase. */
  readonly word: string
  readonly aWord: string
  readonly words: string
  readonly nouns: string
}

/** Paths and words of a stored resource. */
export function storedPathsOf(
  { plural, kind }: StoredNames,
  { path = `/${plural}`, noun = kind }: StoredRouteOptions,
): StoredPaths {
  const nouns = nounPlural(noun, path)
  const word = nounWords(noun)
  return { list: path, item: `${path}/:ns/:name`, noun, nouns, word, aWord: withArticle(word), words: nounWords(nouns) }
}

/** Options of an operation, or undefined if it is left out. */
export function operationOf<Fields, Verb extends StoredVerb>(
  { operations = storedVerbs }: StoredRouteOptions<Fields>,
  verb: Verb,
): OperationOptions<Verb> | undefined {
  if (isList(operations)) return operations.includes(verb) ? {} : undefined
  const given: true | OperationOptions<Verb> | undefined = operations[verb]
  return given === true ? {} : given
}

function isList(operations: NonNullable<StoredRouteOptions['operations']>): operations is readonly StoredVerb[] {
  return Array.isArray(operations)
}
