import { ONE, definition, established, get, post, size, version, text } from './definition-steps.ts'
import type { DefinitionCase, Fields } from './definition-steps.ts'

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

const list = (items: Fields, more: Fields = {}): Fields => ({
  type: 'object',
  properties: { list: { type: 'array', items, ...more } },
})

/** Definitions that are refused, and mistakes that are accepted. */
export const refusedDefinitions: readonly DefinitionCase[] = [
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
