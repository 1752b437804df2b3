import * as oauth from 'oauth4webapi'
import type { Outbound } from '#core/http-client/outbound.ts'
import { SignInRefused } from '../sign-in-ways.ts'
import type { SignInState } from './state-cookie.ts'

/** Settings of an issuer of OpenID Connect. */
export interface IssuerSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly scopes: readonly string[]
}

/** An issuer, by its discovery document. */
export interface Issuer {
  /** Address that the browser is sent to. */
  addressOf(state: SignInState, redirectUri: string): Promise<URL>
  /** Checks the parameters of a callback against its state. Throws `SignInRefused`. */
  check(parameters: URLSearchParams, state: SignInState): Promise<URLSearchParams>
  /** Exchanges the code of checked parameters for the ID token, which is the bearer. Throws `SignInRefused`. */
  redeem(parameters: URLSearchParams, state: SignInState, redirectUri: string): Promise<string>
}

const KNOWN_MS = 10 * 60_000
const CLOCK_SECONDS = 30
const MAX_BYTES = 256 * 1024

/** Creates the client of an issuer. Its addresses are guarded as all that come from outside (setting outbound.allow). */
export function createIssuer(settings: IssuerSettings, outbound: Pick<Outbound, 'request'>, now: () => Date): Issuer {
  const url = new URL(settings.issuer)
  const options = { [oauth.customFetch]: fetchBy(outbound), [oauth.allowInsecureRequests]: url.protocol === 'http:' }
  const discover = discovery(url, options)
  // Read for each response: the clock of a test, or one that was set.
  const client = (): oauth.Client => ({
    client_id: settings.clientId,
    [oauth.clockTolerance]: CLOCK_SECONDS,
    [oauth.clockSkew]: Math.round((now().getTime() - Date.now()) / 1_000),
  })
  const { clientSecret } = settings
  const authentication = clientSecret === undefined ? oauth.None() : oauth.ClientSecretBasic(clientSecret)
  return {
    addressOf: async (state, redirectUri) => {
      const server = await discover()
      if (server.authorization_endpoint === undefined)
        throw new SignInRefused('unavailable', 'no authorization_endpoint')
      const address = new URL(server.authorization_endpoint)
      const challenge = await oauth.calculatePKCECodeChallenge(state.verifier)
      const parameters = {
        client_id: settings.clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: settings.scopes.join(' '),
        state: state.state,
        nonce: state.nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
      return address
    },
    check: async (parameters, { state }) => {
      const server = await discover()
      refuseOtherIssuer(server, parameters)
      // RFC 6749, 3.1: no parameter is repeated.
      if (new Set(parameters.keys()).size !== parameters.size) throw new SignInRefused('state')
      try {
        return oauth.validateAuthResponse(server, client(), parameters, state)
      } catch (error) {
        if (error instanceof oauth.AuthorizationResponseError) throw new SignInRefused('denied', codeOf(error.error))
        throw new SignInRefused('state', error instanceof oauth.OperationProcessingError ? error.code : undefined)
      }
    },
    redeem: async (parameters, { nonce, verifier }, redirectUri) => {
      const server = await discover()
      try {
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client(),
          authentication,
          parameters,
          redirectUri,
          verifier,
          options,
        )
        const checks = { expectedNonce: nonce, requireIdToken: true }
        const tokens = await oauth.processAuthorizationCodeResponse(server, client(), response, checks)
        refuseFuture(oauth.getValidatedIdTokenClaims(tokens)?.iat ?? 0, now())
        return tokens.id_token ?? ''
      } catch (error) {
        if (error instanceof SignInRefused) throw error
        if (error instanceof oauth.ResponseBodyError) throw new SignInRefused('token', codeOf(error.error))
        if (!(error instanceof oauth.OperationProcessingError)) throw new SignInRefused('unavailable', reasonOf(error))
        throw new SignInRefused(error.code === oauth.JWT_TIMESTAMP_CHECK ? 'clock' : 'token', error.code)
      }
    },
  }
}

// The library checks the end of a token. One that was issued later than now shows a wrong clock.
function refuseFuture(issuedAt: number, now: Date): void {
  if (issuedAt - now.getTime() / 1_000 > CLOCK_SECONDS) throw new SignInRefused('clock')
}

function discovery(url: URL, options: object): () => Promise<oauth.AuthorizationServer> {
  let known: { readonly server: oauth.AuthorizationServer; readonly until: number } | undefined
  return async () => {
    if (known !== undefined && performance.now() < known.until) return known.server
    try {
      const response = await oauth.discoveryRequest(url, { algorithm: 'oidc', ...options })
      const server = await oauth.processDiscoveryResponse(url, response)
      known = { server, until: performance.now() + KNOWN_MS }
      return server
    } catch (error) {
      if (error instanceof oauth.OperationProcessingError) throw new SignInRefused('issuer', error.code)
      throw new SignInRefused('unavailable', reasonOf(error))
    }
  }
}

// RFC 9207: a response of another issuer, which could make this server send it the code.
function refuseOtherIssuer(server: oauth.AuthorizationServer, parameters: URLSearchParams): void {
  const given = parameters.getAll('iss')
  const isRequired = server.authorization_response_iss_parameter_supported === true
  if (given.length > 1 || (given.length === 0 && isRequired)) throw new SignInRefused('issuer')
  if (given.length === 1 && given[0] !== server.issuer) throw new SignInRefused('issuer')
}

function fetchBy(outbound: Pick<Outbound, 'request'>) {
  return async (
    url: string,
    given: { method: string; headers: Record<string, string>; body?: unknown },
  ): Promise<Response> => {
    const { status, headers, body } = await outbound.request({
      url,
      method: given.method === 'POST' ? 'POST' : 'GET',
      headers: given.headers,
      maxBytes: MAX_BYTES,
      ...(given.body instanceof URLSearchParams ? { body: given.body.toString() } : {}),
    })
    const type = headers['content-type']
    return new Response(new Uint8Array(body), {
      status,
      headers: { 'content-type': typeof type === 'string' ? type : '' },
    })
  }
}

// What an issuer writes may hold anything; codes of errors are words.
function codeOf(text: string): string | undefined {
  return /^[a-z_]{1,40}$/.test(text) ? text : undefined
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}
