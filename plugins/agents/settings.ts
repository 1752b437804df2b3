import { Type } from 'typebox'
import type { Static } from 'typebox'
import type { SettingSource } from '#core/config/setting-source.ts'
import type { Core } from '#core/plugin/core-services.ts'
import { SYSTEM_NAMESPACE } from '#schemas/group.ts'
import { DNS_NAME_PATTERN } from '#schemas/parts.ts'
import { LAUNCHER_USER } from './reconcile/image-layout.ts'
import type { ContainerResources, ReconcileSettings } from './reconcile/settings.ts'

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
      description: 'Default ModelRoute of generate and refine: name or namespace/name.',
    }),
    launcherImage: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Image with the launcher; by default that of this version.',
      }),
    ),
    imagePullPolicy: Type.Enum(['Always', 'IfNotPresent', 'Never'], { default: 'IfNotPresent' }),
    gatewayUrl: url('Model gateway as agent pods reach it; as this process does when absent.'),
    stateUrl: url('State role as agent pods reach it; as this process does when absent.'),
    otlpEndpoint: url('Where agents export their traces.'),
    egress: Type.Enum(['public', 'platform', 'any'], {
      default: 'public',
      hardenedDefault: 'platform',
      description:
        'Destinations of agents besides the platform (NetworkPolicy): `public` addresses, none with `platform`, all with `any`.',
    }),
    systemNamespace: Type.String({ default: SYSTEM_NAMESPACE, description: 'Namespace whose pods may call agents.' }),
    isolation: Type.Enum(['container', 'none'], {
      default: 'container',
      description: 'container: an agent process has a container of its own; none: pods run as processes of one user.',
    }),
    agentUser: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      not: { const: LAUNCHER_USER },
      default: 65_533,
      description: 'Numeric user and group of agent processes; not 0 and not that of the launcher.',
    }),
    launcherResources: resourcesOf(
      { requests: { cpu: '10m', memory: '96Mi' }, limits: { cpu: '1', memory: '512Mi' } },
      'Requests and limits of a launcher, and of a declarative agent that has none.',
    ),
    agentResources: resourcesOf(
      { requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '2', memory: '1Gi' } },
      'Requests and limits of an agent process whose spec.resources is absent.',
    ),
    imagePullSecrets: Type.Array(Type.String({ maxLength: 253, pattern: DNS_NAME_PATTERN }), {
      maxItems: 16,
      default: [],
      description:
        'Secrets by which nodes pull the images of agents and launchers; each namespace with agents has them.',
    }),
    podAnnotations: Type.Array(Type.String({ minLength: 1, maxLength: 253, pattern: ANNOTATION_DOMAIN }), {
      maxItems: 64,
      default: ['*'],
      hardenedDefault: [],
      description:
        'Domains whose annotations agents may give their pods; "*" is every domain that no injector or network plugin reads.',
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
    imagePullSecrets: settings.imagePullSecrets,
    podAnnotations: settings.podAnnotations,
    hardened: core.profile === 'hardened',
  }
}
