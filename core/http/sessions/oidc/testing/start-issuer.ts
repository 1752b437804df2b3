import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { Provider } from 'oidc-provider'
import type { Scope } from '#test/harness/scope.ts'

/** The client of a test at its issuer. */
export const client = { id: 'mesh', secret: 'secret-of-the-client-of-a-test' } as const

/** A real authorization server, on which everybody signs in as alice at once. */
export async function startIssuer(t: Scope, redirectUri: string): Promise<{ readonly issuer: string }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  const issuer = `http://127.0.0.1:${portOf(server)}`
  const provider = new Provider(issuer, configurationOf(redirectUri))
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) return answer(request, response)
    provider.interactionFinished(request, response, { login: { accountId: 'alice' } }).catch(() => response.destroy())
  })
  return { issuer }
}

function configurationOf(redirectUri: string): object {
  return {
    clients: [
      { client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri], response_types: ['code'] },
    ],
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email'], profile: ['groups'] },
    cookies: { keys: ['a key of a test'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: `${id}@example.com`, groups: ['team-a'] }),
    }),
    loadExistingGrant: async ({ oidc }: GrantContext) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string }
    readonly provider: {
      readonly Grant: new (given: object) => { addOIDCScope(scope: string): void; save(): Promise<void> }
    }
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Signs in at the issuer as a browser does: follows its redirects with its cookies. Returns the address of the callback. */
export async function signInAtIssuer(address: string): Promise<URL> {
  const jar = new Map<string, string>()
  let next = new URL(address)
  const issuer = next.origin
  while (next.origin === issuer) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null)
      throw new Error(`${next.pathname} responded with ${response.status}: ${await response.text()}`)
    next = new URL(location, next)
  }
  return next
}
