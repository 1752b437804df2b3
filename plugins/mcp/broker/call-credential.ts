import { Fail } from '#core/errors/domain-error.ts'
import type { KubeClient } from '#core/kube/client.ts'
import { findCredential } from '../client/credential.ts'
import type { SentCredential } from '../client/credential.ts'
import { McpFailure } from '../client/mcp-failure.ts'
import { mcpErrors } from '../contract/errors.ts'
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

// A server that refuses a token has not processed the request (401), so it is sent once more with another token.
async function withUserToken<T>(
  tokens: RunTokens,
  call: RunCall,
  use: (credential: SentCredential) => Promise<T>,
): Promise<T> {
  const send = ({ bearer }: UserToken): Promise<T> => use({ bearer })
  const first = await tokens.tokenFor(call)
  try {
    return await send(first)
  } catch (error) {
    if (!isRefused(error)) throw error
  }
  const second = await tokens.replace(call, first)
  try {
    return await send(second)
  } catch (error) {
    throw isRefused(error) ? await tokens.giveUp(call, second) : error
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof McpFailure && error.reason === 'unauthorized' && error.status === 401
}
