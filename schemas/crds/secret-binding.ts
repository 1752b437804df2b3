import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { conditions, localRef, notAgentKeys, observedGeneration } from '../kinds/parts.ts'

const variable = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
      description: 'Name of the variable.',
    }),
    key: Type.String({ minLength: 1, maxLength: 253, pattern: '^[-._a-zA-Z0-9]+$', description: 'Key in the Secret.' }),
  },
  { additionalProperties: false, description: 'A key of the Secret as a variable.' },
)

const spec = Type.Object(
  {
    secretRef: {
      ...localRef('Secret', 'Secret whose keys agents get. Those that the platform keeps are refused.'),
      'x-kubernetes-validations': [notAgentKeys('name')],
    },
    description: Type.Optional(Type.String({ maxLength: 1_024, description: 'What the secret is for.' })),
    env: Type.Array(variable, {
      minItems: 1,
      maxItems: 64,
      description: 'Variables of the processes of agents that name the binding in spec.secrets.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
  },
  { additionalProperties: false, description: 'Keys of a Secret for agents of the namespace.' },
)

const status = Type.Object(
  { observedGeneration: Type.Optional(observedGeneration), conditions: Type.Optional(conditions) },
  { description: 'Whether agents get the keys, as the manager has found it.' },
)

/** Keys of a Secret, as variables of agents. */
export const SecretBinding = defineKind({
  kind: 'SecretBinding',
  plural: 'secretbindings',
  singular: 'secretbinding',
  shortNames: ['secb'],
  scope: 'Namespaced',
  description: 'Keys of a Secret as variables of the processes of agents.',
  spec,
  status,
  audited: ['secretRef.name', 'env'],
  printerColumns: [
    { name: 'Secret', type: 'string', jsonPath: '.spec.secretRef.name' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

/** See {@link SecretBinding}. */
export type SecretBindingSpec = Static<typeof spec>

/** A binding of a Secret in its wire format. */
export type SecretBindingObject = ObjectOf<typeof SecretBinding>
