import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { allowedNamespaces, conditions, localRef, observedGeneration } from '../kinds/parts.ts'

const spec = Type.Object(
  {
    description: Type.Optional(Type.String({ maxLength: 1_024, description: 'What the tools have in common.' })),
    bindings: Type.Array(localRef('McpToolBinding', 'A binding whose tools belong to the registry.'), {
      minItems: 1,
      maxItems: 32,
      description: 'Bindings of the same namespace, in the order in which agents see their tools.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
    allowedNamespaces: Type.Optional(allowedNamespaces),
  },
  { additionalProperties: false, description: 'Bindings that agents use as one.' },
)

const status = Type.Object(
  {
    observedGeneration: Type.Optional(observedGeneration),
    bindingCount: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of bindings that exist.' })),
    toolCount: Type.Optional(Type.Integer({ minimum: 0, description: 'Number of tools that these bindings bring.' })),
    conditions: Type.Optional(conditions),
  },
  { description: 'Tools of the registry, as the manager has found them.' },
)

/** Tools of several bindings, for agents that name the registry in `spec.tools`. */
export const ToolRegistry = defineKind({
  kind: 'ToolRegistry',
  plural: 'toolregistries',
  singular: 'toolregistry',
  shortNames: ['toolreg'],
  scope: 'Namespaced',
  description: 'Tool bindings that agents use as one.',
  spec,
  status,
  audited: ['bindings', 'allowedNamespaces'],
  printerColumns: [
    { name: 'Bindings', type: 'integer', jsonPath: '.status.bindingCount' },
    { name: 'Tools', type: 'integer', jsonPath: '.status.toolCount' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

/** See {@link ToolRegistry}. */
export type ToolRegistryStatus = Static<typeof status>

/** A registry in its wire format. */
export type ToolRegistryObject = ObjectOf<typeof ToolRegistry>
