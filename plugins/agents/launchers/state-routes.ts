import { endpoint } from '#core/http/endpoint/endpoint.ts'
import { stateRoute } from '#core/http/endpoint/state-route.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { LAUNCHER_KEY } from '#core/signing/launcher-certificate.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import { certificates, launcherKeys } from '../contract/wire.ts'
import { createCertifyLauncher } from './certify.ts'

/** Routes of the state role for launchers: certificates, and the public keys that verify them. */
export function launcherEndpoints(
  { keys, now }: { readonly keys: Keyring; readonly now: () => Date },
  state: StateContext,
): readonly AnyEndpoint[] {
  const certify = createCertifyLauncher({ cluster: state.cluster, keys, now })
  return [
    endpoint({
      ...stateRoute(certificates),
      summary: 'Certify the public key of the launcher in a pod of an agent.',
      authz: { kind: 'agent' },
      bodyLimit: 4096,
      handle: async ({ access: { agent }, body: { x } }) => ({ certificate: await certify(agent, x) }),
    }),
    endpoint({
      ...stateRoute(launcherKeys),
      summary: 'Get the public keys with which certificates of launchers are verified.',
      authz: { kind: 'public', shownBy: 'anyone' },
      handle: async () => keys.jwks([LAUNCHER_KEY]),
    }),
  ]
}
