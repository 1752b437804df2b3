import { Type } from 'typebox'
import type { Static } from 'typebox'
import { defineKind } from '../kinds/kind.ts'
import type { ObjectOf } from '../kinds/kind.ts'
import { freeObject } from '../kinds/parts.ts'

const textMap = (description: string, maxLength: number) =>
  Type.Record(Type.String(), Type.String({ maxLength }), { description })

const spec = Type.Object(
  {
    for: Type.Optional(
      Type.Enum(['agent', 'team', 'workflow'], {
        default: 'agent',
        description: 'Kind of object that the template creates.',
      }),
    ),
    title: Type.String({ minLength: 1, maxLength: 128, description: 'Title in the catalog.' }),
    description: Type.Optional(Type.String({ maxLength: 4096, description: 'What it is good for.' })),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 63 }), {
        maxItems: 32,
        description: 'Words to find it by.',
        'x-kubernetes-list-type': 'set',
      }),
    ),
    template: Type.Object(
      {
        metadata: Type.Optional(
          Type.Object(
            {
              labels: Type.Optional(textMap('Labels.', 63)),
              annotations: Type.Optional(textMap('Annotations.', 65536)),
            },
            { additionalProperties: false, description: 'Labels and annotations of the object made.' },
          ),
        ),
        spec: freeObject('Spec of the object made.'),
      },
      { additionalProperties: false, description: 'The object that the template makes, without its name.' },
    ),
  },
  { additionalProperties: false, description: 'A catalog entry.' },
)

/** A published starting point for agents, teams or workflows. */
export const AgentTemplate = defineKind({
  kind: 'AgentTemplate',
  plural: 'agenttemplates',
  singular: 'agenttemplate',
  shortNames: ['at'],
  scope: 'Namespaced',
  description: 'A catalog entry from which an agent, a team or a workflow is made.',
  spec,
  audited: ['for'],
  printerColumns: [
    { name: 'For', type: 'string', jsonPath: '.spec.for' },
    { name: 'Title', type: 'string', jsonPath: '.spec.title' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
})

/** See {@link AgentTemplate}. */
export type AgentTemplateSpec = Static<typeof spec>

/** A template in its wire format. */
export type AgentTemplateObject = ObjectOf<typeof AgentTemplate>
