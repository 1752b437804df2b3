/** Compares resource versions, which are decimal numbers of any length (KEP-5504). */
export function isNewer(version: string, than: string): boolean {
  return version.length === than.length ? version > than : version.length > than.length
}
