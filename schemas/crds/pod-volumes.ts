import { Type } from 'typebox'
import { DNS_LABEL_PATTERN, onlyOne } from '../kinds/parts.ts'
import { PLATFORM_VOLUMES, POD_MESSAGES, REFUSED_SOURCES, VOLUME_SOURCES } from '../values/pod-limits.ts'
import {
  configMap,
  downwardAPI,
  emptyDir,
  ephemeral,
  persistentVolumeClaim,
  projected,
  refusedSource,
  secret,
} from './pod-volume-sources.ts'

const none = (fields: readonly string[]): string => fields.map((field) => `!has(self.${field})`).join(' && ')

/** Volumes of the pods. */
export const volumes = Type.Array(
  Type.Object(
    {
      name: Type.String({ maxLength: 63, pattern: DNS_LABEL_PATTERN, description: 'Name by which it is mounted.' }),
      emptyDir: Type.Optional(emptyDir),
      configMap: Type.Optional(configMap),
      secret: Type.Optional(secret),
      persistentVolumeClaim: Type.Optional(persistentVolumeClaim),
      projected: Type.Optional(projected),
      downwardAPI: Type.Optional(downwardAPI),
      ephemeral: Type.Optional(ephemeral),
      hostPath: refusedSource,
      nfs: refusedSource,
      csi: refusedSource,
      iscsi: refusedSource,
      image: refusedSource,
      gitRepo: refusedSource,
      flexVolume: refusedSource,
    },
    {
      additionalProperties: false,
      description: 'A volume of the pods.',
      'x-kubernetes-validations': [
        { rule: `${onlyOne(VOLUME_SOURCES)} && ${none(REFUSED_SOURCES)}`, message: POD_MESSAGES.source },
        {
          rule: `!(self.name in [${PLATFORM_VOLUMES.map((name) => `'${name}'`).join(', ')}])`,
          message: POD_MESSAGES.volumeName,
          fieldPath: '.name',
        },
      ],
    },
  ),
  {
    maxItems: 32,
    description: 'Volumes of the pods; the container of the agent alone can mount them.',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
)
