import type { McpApproval } from '#schemas/api/mcp-approvals.ts'

/** Manifests that wait. */
export interface WaitingManifests {
  readonly items: readonly McpApproval[]
  readonly hasMore: boolean
}

/** A page of them. */
export interface ApprovalPage {
  readonly items: readonly McpApproval[]
  readonly nextCursor: string | null
}

/** Reads a page of approvals. */
export type ReadApprovals = (cursor: string | undefined) => Promise<ApprovalPage>

// A page has the approvals of ten servers, and may be empty before the last one.
const MOST_PAGES = 4

/** Reads the first pages. */
export async function readWaiting(read: ReadApprovals): Promise<WaitingManifests> {
  const items: McpApproval[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const { items: found, nextCursor } = await read(cursor)
    items.push(...found)
    if (nextCursor === null) return { items, hasMore: false }
    cursor = nextCursor
  }
  return { items, hasMore: true }
}

/** The place of a server in the address. */
export function placeOfManifest({ namespace, server }: Pick<McpApproval, 'namespace' | 'server'>): string {
  return `${namespace}/${server}`
}
