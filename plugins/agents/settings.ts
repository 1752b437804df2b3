import { Type } from 'typebox'
import type { Static } from 'typebox'
import type { Core } from '#core/host/core.ts'
import type { SettingSource } from '#core/host/plugin.ts'
import { SYSTEM_NAMESPACE } from '#schemas/group.ts'
import type { ReconcileSettings } from './reconcile/settings.ts'

const url = (description: string) => Type.Optional(Type.String({ pattern: '^https?://[^\\s]+$', description }))

/** Settings of the agents plugin. */
export const agentSettings = Type.Object(
  {
    generateRoute: Type.String({
      minLength: 1,
      maxLength: 317,
      default: 'mock',
      description: 'ModelRoute that answers generate and refine: name or namespace/name.',
    }),
    launcherImage: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Image with the launcher; that of this version when absent.',
      }),
    ),
    imagePullPolicy: Type.Enum(['Always', 'IfNotPresent', 'Never'], { default: 'IfNotPresent' }),
    gatewayUrl: url('Model gateway as agent pods reach it; as this process does when absent.'),
    stateUrl: url('State role as agent pods reach it; as this process does when absent.'),
    otlpEndpoint: url('Where agents export their traces.'),
    systemNamespace: Type.String({ default: SYSTEM_NAMESPACE, description: 'Namespace whose pods may call agents.' }),
    isolation: Type.Enum(['user', 'none'], {
      default: 'user',
      description: 'Whether an agent process can run as another user than its launcher (needs CAP_SETUID).',
    }),
  },
  { additionalProperties: false },
)

/** Variables of the deployment that land in these settings. */
export const agentSettingSources: readonly SettingSource[] = [
  { from: 'MESH_LAUNCHER_IMAGE', to: 'launcherImage' },
  { from: 'MESH_AGENT_GATEWAY_URL', to: 'gatewayUrl' },
  { from: 'MESH_AGENT_STATE_URL', to: 'stateUrl' },
]

/** What the reconciler is told. */
export function toReconcileSettings(core: Core, settings: Static<typeof agentSettings>): ReconcileSettings {
  const { launcherImage, imagePullPolicy, gatewayUrl, stateUrl, otlpEndpoint, systemNamespace, isolation } = settings
  return {
    launcherImage: launcherImage ?? `mesh-launcher:${core.version}`,
    imagePullPolicy,
    gatewayUrl: gatewayUrl ?? core.urls.gateway,
    stateUrl: stateUrl ?? core.urls.state,
    otlpEndpoint,
    systemNamespace,
    isolation,
    hardened: core.profile === 'hardened',
  }
}
