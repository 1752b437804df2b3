import type { Generated, Selectable } from 'kysely'

/** The newest decision on a manifest. */
export interface ApprovalRow {
  readonly server_uid: string
  readonly digest: string
  readonly state: 'approved' | 'rejected'
  readonly actor: string
  readonly decided_at: Date
  readonly reason: string | null
}

/** A published server. */
export interface ConnectorRow {
  readonly server_uid: string
  readonly namespace: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly tags: readonly string[]
  readonly url: string
  readonly auth: 'none' | 'bearer' | 'header' | 'oauth'
  readonly header: string | null
  /** Null: every namespace. */
  readonly visible_to: readonly string[] | null
  readonly published_by: string
  readonly published_at: Date
}

/** A consent that has begun. It is taken once, by the hash of its state. */
export interface ConsentRow {
  state_hash: Buffer
  subject: string
  /** Hash of the id of the browser session; null for a consent that began with a bearer. */
  session_hash: Buffer | null
  namespace: string
  server: string
  server_uid: string
  /** What ends it: verifier, client and endpoints. */
  sealed: string
  expires_at: Date
}

/** A grant of a person. Tokens are sealed. */
export interface GrantRow {
  id: string
  subject: string
  namespace: string
  server: string
  server_uid: string
  /** Address of the server that the tokens are for. */
  url: string
  issuer: string
  sealed: string
  scopes: string[]
  access_expires_at: Date | null
  is_refreshable: boolean
  /** False: the authorization server or the server has refused the tokens. */
  is_usable: Generated<boolean>
  /** The person may update the server, so that the manager reads its manifest with this grant. */
  reads_manifest: boolean
  /** Changes with the tokens. */
  version: Generated<number>
  /** Scopes that the server has asked for beyond those of the tokens. Runs that need them wait for another consent. */
  wanted_scopes: string[] | null
  /** A process refreshes the tokens until then. */
  refreshing_until: Date | null
  created_at: Generated<Date>
}

/** A client that an authorization server has registered. */
export interface OAuthClientRow {
  server_uid: string
  issuer: string
  redirect_uri: string
  sealed: string
  expires_at: Date | null
}

/** Tables of the plugin. */
export type McpTables = {
  mcp_approvals: ApprovalRow
  mcp_connectors: ConnectorRow
  mcp_consents: ConsentRow
  mcp_grants: GrantRow
  mcp_oauth_clients: OAuthClientRow
}

/** A grant as selected. */
export type SelectedGrant = Selectable<GrantRow>

/** A consent as selected. */
export type SelectedConsent = Selectable<ConsentRow>
