import {
  DEFINITIONS,
  ITEMS,
  ONE,
  definition,
  established,
  get,
  merge,
  object,
  post,
  remove,
  size,
  version,
  text,
} from './definition-steps.ts'
import type { DefinitionCase } from './definition-steps.ts'
import { refusedDefinitions } from './refused-definitions.ts'

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
      // The names of the spec are in the answer immediately, the accepted ones when the controller has read them.
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
  ...refusedDefinitions,
]
