import { isLabel, isName } from '#core/kube/names.ts'
import type { DnsLabel, DnsName } from '#core/kube/names.ts'

/** Payer of a call that a role of the platform makes, by uid: a re-created agent or namespace is a different payer. */
export type Payer =
  | { readonly kind: 'agent'; readonly namespace: string; readonly name: string; readonly uid: string }
  | { readonly kind: 'namespace'; readonly namespace: string; readonly uid: string }

/** A payer whose names are well-formed. */
export type ParsedPayer =
  | { readonly kind: 'agent'; readonly namespace: DnsLabel; readonly name: DnsName; readonly uid: string }
  | { readonly kind: 'namespace'; readonly namespace: DnsLabel; readonly uid: string }

/** Header of the gateway in which a role names the payer. */
export const payerHeader = 'x-mesh-payer'

/** The payer as a header: `agent/<namespace>/<name>/<uid>` or `namespace/<namespace>/<uid>`. */
export function formatPayer(payer: Payer): string {
  const { kind, namespace, uid } = payer
  return payer.kind === 'agent' ? `${kind}/${namespace}/${payer.name}/${uid}` : `${kind}/${namespace}/${uid}`
}

/** Parses a header; undefined for any other form. */
export function parsePayer(text: string): ParsedPayer | undefined {
  const [kind, namespace = '', ...rest] = text.split('/', MAX_PARTS)
  const uid = rest.pop() ?? ''
  if (!isLabel(namespace) || !UID.test(uid)) return undefined
  if (kind === 'namespace' && rest.length === 0) return { kind, namespace, uid }
  const [name = ''] = rest
  return kind === 'agent' && rest.length === 1 && isName(name) ? { kind, namespace, name, uid } : undefined
}

// One more than the number of parts of a payer.
const MAX_PARTS = 5
const UID = /^[A-Za-z0-9-]{1,128}$/
