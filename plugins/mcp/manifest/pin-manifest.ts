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
  /** Whether the first manifest also waits for acceptance. */
  readonly requireAcceptance: boolean
}

/** Decides which tools may be used (M-6): those of the manifest in the spec, else those of the first manifest. Any other manifest waits. Pure. */
export function pinManifest({ spec, status, offered, requireAcceptance }: PinInput): PinnedManifest {
  const before = toManifest(status?.manifestDigest, status?.tools)
  const waiting = toManifest(status?.proposed?.digest, status?.proposed?.tools)
  const first = requireAcceptance ? undefined : offered
  const wanted = spec.acceptedManifest ?? before?.digest ?? first?.digest
  const accepted = [offered, before, waiting].find((one) => one !== undefined && one.digest === wanted)
  const other = offered ?? waiting
  if (other === undefined || other.digest === accepted?.digest) return { accepted, proposed: undefined }
  return { accepted, proposed: { ...other, changes: compareTools(accepted?.tools ?? [], other.tools) } }
}

function toManifest(digest: string | undefined, tools: Manifest['tools'] | undefined): Manifest | undefined {
  return digest === undefined ? undefined : { digest, tools: tools ?? [] }
}
