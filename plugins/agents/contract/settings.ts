import { Type } from 'typebox'
import type { Static } from 'typebox'
import type { SettingSource } from '#core/config/setting-source.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { SYSTEM_NAMESPACE } from '#schemas/names/group.ts'
import { DNS_NAME_PATTERN } from '#schemas/kinds/parts.ts'
import { LAUNCHER_USER } from './image-layout.ts'
import type { ContainerResources, ReconcileSettings } from './reconcile-settings.ts'

const quantities = Type.Record(Type.String({ maxLength: 64 }), Type.String({ minLength: 1, maxLength: 32 }))
const resourcesOf = (absent: ContainerResources, description: string) =>
  Type.Object(
    { requests: Type.Optional(quantities), limits: Type.Optional(quantities) },
    { additionalProperties: false, default: absent, description },
  )
const ANNOTATION_DOMAIN = '^(\\*|[a-z0-9]([-a-z0-9.]*[a-z0-9])?)$'
const url = (description: string) => Type.Optional(Type.String({ pattern: '^https?://[^\\s]+$', description }))

/** Settings of the agents plugin. */
export const agentSettings = Type.Object(
  {
    generateRoute: Type.String({
      minLength: 1,
      maxLength: 317,
      default: 'mock',
      description: 'ModelRoute used by generate and refine: name or namespace/name.',
    }),
    launcherImage: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Launcher image. Default: the image of this version.',
      }),
    ),
    imagePullPolicy: Type.Enum(['Always', 'IfNotPresent', 'Never'], {
      default: 'IfNotPresent',
      description: 'Pull policy of agent and launcher images.',
    }),
    gatewayUrl: url('URL of the model gateway for agent pods. Default: urls.gateway.'),
    stateUrl: url('URL of the state role for agent pods. Default: urls.state.'),
    otlpEndpoint: url('Base URL of the OTLP collector of agents and launchers.'),
    egress: Type.Enum(['public', 'platform', 'any'], {
      default: 'public',
      hardenedDefault: 'platform',
      description:
        'Egress of agents in their NetworkPolicy: the platform and public addresses, the platform only, or any address.',
    }),
    systemNamespace: Type.String({
      default: SYSTEM_NAMESPACE,
      description: 'Namespace of the platform; its pods may call agents.',
    }),
    isolation: Type.Enum(['container', 'none'], {
      default: 'container',
      description:
        'container: an agent process has its own container. none: pods run as processes of one user, for local use.',
    }),
    agentUser: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      not: { const: LAUNCHER_USER },
      default: 65_533,
      description: 'Numeric user and group of agent processes; not 0 and not the user of the launcher.',
    }),
    launcherResources: resourcesOf(
      { requests: { cpu: '10m', memory: '96Mi' }, limits: { cpu: '1', memory: '512Mi' } },
      'Resources of a launcher, and of a declarative agent without spec.resources.',
    ),
    agentResources: resourcesOf(
      { requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '2', memory: '1Gi' } },
      'Resources of an agent process without spec.resources.',
    ),
    ephemeralStorage: Type.String({
      pattern: '^[1-9][0-9]{0,8}(Ki|Mi|Gi|Ti|k|M|G|T)$',
      default: '2Gi',
      description:
        'Default ephemeral-storage limit of agent containers, and default sizeLimit of emptyDir volumes. A pod that exceeds them is evicted.',
    }),
    imagePullSecrets: Type.Array(Type.String({ maxLength: 253, pattern: DNS_NAME_PATTERN }), {
      maxItems: 16,
      default: [],
      description: 'Pull secrets of agent and launcher images, required in each namespace with agents.',
    }),
    podAnnotations: Type.Array(Type.String({ minLength: 1, maxLength: 253, pattern: ANNOTATION_DOMAIN }), {
      maxItems: 64,
      default: ['*'],
      hardenedDefault: [],
      description:
        'Domains of annotations allowed in spec.pod; "*" is every domain that no injector or network plugin reads.',
    }),
  },
  { additionalProperties: false },
)

/** Environment variables of these settings. */
export const agentSettingSources: readonly SettingSource[] = [
  { from: 'MESH_LAUNCHER_IMAGE', to: 'launcherImage' },
  { from: 'MESH_AGENT_GATEWAY_URL', to: 'gatewayUrl' },
  { from: 'MESH_AGENT_STATE_URL', to: 'stateUrl' },
]

/** Settings of the reconciler. */
export function toReconcileSettings(core: Core, settings: Static<typeof agentSettings>): ReconcileSettings {
  const { launcherImage, gatewayUrl, stateUrl, otlpEndpoint } = settings
  return {
    launcherImage: launcherImage ?? `mesh-launcher:${core.version}`,
    imagePullPolicy: settings.imagePullPolicy,
    gatewayUrl: gatewayUrl ?? core.urls.gateway,
    stateUrl: stateUrl ?? core.urls.state,
    otlpEndpoint,
    systemNamespace: settings.systemNamespace,
    egress: settings.egress,
    isolation: settings.isolation,
    agentUser: settings.agentUser,
    launcherResources: settings.launcherResources,
    agentResources: settings.agentResources,
    ephemeralStorage: settings.ephemeralStorage,
    imagePullSecrets: settings.imagePullSecrets,
    podAnnotations: settings.podAnnotations,
    hardened: core.profile === 'hardened',
  }
}
