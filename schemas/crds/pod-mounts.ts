import { Type } from 'typebox'
import { DNS_LABEL_PATTERN } from '../kinds/parts.ts'
import { MOUNT_PATH, POD_MESSAGES, RELATIVE_PATH, RESERVED_PATHS, SHARED_MEMORY } from '../values/pod-limits.ts'

/** A path inside a volume. */
export const relativePath = (description: string) =>
  Type.String({ maxLength: 512, pattern: RELATIVE_PATH, description })

const mountPath = Type.String({
  maxLength: 512,
  pattern: MOUNT_PATH,
  description: 'Absolute path in the container of the agent.',
  'x-kubernetes-validations': [
    { rule: `self == '${SHARED_MEMORY}' || !self.matches('${RESERVED_PATHS}')`, message: POD_MESSAGES.reservedPath },
  ],
})

/** Mounts of volumes in the agent's container. */
export const volumeMounts = Type.Array(
  Type.Object(
    {
      name: Type.String({ maxLength: 63, pattern: DNS_LABEL_PATTERN, description: 'A volume of spec.pod.volumes.' }),
      mountPath,
      subPath: Type.Optional(relativePath('Folder or file of the volume. Defaults to all of it.')),
      readOnly: Type.Optional(Type.Boolean({ description: 'Mounts it read-only.' })),
    },
    { additionalProperties: false, description: 'A mount of a volume.' },
  ),
  {
    maxItems: 32,
    description: 'Mounts in the container of the agent.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['mountPath'],
  },
)
