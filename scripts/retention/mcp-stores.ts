import type { KeptData } from './kept-data.ts'

const withObject = 'as long as its object'

/** Data of MCP servers. */
export const mcpData: readonly KeptData[] = [
  {
    what: 'Decisions on manifests of MCP servers',
    tables: ['mcp_approvals'],
    kept: withObject,
    keptBy: [],
    quotas: [],
    bounded: 'a row of each manifest that was decided',
    metrics: [],
    errors: [],
  },
  {
    what: 'Published MCP servers',
    tables: ['mcp_connectors'],
    kept: withObject,
    keptBy: [],
    quotas: [],
    bounded: 'a row of each server',
    metrics: [],
    errors: [],
  },
  {
    what: 'Grants of persons for MCP servers, with sealed tokens, and clients at authorization servers',
    tables: ['mcp_grants', 'mcp_oauth_clients'],
    kept: 'until it is revoked, its person is erased or its server is deleted',
    keptBy: [],
    quotas: [],
    bounded: '200 grants of a person, and a client per server and authorization server',
    metrics: [],
    errors: ['grant_quota_exceeded'],
  },
  {
    what: 'Begun consents to MCP servers',
    tables: ['mcp_consents'],
    kept: 'for ten minutes',
    keptBy: [],
    quotas: [],
    bounded: '20 of a person',
    metrics: [],
    errors: ['grant_quota_exceeded'],
  },
]
