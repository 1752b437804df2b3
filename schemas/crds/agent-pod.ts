import { Type } from 'typebox'
import { localRefs } from '../parts.ts'
import { resources } from './agent-runtime.ts'

const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }))

const toleration = Type.Object(
  {
    key: text(317, 'Key of the taint; every key when absent, with Exists.'),
    operator: Type.Optional(Type.Enum(['Exists', 'Equal'], { description: 'Equal when absent.' })),
    value: text(63, 'Value of the taint; absent with Exists.'),
    effect: Type.Optional(
      Type.Enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'], { description: 'Every effect when absent.' }),
    ),
    tolerationSeconds: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2147483647, description: 'How long NoExecute is tolerated.' }),
    ),
  },
  { additionalProperties: false, description: 'A taint that the pods tolerate.' },
)

/**
 * Fields of the pods, under the names of Kubernetes. No field gives the agent a file, an identity or an annotation: these
 * are the ways into the launcher's container.
 */
export const pod = Type.Object(
  {
    nodeSelector: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string', maxLength: 63 },
        maxProperties: 32,
        description: 'Labels that a node must have.',
      }),
    ),
    tolerations: Type.Optional(
      Type.Array(toleration, {
        maxItems: 32,
        description: 'Taints of nodes that the pods tolerate.',
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    imagePullSecrets: Type.Optional(localRefs('Secret', 'Secrets by which the node pulls the images.')),
    launcherResources: Type.Optional({
      ...resources,
      description: 'Compute resources of the launcher beside an agent process; those of the install when absent.',
    }),
  },
  { additionalProperties: false, description: 'Fields of the pods, as in a Pod.' },
)
