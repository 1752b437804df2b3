import type { CustomResourceDefinition } from '@mesh.dev/embedded-apiserver'

const text = { type: 'string', maxLength: 64 }

/** A kind that uses every feature of structural schemas. */
export const widgetCrd: CustomResourceDefinition & { apiVersion: string; kind: string } = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.test.mesh.dev' },
  spec: {
    group: 'test.mesh.dev',
    scope: 'Namespaced',
    names: {
      plural: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      listKind: 'WidgetList',
      shortNames: ['wd'],
      categories: ['all'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Color', type: 'string', jsonPath: '.spec.color' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              status: {
                type: 'object',
                properties: { phase: text, conditions: listMap('type', { type: text, status: text }) },
              },
              spec: {
                type: 'object',
                required: ['size'],
                'x-kubernetes-validations': [
                  { rule: 'self.size < 10 || has(self.big)', message: 'too big' },
                  {
                    rule: 'self.size >= oldSelf.size',
                    message: 'must not shrink',
                    fieldPath: '.size',
                    reason: 'FieldValueForbidden',
                  },
                ],
                properties: {
                  size: { type: 'integer', minimum: 1, maximum: 100 },
                  big: { type: 'boolean' },
                  color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
                  word: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 4 },
                  port: { 'x-kubernetes-int-or-string': true },
                  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text, maxItems: 4 },
                  env: listMap('name', { name: text, value: { ...text, default: 'v' } }),
                  numbers: { type: 'array', minItems: 1, items: { type: 'integer' } },
                  labels: { type: 'object', additionalProperties: text, maxProperties: 3 },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  none: { type: 'string', nullable: true },
                  atom: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
                },
              },
            },
          },
        },
      },
    ],
  },
}

function listMap(key: string, properties: { [name: string]: object }) {
  const items = { type: 'object', required: [key], properties }
  return { type: 'array', maxItems: 8, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key], items }
}
