import { Type } from 'typebox'
import { DNS_LABEL_PATTERN, DNS_NAME_PATTERN, notAgentKeys, onlyOne, quantity } from '../kinds/parts.ts'
import { POD_MESSAGES, PROJECTION_SOURCES } from '../values/pod-limits.ts'
import { relativePath } from './pod-mounts.ts'

const atomic = { 'x-kubernetes-list-type': 'atomic' }
const dnsName = { maxLength: 253, pattern: DNS_NAME_PATTERN }
const mode = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 0o777, description }))
const defaultMode = mode('Permission bits of the files, as a decimal number.')
const modeOfFile = mode('Permission bits of the file, as a decimal number.')

/** A refused source; declared so that the message can list the allowed ones. */
export const refusedSource = Type.Optional(
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: 'Not allowed.',
    'x-kubernetes-preserve-unknown-fields': true,
  }),
)

const items = Type.Optional(
  Type.Array(
    Type.Object(
      {
        key: Type.String({ maxLength: 253, pattern: '^[-._a-zA-Z0-9]+$', description: 'Key of the object.' }),
        path: relativePath('File in the volume.'),
        mode: modeOfFile,
      },
      { additionalProperties: false, description: 'A key as a file.' },
    ),
    { maxItems: 64, description: 'Keys that become files. Defaults to every key.', ...atomic },
  ),
)

/** A ConfigMap as files. */
export const configMap = Type.Object(
  {
    name: Type.String({ ...dnsName, description: 'Name of the ConfigMap, in the same namespace.' }),
    items,
    defaultMode,
  },
  { additionalProperties: false, description: 'A ConfigMap as files.', 'x-mesh-ref': 'ConfigMap' },
)

/** A Secret as files. */
export const secret = Type.Object(
  {
    secretName: Type.String({ ...dnsName, description: 'Name of the Secret, in the same namespace.' }),
    items,
    defaultMode,
  },
  {
    additionalProperties: false,
    description: 'A Secret as files.',
    'x-mesh-ref': 'Secret',
    'x-mesh-ref-name': 'secretName',
    'x-kubernetes-validations': [notAgentKeys('secretName')],
  },
)

const fieldRef = Type.Object(
  { fieldPath: Type.String({ minLength: 1, maxLength: 400, description: 'Field, such as metadata.labels.' }) },
  { additionalProperties: false, description: 'A field of the pod.' },
)

const resourceFieldRef = Type.Object(
  {
    containerName: Type.String({ maxLength: 63, pattern: DNS_LABEL_PATTERN, description: 'The container.' }),
    resource: Type.String({ minLength: 1, maxLength: 64, description: 'Resource, such as limits.memory.' }),
    divisor: Type.Optional({ ...quantity, description: 'Unit of the value.' }),
  },
  { additionalProperties: false, description: 'A resource of a container.' },
)

const fieldItems = Type.Array(
  Type.Object(
    {
      path: relativePath('File in the volume.'),
      fieldRef: Type.Optional(fieldRef),
      resourceFieldRef: Type.Optional(resourceFieldRef),
      mode: modeOfFile,
    },
    {
      additionalProperties: false,
      description: 'A field as a file.',
      'x-kubernetes-validations': [
        { rule: 'has(self.fieldRef) != has(self.resourceFieldRef)', message: POD_MESSAGES.item },
      ],
    },
  ),
  { maxItems: 32, description: 'Fields of the pod that become files.', ...atomic },
)

/** Fields of the pod as files. */
export const downwardAPI = Type.Object(
  { items: fieldItems, defaultMode },
  { additionalProperties: false, description: 'Fields of the pod as files.' },
)

const projection = Type.Object(
  {
    configMap: Type.Optional(
      Type.Object(
        { name: Type.String({ ...dnsName, description: 'Name of the ConfigMap, in the same namespace.' }), items },
        { additionalProperties: false, description: 'Keys of a ConfigMap as files.', 'x-mesh-ref': 'ConfigMap' },
      ),
    ),
    secret: Type.Optional(
      Type.Object(
        { name: Type.String({ ...dnsName, description: 'Name of the Secret, in the same namespace.' }), items },
        {
          additionalProperties: false,
          description: 'Keys of a Secret as files.',
          'x-mesh-ref': 'Secret',
          'x-kubernetes-validations': [notAgentKeys('name')],
        },
      ),
    ),
    downwardAPI: Type.Optional(
      Type.Object({ items: fieldItems }, { additionalProperties: false, description: 'Fields of the pod as files.' }),
    ),
    // Otherwise any audience would be allowed, including the platform's.
    serviceAccountToken: refusedSource,
  },
  {
    additionalProperties: false,
    description: 'One source of a projected volume.',
    'x-kubernetes-validations': [
      {
        rule: `!has(self.serviceAccountToken) && ${onlyOne(PROJECTION_SOURCES)}`,
        message: POD_MESSAGES.projection,
      },
    ],
  },
)

/** Several sources as one volume. */
export const projected = Type.Object(
  {
    sources: Type.Array(projection, {
      minItems: 1,
      maxItems: 16,
      description: 'Sources whose files make up the volume.',
      ...atomic,
    }),
    defaultMode,
  },
  { additionalProperties: false, description: 'Several sources as one volume.' },
)

/** An empty folder. */
export const emptyDir = Type.Object(
  {
    medium: Type.Optional(
      Type.Enum(['', 'Memory'], { description: 'Memory: a file system in RAM. Defaults to the disk of the node.' }),
    ),
    sizeLimit: Type.Optional({
      ...quantity,
      description: 'Maximum size, such as 1Gi. A pod that exceeds it is evicted.',
    }),
  },
  { additionalProperties: false, description: 'An empty folder with the lifetime of the pod.' },
)

/** An existing claim. */
export const persistentVolumeClaim = Type.Object(
  {
    claimName: Type.String({ ...dnsName, description: 'Name of the claim, in the same namespace.' }),
    readOnly: Type.Optional(Type.Boolean({ description: 'Mounts it read-only.' })),
  },
  { additionalProperties: false, description: 'A claim that exists.' },
)

const claimSpec = Type.Object(
  {
    accessModes: Type.Array(
      Type.Enum(['ReadWriteOnce', 'ReadWriteOncePod', 'ReadOnlyMany', 'ReadWriteMany'], { description: 'A mode.' }),
      { minItems: 1, maxItems: 4, description: 'How the volume is mounted.', ...atomic },
    ),
    resources: Type.Object(
      {
        requests: Type.Object(
          { storage: { ...quantity, description: 'Size, such as 10Gi.' } },
          { additionalProperties: false, description: 'What the volume must have.' },
        ),
      },
      { additionalProperties: false, description: 'Size of the volume.' },
    ),
    storageClassName: Type.Optional(
      Type.String({ ...dnsName, description: 'Storage class. Defaults to that of the cluster.' }),
    ),
  },
  { additionalProperties: false, description: 'The claim that is made for each pod.' },
)

/** A claim for each pod. */
export const ephemeral = Type.Object(
  {
    volumeClaimTemplate: Type.Object(
      { spec: claimSpec },
      { additionalProperties: false, description: 'The claim that is made for each pod and deleted with it.' },
    ),
  },
  { additionalProperties: false, description: 'A claim for each pod, deleted with it.' },
)
