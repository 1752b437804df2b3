import type { McpServerSpec, McpServerStatus } from '#schemas/crds/mcp-server.ts'
import { compareTools } from './manifest.ts'
import type { Manifest } from './manifest.ts'

/** Which manifest is accepted, and the one that waits for acceptance. */
export interface PinnedManifest {
  readonly accepted: Manifest | undefined
  readonly proposed: (Manifest & { readonly changes: string[] }) | undefined
}

/** Input of the decision on acceptance. */
export interface PinInput {
  readonly spec: Pick<McpServerSpec, 'acceptedManifest'>
  readonly status: Pick<McpServerStatus, 'manifestDigest' | 'tools' | 'proposed'> | undefined
  /** The current manifest of the server; undefined if it could not be read. */
  readonly offered: Manifest | undefined
  /** Approved digests, where manifests need an approval; undefined where the spec or the first manifest decides. */
  readonly approved: ReadonlyMap<string, string> | undefined
}

/**
 * Decides which tools may be used (M-6): those of an approved manifest, where approvals are required; else those of the manifest in the spec, or of the
 * first manifest. Any other manifest waits. Pure.
 */
export function pinManifest({ spec, status, offered, approved }: PinInput): PinnedManifest {
  const before = toManifest(status?.manifestDigest, status?.tools)
  const waiting = toManifest(status?.proposed?.digest, status?.proposed?.tools)
  const wanted = spec.acceptedManifest ?? before?.digest ?? offered?.digest
  const isUsable = (digest: string): boolean => (approved === undefined ? digest === wanted : approved.has(digest))
  const accepted = [offered, before, waiting].find((one) => one !== undefined && isUsable(one.digest))
  const other = offered ?? waiting
  if (other === undefined || other.digest === accepted?.digest) return { accepted, proposed: undefined }
  return { accepted, proposed: { ...other, changes: compareTools(accepted?.tools ?? [], other.tools) } }
}

function toManifest(digest: string | undefined, tools: Manifest['tools'] | undefined): Manifest | undefined {
  return digest === undefined ? undefined : { digest, tools: tools ?? [] }
}
