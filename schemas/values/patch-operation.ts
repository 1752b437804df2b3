/** One operation of RFC 6902. */
export interface PatchOperation {
  op: 'add' | 'remove' | 'replace'
  path: string
  value?: unknown
}
