import { Type } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { StateContext } from '#core/plugin/role-contexts.ts'
import { LAUNCHER_KEY } from '#core/signing/launcher-certificate.ts'
import type { Keyring } from '#core/signing/keyring.ts'
import { createCertifyLauncher } from './certify.ts'

// 32 bytes in base64url.
const CertificateBody = Type.Object(
  { x: Type.String({ minLength: 43, maxLength: 43, pattern: '^[A-Za-z0-9_-]{43}$' }) },
  { additionalProperties: false },
)

/** Routes of the state role for launchers: certificates, and the public keys that verify them. */
export function launcherEndpoints(
  { keys, now }: { readonly keys: Keyring; readonly now: () => Date },
  state: StateContext,
): readonly AnyEndpoint[] {
  const certify = createCertifyLauncher({ cluster: state.cluster, keys, now })
  return [
    endpoint({
      method: 'POST',
      url: '/launchers/certificates',
      summary: 'Certify the public key of the launcher in a pod of an agent.',
      authz: { kind: 'agent' },
      body: CertificateBody,
      bodyLimit: 4096,
      response: { 201: Type.Object({ certificate: Type.String() }) },
      handle: async ({ access: { agent }, body: { x } }) => ({ certificate: await certify(agent, x) }),
    }),
    endpoint({
      method: 'GET',
      url: '/launchers/keys',
      summary: 'Get the public keys with which certificates of launchers are verified.',
      authz: { kind: 'public', shownBy: 'anyone' },
      response: { 200: Type.Object({ keys: Type.Array(Type.Unknown()) }) },
      handle: async () => keys.jwks([LAUNCHER_KEY]),
    }),
  ]
}
