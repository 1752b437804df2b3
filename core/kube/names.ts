/** Thrown for an invalid name; `field` is the refused input. Mapped to 400 `invalid_name`. */
export class InvalidName extends Error {
  readonly field: string
  constructor(field: string, reason: string) {
    super(`${field}: ${reason}`)
    this.name = 'InvalidName'
    this.field = field
  }
}

declare const brand: unique symbol

/** An RFC 1123 label: at most 63 characters of a-z, 0-9 and '-', without '-' at either end. Namespaces are labels. */
export type DnsLabel = string & { readonly [brand]: 'DnsLabel' }

/** An RFC 1123 subdomain: labels joined by '.', at most 253 characters. Most object names are subdomains. */
export type DnsName = string & { readonly [brand]: 'DnsLabel' | 'DnsName' }

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Parses one RFC 1123 label (K5); throws `InvalidName`. */
export function parseLabel(field: string, text: string): DnsLabel {
  if (!isLabel(text)) throw new InvalidName(field, 'must be an RFC 1123 label (a-z, 0-9, -; at most 63 characters)')
  return text
}

/** Parses one RFC 1123 subdomain (K5); throws `InvalidName`. */
export function parseName(field: string, text: string): DnsName {
  if (!isName(text))
    throw new InvalidName(field, 'must be an RFC 1123 subdomain (a-z, 0-9, - and .; at most 253 characters)')
  return text
}

/** Whether the string is an RFC 1123 label. */
export function isLabel(text: string): text is DnsLabel {
  return label.test(text)
}

/** Whether the string is an RFC 1123 subdomain. Kubernetes limits the total (253), not each label. */
export function isName(text: string): text is DnsName {
  if (text.length === 0 || text.length > 253) return false
  return text.split('.').every((part) => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(part))
}

/** Namespace and name of an object. */
export interface NamespacedRef {
  readonly namespace: DnsLabel
  readonly name: DnsName
}

/** Parses both; `fields` are their names in the error. Throws `InvalidName`. */
export function parseRef(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  fields: readonly [namespace: string, name: string] = ['namespace', 'name'],
): NamespacedRef {
  return { namespace: parseLabel(fields[0], namespace), name: parseName(fields[1], name) }
}
