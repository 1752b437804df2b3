import { stringify } from 'yaml'
import { type Persona, personas } from './personas.ts'

/** A kubeconfig with a context for each persona; `developer` is the current one, who the README's requests come from too. Each context's namespace is where that persona works. */
export function toKubeconfig(
  server: { readonly url: string; readonly certificateAuthority: string },
  tokens: Readonly<Record<Persona, string>>,
): string {
  const cluster = 'mesh-local'
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'developer' satisfies Persona,
    clusters: [
      {
        name: cluster,
        cluster: {
          server: server.url,
          'certificate-authority-data': Buffer.from(server.certificateAuthority).toString('base64'),
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
