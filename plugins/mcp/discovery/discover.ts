import type { McpServerStatus } from '#schemas/crds/mcp-server.ts'
import { McpFailure } from '../client/mcp-failure.ts'
import type { SessionTarget, WithSession } from '../client/session.ts'
import { readManifest } from '../manifest/manifest.ts'
import type { Manifest } from '../manifest/manifest.ts'

/** The manifest of a server, or why it could not be read. */
export type Discovery =
  | { readonly manifest: Manifest; readonly protocolVersion: NonNullable<McpServerStatus['protocolVersion']> }
  | { readonly failure: McpFailure }

const DEADLINE_MS = 20_000

/** Reads the manifest of a server once. Never throws an `McpFailure`. */
export async function discover(
  withSession: WithSession,
  { url, bearer, header }: Pick<SessionTarget, 'url' | 'bearer' | 'header'>,
): Promise<Discovery> {
  const { host } = new URL(url)
  try {
    return await withSession({ url, bearer, header, deadlineMs: DEADLINE_MS }, async (client) => {
      const { tools } = await client.listTools()
      return { manifest: readManifest(tools, host), protocolVersion: versionOf(client.getNegotiatedProtocolVersion()) }
    })
  } catch (error) {
    if (error instanceof McpFailure) return { failure: error }
    throw error
  }
}

// The library accepts revisions that it knows; the limit applies to later ones, too.
function versionOf(version: string | undefined): string {
  return (version ?? '').slice(0, 64)
}
