const SHOWN = 8

/** The first figures of an id; a copy has all of it. */
export function toShortId(id: string): string {
  return [...id].slice(0, SHOWN).join('')
}

/** Cuts a name in its middle; by code points, so that no emoji is broken. */
export function cutMiddle(name: string, most: number): string {
  const points = [...name]
  if (points.length <= most) return name
  const head = Math.ceil((most - 1) / 2)
  const tail = most - 1 - head
  return `${points.slice(0, head).join('')}…${tail === 0 ? '' : points.slice(-tail).join('')}`
}

/** An object: its namespace whole, its name cut. */
export function toObjectName(namespace: string, name: string, most = 40): string {
  return `${namespace}/${cutMiddle(name, Math.max(8, most - namespace.length - 1))}`
}

const hues = [248, 176, 28, 330, 212, 96, 8, 282]

/** The hue of a name: one name has one hue, so that the eye finds a row again. */
export function hueOf(name: string): number {
  const sum = [...name].reduce((total, one) => total + (one.codePointAt(0) ?? 0), 0)
  return hues[sum % hues.length] ?? 248
}

/** The letter of a name, for an avatar. */
export function initialOf(name: string): string {
  return [...name][0]?.toUpperCase() ?? '?'
}

/** The two letters of a person: `mira.lang@acme.dev` is `ML`, `system:serviceaccount:demo:bot` is `B`. */
export function initialsOf(username: string): string {
  const local = (username.split('@')[0] ?? '').split(/[:/]/).findLast((part) => part !== '') ?? ''
  const words = local.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
  return words.slice(0, 2).map(initialOf).join('') || '?'
}
