import { Fail } from '#core/errors/domain-error.ts'
import type { CallingAgent } from '#core/cluster/calling-agent.ts'
import type { RunsSystem } from '#plugins/runs/contract/api.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { mcpErrors } from '../../contract/errors.ts'
import type { McpTables } from '../../contract/tables.ts'
import { removeForeignGrants } from '../../store/grants.ts'
import { TokensRefused } from '../server/authorization-calls.ts'
import type { GrantServices } from '../server/grant-services.ts'
import { createGrantTokens } from './grant-tokens.ts'
import type { UserToken } from './grant-tokens.ts'

/** A tool call whose server takes the tokens of persons. */
export interface RunCall {
  readonly agent: Pick<CallingAgent, 'uid'>
  /** Run that the launcher names. */
  readonly runId: string | undefined
  readonly server: McpServerObject
}

/** Tokens of the persons who started runs. Throws `tool_auth_required` without a usable grant, and `tool_unavailable`. */
export interface RunTokens {
  tokenFor(call: RunCall): Promise<UserToken>
  /** Another token after the server has refused this one (401). */
  replace(call: RunCall, token: UserToken): Promise<UserToken>
  /** A token of a later consent, after the server has asked for scopes beyond those of this one (403). Otherwise the person must consent to them. */
  widen(call: RunCall, token: UserToken, wanted: readonly string[]): Promise<UserToken>
  /** The server has refused the replacement, too. */
  giveUp(call: RunCall, token: UserToken): Promise<Fail>
}

/** Creates the tokens of the state role. The run must be one of the calling agent that runs now: an agent has no use of earlier subjects. */
export function createRunTokens(services: GrantServices, runs: Pick<RunsSystem, 'subjectOf'>): RunTokens {
  const tokens = createGrantTokens(services)
  const subjectOf = async ({ agent, runId }: RunCall): Promise<string> => {
    const run = runId === undefined ? undefined : await runs.subjectOf(runId)
    if (run?.agentUid === agent.uid && run.state === 'running') return run.subject
    throw new Fail(mcpErrors.tool_auth_required, 'The call belongs to no run of the agent that is running.')
  }
  const orRequired = async (
    { server }: RunCall,
    subject: string,
    find: () => Promise<UserToken | undefined>,
  ): Promise<UserToken> => {
    const found = await orUnavailable(find())
    if (found !== undefined) return found
    const { namespace = '', name, uid: serverUid = '' } = server.metadata
    const key = { subject, serverUid, url: server.spec.url, namespace, server: name }
    await services.store.transact((tx) => removeForeignGrants(tx.tables<McpTables>(), key))
    throw new Fail(mcpErrors.tool_auth_required, `${subject} has not consented to the MCP server ${namespace}/${name}.`)
  }
  return {
    tokenFor: async (call) => {
      const subject = await subjectOf(call)
      const { metadata, spec } = call.server
      return orRequired(call, subject, () => tokens.find({ subject, serverUid: metadata.uid ?? '', url: spec.url }))
    },
    replace: (call, token) => orRequired(call, token.grant.subject, () => tokens.replace(token)),
    widen: async ({ server }, token, wanted) => {
      const found = await orUnavailable(tokens.widen(token, wanted))
      if (found !== undefined) return found
      const { namespace = '', name } = server.metadata
      throw new Fail(
        mcpErrors.tool_auth_required,
        `${token.grant.subject} has not consented to the scopes that the MCP server ${namespace}/${name} asks for.`,
      )
    },
    giveUp: async ({ server }, token) => {
      await tokens.giveUp(token)
      const { namespace = '', name } = server.metadata
      return new Fail(
        mcpErrors.tool_auth_required,
        `The MCP server ${namespace}/${name} refuses the token of ${token.grant.subject}.`,
      )
    },
  }
}

async function orUnavailable<T>(found: Promise<T>): Promise<T> {
  try {
    return await found
  } catch (error) {
    throw error instanceof TokensRefused ? new Fail(mcpErrors.tool_unavailable, error.message) : error
  }
}
