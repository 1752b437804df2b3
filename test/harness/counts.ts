/** Whether this is `npm run test:long`, which runs other variants and full counts. */
export const long = process.env.MESH_LONG === 'true'

/** Returns the count of an everyday run, or of the long one. */
export function countOf(everyday: number, full: number): number {
  return long ? full : everyday
}
