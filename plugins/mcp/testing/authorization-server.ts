import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import type { Scope } from '#test/harness/scope.ts'

/** What a test changes about an authorization server. */
export interface AuthorizationServerOptions {
  /** Account that signs in and consents at once. */
  readonly account?: string
  /** Clients that are known without a registration. */
  readonly clients?: readonly object[]
  readonly hasRegistration?: boolean
  /** How clients authenticate. */
  readonly methods?: readonly string[]
  /** Lifetime of access tokens in seconds. */
  readonly seconds?: number
  /** Refuses the consent. */
  readonly denies?: boolean
}

/** A real authorization server (oidc-provider): registration, PKCE, resource indicators, rotating refresh tokens, revocation, `iss`. */
export interface TestAuthorizationServer {
  readonly issuer: string
  /** Paths of its requests. */
  readonly requests: string[]
  /** The account of a valid access token for a resource. */
  accountOf(token: string, resource: string): Promise<string | undefined>
  /** The scopes of an access token. */
  scopesOf(token: string): Promise<readonly string[]>
  /** Changes the secret of a configured client. */
  rotate(id: string, secret: string): Promise<void>
  /** The next consents are of this account. */
  as(account: string): void
  /** Runs once, after the server has made the next tokens and before it sends them. */
  beforeTokens(work: () => Promise<void>): void
}

/** Starts the server. */
export async function startAuthorizationServer(
  t: Scope,
  options: AuthorizationServerOptions = {},
): Promise<TestAuthorizationServer> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const state = { account: options.account ?? 'ada' }
  const provider = new Provider(issuer, configurationOf(options)) as unknown as ProviderWithTokens
  const requests: string[] = []
  let work: (() => Promise<void>) | undefined
  provider.use(async ({ path }, next) => {
    await next()
    const due = path === '/token' ? work : undefined
    work = due === undefined ? work : undefined
    await due?.()
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer)
    requests.push(pathname)
    if (!pathname.startsWith('/interaction/')) return answer(request, response)
    const denied = { error: 'access_denied' }
    const result = options.denies === true ? denied : { login: { accountId: state.account }, consent: {} }
    provider.interactionFinished(request, response, result).catch(() => response.destroy())
  })
  return {
    issuer,
    requests,
    accountOf: async (token, resource) => {
      const found = await provider.AccessToken.find(token)
      return found?.isValid === true && found.aud === resource ? found.accountId : undefined
    },
    scopesOf: async (token) => (await provider.AccessToken.find(token))?.scope?.split(' ') ?? [],
    rotate: async (id, secret) => {
      const client = await provider.Client.find(id)
      if (client !== undefined) client.clientSecret = secret
    },
    as: (account) => (state.account = account),
    beforeTokens: (given) => (work = given),
  }
}

function configurationOf({
  clients = [],
  hasRegistration = true,
  methods,
  seconds = 3_600,
}: AuthorizationServerOptions): object {
  const scopes = 'tickets.read tickets.write'
  return {
    clients,
    ...(methods === undefined ? {} : { clientAuthMethods: methods }),
    scopes: ['openid', 'offline_access', ...scopes.split(' ')],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: hasRegistration },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: scopes, accessTokenFormat: 'opaque' }),
        useGrantedResource: () => true,
      },
    },
    clientDefaults: { id_token_signed_response_alg: 'RS256' },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    cookies: { keys: ['a key of a test'] },
    ttl: { AccessToken: seconds, Interaction: 600, Session: 600, Grant: 86_400, RefreshToken: 86_400 },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    pkce: { required: () => true },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    // Consent is given at once: each grant covers what was asked for.
    loadExistingGrant: async ({ oidc }: GrantContext) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope(`openid offline_access ${scopes}`)
      for (const resource of [oidc.params.resource ?? []].flat()) grant.addResourceScope(resource, scopes)
      await grant.save()
      return grant
    },
  }
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string }
    readonly params: { readonly resource?: string | readonly string[] }
    readonly provider: {
      readonly Grant: new (given: object) => {
        addOIDCScope(scope: string): void
        addResourceScope(resource: string, scope: string): void
        save(): Promise<void>
      }
    }
  }
}

interface ProviderWithTokens extends Omit<Provider, 'use'> {
  use(middleware: (context: { readonly path: string }, next: () => Promise<void>) => Promise<void>): unknown
  readonly Client: { find(id: string): Promise<{ clientSecret?: string } | undefined> }
  readonly AccessToken: { find(token: string): Promise<StoredToken | undefined> }
}

interface StoredToken {
  readonly isValid: boolean
  readonly accountId: string
  readonly aud: string
  readonly scope?: string
}
