import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { findCredential } from '../client/credential.ts'
import type { SentCredential } from '../client/credential.ts'
import { McpFailure } from '../client/mcp-failure.ts'
import { mcpErrors } from '../contract/errors.ts'
import { readChallenge } from '../oauth/discovery/challenge.ts'
import type { RunCall, RunTokens } from '../oauth/tokens/run-tokens.ts'
import type { UserToken } from '../oauth/tokens/grant-tokens.ts'

/** Where credentials of calls are from. */
export interface CallCredentials {
  readonly cluster: Pick<KubeClient, 'get'>
  /** Undefined: the installation has no store, or no runs. */
  readonly runTokens?: RunTokens | undefined
}

/** Calls a server with its credential, or with the token of the person who started the run. Throws `Fail` and `McpFailure`. */
export async function withCredential<T>(
  { cluster, runTokens }: CallCredentials,
  call: RunCall,
  use: (credential: SentCredential) => Promise<T>,
): Promise<T> {
  const { metadata, spec } = call.server
  if (spec.auth?.kind === 'oauth') {
    if (runTokens === undefined)
      throw new Fail(mcpErrors.tool_unavailable, 'Grants of persons need the store and the plugin runs.')
    return withUserToken(runTokens, call, use)
  }
  const credential = await findCredential(cluster, metadata.namespace ?? '', spec)
  if ('reason' in credential) throw new Fail(mcpErrors.tool_unavailable, credential.message)
  return use(credential)
}

// A server that refuses a token has not processed the request, so it is sent once more with another token.
async function withUserToken<T>(
  tokens: RunTokens,
  call: RunCall,
  use: (credential: SentCredential) => Promise<T>,
): Promise<T> {
  const send = ({ bearer }: UserToken): Promise<T> => use({ bearer })
  const first = await tokens.tokenFor(call)
  const second = await send(first).then(
    (result) => ({ result }),
    async (error: unknown) => ({ token: await nextToken(tokens, call, { token: first, error }) }),
  )
  if ('result' in second) return second.result
  const { token } = second
  try {
    return await send(token)
  } catch (error) {
    if (isRefused(error)) throw await tokens.giveUp(call, token)
    // The scopes of the next consent: this one does not have them either.
    const wanted = missingScopes(error, token)
    if (wanted.length > 0) await tokens.widen(call, token, wanted)
    throw error
  }
}

interface RefusedToken {
  readonly token: UserToken
  readonly error: unknown
}

function nextToken(tokens: RunTokens, call: RunCall, { token, error }: RefusedToken): Promise<UserToken> {
  if (isRefused(error)) return tokens.replace(call, token)
  const wanted = missingScopes(error, token)
  if (wanted.length > 0) return tokens.widen(call, token, wanted)
  throw error
}

function isRefused(error: unknown): boolean {
  return error instanceof McpFailure && error.reason === 'unauthorized' && error.status === 401
}

// RFC 6750, section 3.1. A server that asks for scopes which the person has granted would be asked forever.
function missingScopes(error: unknown, { grant }: UserToken): readonly string[] {
  if (!(error instanceof McpFailure) || error.status !== 403) return []
  const { error: code, scopes = [] } = readChallenge(error.challenge)
  return code === 'insufficient_scope' ? scopes.filter((one) => !grant.scopes.includes(one)) : []
}
