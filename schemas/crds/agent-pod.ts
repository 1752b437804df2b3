import { Type } from 'typebox'
import { secretRefs } from '../kinds/parts.ts'
import { POD_MESSAGES } from '../values/pod-limits.ts'
import { resources } from './agent-runtime.ts'
import { annotations } from './pod-annotations.ts'
import { affinity } from './pod-affinity.ts'
import { volumeMounts } from './pod-mounts.ts'
import { volumes } from './pod-volumes.ts'

const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }))

const toleration = Type.Object(
  {
    key: text(317, 'Key of the taint. Without it, and with Exists, every key matches.'),
    operator: Type.Optional(Type.Enum(['Exists', 'Equal'], { description: 'Defaults to Equal.' })),
    value: text(63, 'Value of the taint; absent with Exists.'),
    effect: Type.Optional(
      Type.Enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'], { description: 'Defaults to every effect.' }),
    ),
    tolerationSeconds: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2147483647, description: 'How long NoExecute is tolerated.' }),
    ),
  },
  { additionalProperties: false, description: 'A taint that the pods tolerate.' },
)

/** Fields of the pods, under the names of Kubernetes. Of these, only the launcher's own resources reach its container. */
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
    affinity: Type.Optional(affinity),
    annotations: Type.Optional(annotations),
    imagePullSecrets: Type.Optional(secretRefs('Secrets by which the node pulls the images.')),
    volumes: Type.Optional(volumes),
    volumeMounts: Type.Optional(volumeMounts),
    launcherResources: Type.Optional({
      ...resources,
      description: 'Compute resources of the launcher beside an agent process. Defaults to those of the installation.',
    }),
  },
  {
    additionalProperties: false,
    description: 'Fields of the pods, as in a Pod.',
    'x-kubernetes-validations': [
      {
        rule: '!has(self.volumeMounts) || (has(self.volumes) && self.volumeMounts.all(m, self.volumes.exists(v, v.name == m.name)))',
        message: POD_MESSAGES.unknownVolume,
        fieldPath: '.volumeMounts',
      },
    ],
  },
)
