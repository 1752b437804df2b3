import { Type } from 'typebox'
import { endpoint } from '#core/http/endpoint/endpoint.ts'
import type { AnyEndpoint } from '#core/http/endpoint/endpoint.ts'
import type { Part } from '#core/http/endpoint/mountable.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import { nothing } from '#schemas/api/common.ts'
import {
  BegunConsent,
  CompletedConsent,
  ConsentResult,
  GrantInput,
  GrantParams,
  GrantQuery,
  McpGrantList,
} from '#schemas/api/mcp-grants.ts'
import type { McpGrant } from '#schemas/api/mcp-grants.ts'
import type { McpTables, SelectedGrant } from '../contract/tables.ts'
import { listGrantsOf } from '../store/grants.ts'
import { beginConsent } from './consent/begin-consent.ts'
import { completeConsent } from './consent/complete-consent.ts'
import { readOAuthServer } from './consent/oauth-server.ts'
import { redirectUriFor } from './consent/redirect-uri.ts'
import { revokeGrant } from './consent/revoke-grant.ts'
import type { GrantServices } from './server/grant-services.ts'

const audited = (action: string) => ({ action, resourceKind: 'McpGrant' })

/** What the routes of grants need. */
export interface GrantRoutes {
  /** Undefined without a store. */
  readonly services: GrantServices | undefined
  readonly publicUrl: string | undefined
}

/** The routes of grants; 501 without a store. */
export function grantsPart({ services, publicUrl }: GrantRoutes): Part {
  const wired = {
    publicUrl,
    services: () => {
      if (services === undefined) throw new Error('the routes of grants are not wired')
      return services
    },
  }
  const endpoints = [begin(wired), complete(wired), list(wired), revoke(wired)]
  const capability = 'mcp.grants'
  if (services !== undefined) return { capability, wiring: 'ready', endpoints }
  return { capability, wiring: 'unwired', setting: 'DATABASE_URL', endpoints }
}

interface Wired {
  readonly services: () => GrantServices
  readonly publicUrl: string | undefined
}

const create = {
  kind: 'review',
  verb: 'create',
  resource: 'mcpgrants',
  namespace: { in: 'body', field: 'namespace', absent: 'default' },
} as const
const get = { kind: 'kube', verb: 'get', resource: 'mcpservers' } as const

function begin({ services, publicUrl }: Wired): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/mcp/oauth/grant',
    id: 'createMcpConsent',
    summary: 'Create a consent of the caller to an MCP server, which an authorization server asks for.',
    docs: {
      examples: {
        run: { summary: 'For a run that waits', value: { namespace: 'demo', server: 'tickets', returnTo: '/runs' } },
      },
    },
    authz: { kind: 'all', of: [create, get] },
    audit: audited('grant.create'),
    body: GrantInput,
    response: { 201: BegunConsent },
    handle: async ({ caller, body, session, headers, signal, reply }) => {
      const ref = {
        namespace: parseLabel('/namespace', body.namespace ?? 'default'),
        name: parseName('/server', body.server),
      }
      const server = await readOAuthServer(caller, ref, signal)
      const { authorizationUrl, expiresAt } = await beginConsent(services(), {
        server,
        subject: caller.username,
        sessionId: session,
        scopes: body.scopes,
        returnTo: body.returnTo,
        redirectUri: redirectUriFor({ publicUrl, origin: headers['origin'], hasSession: session !== undefined }),
        signal,
      })
      reply.code(201)
      return { authorizationUrl: authorizationUrl.href, expiresAt: expiresAt.toISOString() }
    },
  })
}

function complete({ services }: Wired): AnyEndpoint {
  return endpoint({
    method: 'POST',
    url: '/mcp/oauth/complete',
    id: 'completeMcpConsent',
    summary: 'Complete a consent of the caller with the response of the authorization server.',
    docs: {
      examples: { code: { summary: 'The parameters of the redirect', value: { state: 'Qq8', code: 'SplxlOBe' } } },
    },
    authz: { kind: 'owner' },
    audit: audited('grant.create'),
    body: ConsentResult,
    response: { 200: CompletedConsent },
    handle: async ({ caller, body, session, signal }) => {
      const { grant, returnTo } = await completeConsent(services(), { caller, sessionId: session, signal }, body)
      return { ...toShown(grant), returnTo }
    },
  })
}

function list({ services }: Wired): AnyEndpoint {
  return endpoint({
    method: 'GET',
    url: '/mcp/oauth/grants',
    id: 'listMcpGrants',
    summary: 'List the grants of the caller, without their tokens.',
    authz: { kind: 'owner' },
    query: Type.Object({}, { additionalProperties: false }),
    response: { 200: McpGrantList },
    handle: async ({ caller }) => {
      const grants = await listGrantsOf(services().store.reader<McpTables>(), caller.username)
      return { items: grants.map(toShown), nextCursor: null }
    },
  })
}

function revoke({ services }: Wired): AnyEndpoint {
  return endpoint({
    method: 'DELETE',
    url: '/mcp/oauth/grant/:server',
    id: 'deleteMcpGrant',
    summary: 'Delete the grants of the caller for an MCP server, and revoke their tokens.',
    authz: { kind: 'owner' },
    audit: audited('grant.revoke'),
    params: GrantParams,
    query: GrantQuery,
    response: { 204: nothing },
    handle: async ({ caller, params, query }) => {
      const namespace = parseLabel('?namespace', query.namespace ?? 'default')
      const server = parseName(':server', params.server)
      await revokeGrant(services(), { subject: caller.username, namespace, server })
    },
  })
}

function toShown(grant: SelectedGrant): McpGrant {
  const { namespace, server, scopes } = grant
  return {
    namespace,
    server,
    scopes: [...scopes],
    expiresAt: grant.access_expires_at?.toISOString() ?? null,
    refreshable: grant.is_refreshable,
    usable: grant.is_usable,
    createdAt: grant.created_at.toISOString(),
  }
}
