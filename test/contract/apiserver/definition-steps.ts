/** One request of a case. `GROUP` and `NAME` in its path and body are replaced by a group and its own name. */
export interface DefinitionStep {
  readonly verb: string
  readonly path: string
  readonly body?: unknown
  readonly type?: string
  readonly accept?: string
  readonly user?: 'admin' | 'alice'
  /** Repeated until the condition of the definition is in the answer: controllers of kube-apiserver are asynchronous. */
  readonly until?: string
}

/** A named sequence of requests about definitions. */
export interface DefinitionCase {
  readonly holds: string
  readonly steps: readonly DefinitionStep[]
  /** Those of kube-apiserver. */
  readonly statuses: readonly number[]
}

/** Path of the definitions. */
export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
/** Objects of the kind. */
export const ITEMS = '/apis/GROUP/v1/namespaces/default/gadgets'
/** Media type of a merge patch. */
export const MERGE = 'application/merge-patch+json'

/** Fields of an object. */
export type Fields = { readonly [key: string]: unknown }

/** A version whose schema has one field, `spec`. */
export const version = (name: string, spec: Fields, more: Fields = {}): Fields => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  ...more,
})

/** A definition of gadgets with the given versions. */
export const definition = (versions: readonly Fields[], more: Fields = {}, names: Fields = {}): Fields => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.GROUP' },
  spec: {
    group: 'GROUP',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget', ...names },
    versions,
    ...more,
  },
})

/** A gadget. */
export const object = (spec: unknown, name = 'a', apiVersion = 'GROUP/v1'): Fields => ({
  apiVersion,
  kind: 'Gadget',
  metadata: { name },
  spec,
})

/** Requests of one verb each. */
export const post = (body: unknown, path = DEFINITIONS): DefinitionStep => ({ verb: 'POST', path, body })
export const get = (path: string, until?: string): DefinitionStep => ({
  verb: 'GET',
  path,
  ...(until ? { until } : {}),
})
export const merge = (path: string, body: unknown): DefinitionStep => ({ verb: 'PATCH', path, body, type: MERGE })
export const remove = (path: string): DefinitionStep => ({ verb: 'DELETE', path })
/** The definition of gadgets. */
export const ONE = `${DEFINITIONS}/gadgets.GROUP`
/** Reads the definition until it is served. */
export const established = get(ONE, '"type":"Established","status":"True"|"status":"True","type":"Established"')

/** A schema with two fields. */
export const size = {
  type: 'object',
  properties: { size: { type: 'integer', minimum: 1 }, word: { type: 'string', default: 'w' } },
}

/** Schema of a text. */
export const text = { type: 'string' }
