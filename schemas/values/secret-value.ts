/** The bytes of a key of a Secret; undefined without that key. */
export function secretValueOf(secret: { readonly metadata: object; readonly data?: unknown }, key: string) {
  const { data } = secret
  if (typeof data !== 'object' || data === null) return undefined
  // A key may be `constructor`, which every object inherits; inherited values are not strings.
  const encoded = (data as Readonly<Record<string, unknown>>)[key]
  return typeof encoded === 'string' ? Buffer.from(encoded, 'base64') : undefined
}
