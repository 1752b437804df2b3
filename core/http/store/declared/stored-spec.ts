import type { Static, TObject } from 'typebox'

/** Name of a field. */
export type FieldOf<F extends TObject> = keyof Static<F> & string

/** A resource whose objects are rows of the store, as declared. */
export interface StoredSpec<F extends TObject = TObject> {
  /** Domain of the events of a third party, in reverse DNS form (`com.acme`). Its tables begin with `x_`. */
  readonly domain?: string
  readonly plugin: string
  /** Kind in PascalCase, for audit rows, messages and schemas. */
  readonly kind: string
  /** Resource in rights, and last step of the path. */
  readonly plural: string
  /** API group of the resource in rights; default: ours. */
  readonly group?: string
  /** What an object is, in one sentence. */
  readonly description: string
  /** Fields of an object besides its names, version and times. */
  readonly fields: F
  /** Further fields of each content that the plugin sets, such as a digest: they are stored and shown, and no request has them. */
  readonly derived?: TObject
  /** Valid fields: the example of the API, and what the tests of the routes send. */
  readonly sample: Static<F>
  /** Fields whose value selects the rows of a list: `?url=`. */
  readonly filters?: readonly FieldOf<F>[]
  /** Field with a map of strings, one of which selects the rows of a list: `?label=key=value`. */
  readonly labels?: FieldOf<F>
  /** Fields with text that `?search=` reads besides the name. */
  readonly search?: readonly FieldOf<F>[]
  /** Maximum number of objects per namespace unless the plugin has a setting; default 10,000. */
  readonly quota?: number
  /** Keeps each content as an immutable revision. */
  readonly revisions?: RevisionSpec
  /** Append-only objects below each object, by the last step of their path. */
  readonly children?: Readonly<Record<string, ChildSpec>>
}

/** Revisions of an object, and the labels that point to them. */
export interface RevisionSpec {
  /** Label that is read without `version` and `label`, if it exists; else the latest revision. */
  readonly reads?: string
  /** Labels that need the verb `promote` besides `update`, unless `storeCrud` reads them from the services of the plugin. */
  readonly protects?: readonly string[]
  /** Maximum number of revisions per object; default 10,000. */
  readonly most?: number
}

/** Append-only objects below an object. Their resource in rights is a subresource: `datasets/labels`. */
export interface ChildSpec<F extends TObject = TObject> {
  readonly kind: string
  readonly description: string
  readonly fields: F
  readonly sample: Static<F>
  /** Fields that, with the author, identify what a later object replaces: `?current=true` lists the newest of each. */
  readonly newestPer?: readonly FieldOf<F>[]
  /** Maximum number per object; default 10,000. */
  readonly most?: number
}

/** Bound of quotas that are not declared. */
export const DEFAULT_QUOTA = 10_000

const reserved = ['id', 'namespace', 'name', 'version', 'createdAt', 'createdBy', 'updatedAt', 'updatedBy']
// Ends of the names of other tables.
const reservedSteps = ['usage', 'revisions', 'moves']
// Other fields of the query of a list.
const reservedFilters = ['limit', 'cursor', 'scope', 'order', 'search', 'label']

/** Throws `TypeError` with the field of a declaration that cannot be served. */
export function checkStoredSpec(spec: StoredSpec): void {
  const { kind, plural, plugin, fields, derived, filters = [], labels, search = [], revisions, children = {} } = spec
  const refuse = (why: string): never => {
    throw new TypeError(`stored resource ${plural.slice(0, 60)}: ${why}`)
  }
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(plugin)) refuse('plugin must be the name of the plugin')
  if (!isKind(kind)) refuse('kind must be in PascalCase')
  if (!/^[a-z][a-z0-9]{0,30}$/.test(plural)) refuse('plural must be lowercase letters and digits, at most 31')
  const taken = revisions === undefined ? reserved : [...reserved, 'labels']
  checkNames('fields', fields, taken, refuse)
  if (derived !== undefined) checkNames('derived', derived, [...taken, ...Object.keys(fields.properties)], refuse)
  for (const field of [...filters, ...search, ...(labels === undefined ? [] : [labels])])
    if (!Object.hasOwn(fields.properties, field)) refuse(`${field} is not one of its fields`)
  for (const filter of filters) if (reservedFilters.includes(filter)) refuse(`the filter ${filter} is reserved`)
  for (const [step, child] of Object.entries(children)) {
    const others = revisions === undefined ? reservedSteps : [...reservedSteps, 'versions', 'history', 'labels']
    if (!/^[a-z][a-z0-9]{0,20}$/.test(step) || others.includes(step))
      refuse(
        `children.${step.slice(0, 60)}: the step must be lowercase letters and digits, and none of ${others.join(', ')}`,
      )
    if (!isKind(child.kind)) refuse(`children.${step}.kind must be in PascalCase`)
    checkNames(`children.${step}.fields`, child.fields, ['id', 'createdAt', 'createdBy'], refuse)
  }
}

function isKind(kind: unknown): boolean {
  return /^[A-Z][A-Za-z0-9]{0,40}$/.test(String(kind))
}

function checkNames(where: string, fields: TObject, taken: readonly string[], refuse: (why: string) => never): void {
  const properties = (fields as Partial<TObject> | undefined)?.properties
  if (properties === undefined) return refuse(`${where} must be a Type.Object({...})`)
  const clash = Object.keys(properties).find((name) => taken.includes(name))
  if (clash !== undefined) refuse(`${where}.${clash} is a field of every object`)
}
