/** Tables of the plugin. */
export type McpTables = {
  mcp_approvals: ApprovalRow
  mcp_connectors: ConnectorRow
}

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
