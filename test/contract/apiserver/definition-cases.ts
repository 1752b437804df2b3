/** One request of a case. `GROUP` and `NAME` in its path and body are replaced by a group and a name of its own. */
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

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const ITEMS = '/apis/GROUP/v1/namespaces/default/gadgets'
const MERGE = 'application/merge-patch+json'

type Fields = { readonly [key: string]: unknown }

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

const object = (spec: unknown, name = 'a', apiVersion = 'GROUP/v1'): Fields => ({
  apiVersion,
  kind: 'Gadget',
  metadata: { name },
  spec,
})

const post = (body: unknown, path = DEFINITIONS): DefinitionStep => ({ verb: 'POST', path, body })
const get = (path: string, until?: string): DefinitionStep => ({ verb: 'GET', path, ...(until ? { until } : {}) })
const merge = (path: string, body: unknown): DefinitionStep => ({ verb: 'PATCH', path, body, type: MERGE })
const remove = (path: string): DefinitionStep => ({ verb: 'DELETE', path })
const ONE = `${DEFINITIONS}/gadgets.GROUP`
const established = get(ONE, '"type":"Established","status":"True"|"status":"True","type":"Established"')

const size = {
  type: 'object',
  properties: { size: { type: 'integer', minimum: 1 }, word: { type: 'string', default: 'w' } },
}

/** A create that is refused: nothing is stored. */
const refused = (holds: string, body: unknown): DefinitionCase => ({
  holds,
  steps: [post(body), get(ONE)],
  statuses: [422, 404],
})
/** A create that is accepted, although it has a mistake. */
const accepted = (holds: string, body: unknown): DefinitionCase => ({
  holds,
  steps: [post(body), established],
  statuses: [201, 200],
})
/** A schema of `spec` that is refused. */
const badSchema = (holds: string, spec: Fields): DefinitionCase =>
  refused(`a schema ${holds} is refused`, definition([version('v1', spec)]))
/** Rules of `spec`, which has fields of every type. */
const badRule = (holds: string, rule: Fields, more: Fields = {}): DefinitionCase =>
  badSchema(`with a rule ${holds}`, { ...size, ...more, 'x-kubernetes-validations': [rule] })

const text = { type: 'string' }
const list = (items: Fields, more: Fields = {}): Fields => ({
  type: 'object',
  properties: { list: { type: 'array', items, ...more } },
})

/** What users do with definitions, and what they get wrong. */
export const definitionCases: readonly DefinitionCase[] = [
  {
    holds: 'a definition is created, served, changed and deleted with its objects',
    statuses: [201, 409, 200, 201, 422, 200, 200, 200, 200, 200, 200, 200, 200, 200, 403, 200, 404, 404],
    steps: [
      post(definition([version('v1', size)], {}, { shortNames: ['gd'], categories: ['all'] })),
      post(definition([version('v1', size)])),
      established,
      post(object({ size: 2, other: 1 }), ITEMS),
      post(object({ size: 0 }, 'b'), ITEMS),
      get(`${ITEMS}/a`),
      merge(ONE, { spec: { names: { shortNames: ['gd', 'gdt'] } } }),
      // The names of the spec are in the answer at once, the accepted ones when the controller has read them.
      get(ONE, '"acceptedNames":{"plural":"gadgets","singular":"gadget","shortNames":["gd","gdt"]'),
      merge(ONE, { metadata: { labels: { a: 'b' } } }),
      get(ITEMS, 'GadgetList'),
      merge(`${ITEMS}/a`, { metadata: { finalizers: ['test.example/hold'] } }),
      remove(ONE),
      get(ONE, 'InstanceDeletionInProgress'),
      get(`${ITEMS}/a`, 'deletionTimestamp'),
      post(object({ size: 3 }, 'c'), ITEMS),
      merge(`${ITEMS}/a`, { metadata: { finalizers: null } }),
      get(ONE, '"NotFound"'),
      get(ITEMS, '404|NotFound'),
    ],
  },
  {
    holds: 'versions of one kind share their objects, and the storage version may change',
    statuses: [201, 200, 201, 200, 200, 200, 200, 422, 200, 200],
    steps: [
      post(
        definition([
          version('v1', size, { storage: false, deprecated: true }),
          version('v2', { ...size, description: 'two' }),
        ]),
      ),
      established,
      post(object({ size: 2 }), ITEMS),
      get(`${ITEMS.replace('v1', 'v2')}/a`),
      get('/apis/GROUP'),
      merge(ONE, { spec: { versions: [version('v1', size), version('v2', size, { storage: false })] } }),
      get(ONE),
      merge(ONE, { spec: { versions: [version('v1', size)] } }),
      merge(`${ONE}/status`, { status: { storedVersions: ['v1'] } }),
      remove(ONE),
    ],
  },
  {
    holds: 'names in use are not accepted until they are free',
    statuses: [201, 200, 201, 200, 404, 200, 200, 200],
    steps: [
      post(definition([version('v1', size)], {}, { shortNames: ['gd'] })),
      established,
      post({
        ...definition([version('v1', size)], {}, { plural: 'gizmos', kind: 'Gadget', shortNames: ['gd'] }),
        metadata: { name: 'gizmos.GROUP' },
      }),
      get(`${DEFINITIONS}/gizmos.GROUP`, 'NotAccepted'),
      get('/apis/GROUP/v1/namespaces/default/gizmos'),
      remove(ONE),
      get(`${DEFINITIONS}/gizmos.GROUP`, '"InitialNamesAccepted"'),
      remove(`${DEFINITIONS}/gizmos.GROUP`),
    ],
  },
  {
    holds: 'names, scope and group of an established definition do not change',
    statuses: [201, 200, 422, 422, 422, 422, 422, 422, 200],
    steps: [
      post(definition([version('v1', size)])),
      established,
      merge(ONE, { spec: { scope: 'Cluster' } }),
      merge(ONE, { spec: { names: { kind: 'Other' } } }),
      merge(ONE, { spec: { names: { plural: 'others' } } }),
      merge(ONE, { spec: { group: 'other.example' } }),
      merge(ONE, { spec: { versions: [] } }),
      merge(ONE, { spec: { versions: [version('v2', size)] } }),
      remove(ONE),
    ],
  },
  {
    holds: 'status and scale subresources, selectable fields and columns are served',
    statuses: [201, 200, 201, 201, 200, 200, 200, 200, 400, 200],
    steps: [
      post(
        definition([
          version(
            'v1',
            { type: 'object', properties: { replicas: { type: 'integer' }, colour: text } },
            {
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: { type: 'object', properties: { replicas: { type: 'integer' }, colour: text } },
                    status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: text } },
                  },
                },
              },
              subresources: {
                status: {},
                scale: {
                  specReplicasPath: '.spec.replicas',
                  statusReplicasPath: '.status.replicas',
                  labelSelectorPath: '.status.selector',
                },
              },
              selectableFields: [{ jsonPath: '.spec.colour' }],
              additionalPrinterColumns: [{ name: 'Colour', type: 'string', jsonPath: '.spec.colour' }],
            },
          ),
        ]),
      ),
      established,
      post(object({ replicas: 1, colour: 'red' }), ITEMS),
      post(object({ replicas: 1, colour: 'blue' }, 'b'), ITEMS),
      merge(`${ITEMS}/a/status`, { status: { replicas: 1, selector: 'a=b' } }),
      merge(`${ITEMS}/a/scale`, { spec: { replicas: 5 } }),
      get(`${ITEMS}/a/scale`),
      get(`${ITEMS}?fieldSelector=spec.colour%3Dblue`),
      get(`${ITEMS}?fieldSelector=spec.other%3Dblue`),
      remove(ONE),
    ],
  },
  {
    holds: 'only callers with rights read and write definitions',
    statuses: [403, 403, 403],
    steps: [
      { ...post(definition([version('v1', size)])), user: 'alice' },
      { ...get(DEFINITIONS), user: 'alice' },
      { ...remove(ONE), user: 'alice' },
    ],
  },
  refused('a definition without versions is refused', definition([])),
  refused('a definition with another name is refused', {
    ...definition([version('v1', size)]),
    metadata: { name: 'x.GROUP' },
  }),
  refused('a definition with two storage versions is refused', definition([version('v1', size), version('v2', size)])),
  refused('a definition without a storage version is refused', definition([version('v1', size, { storage: false })])),
  refused(
    'a definition with a version twice is refused',
    definition([version('v1', size), version('v1', size, { storage: false })]),
  ),
  refused('a definition without a schema is refused', definition([{ name: 'v1', served: true, storage: true }])),
  refused('a definition of another scope is refused', definition([version('v1', size)], { scope: 'World' })),
  refused('a definition without names is refused', { ...definition([version('v1', size)], { names: {} }) }),
  refused(
    'a definition with bad names is refused',
    definition([version('v1', size)], {}, { kind: 'a b', singular: 'A', shortNames: ['X'], categories: ['-'] }),
  ),
  refused('a kind with the name of its list is refused', definition([version('v1', size)], {}, { listKind: 'Gadget' })),
  refused('a version that is no label is refused', definition([version('V1', size)])),
  refused(
    'preserved unknown fields of the whole definition are refused',
    definition([version('v1', size)], { preserveUnknownFields: true }),
  ),
  accepted('an unknown field is dropped with a warning', definition([version('v1', size)], { colour: 'red' })),
  refused(
    'columns and scale without their fields are refused',
    definition([
      version('v1', size, {
        additionalPrinterColumns: [
          { name: '', type: 'text', jsonPath: '' },
          { name: 'a', type: 'string', jsonPath: 'spec', format: 'x' },
        ],
        subresources: { scale: { specReplicasPath: '.status.x', statusReplicasPath: '' } },
        selectableFields: [{ jsonPath: '.spec.nope' }, { jsonPath: '.spec' }, { jsonPath: '.metadata.name' }],
      }),
    ]),
  ),
  refused('a group of the community without approval is refused', {
    ...definition([version('v1', size)], { group: 'example.k8s.io' }),
    metadata: { name: 'gadgets.example.k8s.io' },
  }),
  badSchema('without a type', { properties: { a: text } }),
  badSchema('with a field without a type', { type: 'object', properties: { a: {}, b: { items: text } } }),
  badSchema('with an unknown type', { type: 'struct' }),
  badSchema('with an array without items', { type: 'array' }),
  badSchema('with a reference', { type: 'object', properties: { a: { $ref: '#/b' } } }),
  badSchema('with keywords of JSON schema', {
    type: 'object',
    properties: { a: { type: 'object', patternProperties: { b: text }, definitions: { c: text } } },
  }),
  badSchema('with properties and additionalProperties', { ...size, additionalProperties: text }),
  badSchema('with unique items', list(text, { uniqueItems: true })),
  badSchema('with types in a combination', { ...size, anyOf: [{ type: 'object', description: 'd' }] }),
  accepted(
    'fields that only a combination below the root names are accepted',
    definition([version('v1', { ...size, allOf: [{ properties: { nope: { minimum: 1 } } }] })]),
  ),
  badSchema('with a bad pattern', { type: 'object', properties: { a: { type: 'string', pattern: '[' } } }),
  badSchema('with a default of another type', { type: 'object', properties: { a: { type: 'integer', default: 'x' } } }),
  badSchema('with an unknown field in a default', { ...size, default: { nope: 1 } }),
  badSchema('with a bad list type', list(text, { 'x-kubernetes-list-type': 'bag' })),
  badSchema(
    'with a map list without keys',
    list({ type: 'object', properties: { a: text } }, { 'x-kubernetes-list-type': 'map' }),
  ),
  badSchema(
    'with a key that is optional',
    list(
      { type: 'object', properties: { a: text } },
      { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a', 'b'] },
    ),
  ),
  badSchema(
    'with a set of objects',
    list({ type: 'object', properties: { a: text } }, { 'x-kubernetes-list-type': 'set' }),
  ),
  badSchema('with a map type of a list', { type: 'array', items: text, 'x-kubernetes-map-type': 'atomic' }),
  badSchema('that refuses unknown fields by false', { ...size, 'x-kubernetes-preserve-unknown-fields': false }),
  badSchema('with an integer or string of a type', {
    type: 'object',
    properties: {
      a: { type: 'string', 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true },
    },
  }),
  badSchema('with an embedded resource without a type', {
    type: 'object',
    properties: { a: { 'x-kubernetes-embedded-resource': true } },
  }),
  refused(
    'a schema that restricts metadata is refused',
    definition([
      version('v1', size, {
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
          },
        },
      }),
    ]),
  ),
  badRule('without text', { rule: ' ' }),
  badRule('that does not parse', { rule: 'self.size >' }),
  badRule('on a field that is not declared', { rule: 'self.nope == 1' }),
  badRule('with an unknown function', { rule: 'self.word.nope()' }),
  badRule('with a bad reason and path', { rule: 'true', reason: 'Nope', fieldPath: '.nope' }),
  badRule('with lines in its message', { rule: 'true', message: 'a\nb' }),
  badSchema('with a rule that costs too much', {
    ...list({ type: 'string' }),
    'x-kubernetes-validations': [{ rule: 'self.list.all(a, self.list.all(b, self.list.all(c, a != b || b == c)))' }],
  }),
  badSchema(
    'with a transition rule in a plain list',
    list({ type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] }),
  ),
]
