import { stringify } from 'yaml'
import { personas } from './personas.ts'
import type { Persona } from './personas.ts'

/** A kubeconfig with a context per persona and its namespace. `apiUrl` is the address of the API, for `meshctl`. */
export function toKubeconfig(
  server: { readonly url: string; readonly certificateAuthority: string; readonly apiUrl: string },
  tokens: Readonly<Record<Persona, string>>,
  current: Persona,
): string {
  const cluster = 'mesh-local'
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': current,
    clusters: [
      {
        name: cluster,
        cluster: {
          server: server.url,
          'certificate-authority-data': Buffer.from(server.certificateAuthority).toString('base64'),
          extensions: [{ name: 'mesh.dev/api', extension: { server: server.apiUrl } }],
        },
      },
    ],
    users: personas.map((name) => ({ name, user: { token: tokens[name] } })),
    contexts: personas.map((name) => ({
      name,
      context: { cluster, user: name, namespace: name === 'other-tenant' ? 'other' : 'default' },
    })),
  })
}
