import type { IconName } from '../../parts/icon/icons.ts'

/** Something that the palette opens. */
export interface PaletteItem {
  readonly id: string
  readonly title: string
  /** Where it is: a namespace, a section. */
  readonly note: string
  readonly icon: IconName
  /** State of a run or an agent. */
  readonly state?: string
  /** An address, or an action. */
  readonly to?: string
  readonly run?: () => void
}

/** A heading of the palette with its items. */
export interface PaletteGroup {
  readonly title: string
  readonly items: readonly PaletteItem[]
}

const PER_GROUP = 6
const WITHOUT_WORDS = 4

/** Items that have all the words, by group; without words the first ones of each. An empty group is left out. */
export function findItems(groups: readonly PaletteGroup[], typed: string): readonly PaletteGroup[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const limit = words.length === 0 ? WITHOUT_WORDS : PER_GROUP
  return groups
    .map(({ title, items }) => {
      const found = items.map((item) => ({ item, rank: rankOf(item, words) })).filter(({ rank }) => rank > 0)
      const ordered = found.toSorted((a, b) => b.rank - a.rank).map(({ item }) => item)
      return { title, items: ordered.slice(0, limit) }
    })
    .filter(({ items }) => items.length > 0)
}

// A title that begins with the words comes before one that has them.
function rankOf({ title, note, id }: PaletteItem, words: readonly string[]): number {
  const all = `${title} ${note} ${id}`.toLowerCase()
  if (!words.every((word) => all.includes(word))) return 0
  return words[0] !== undefined && title.toLowerCase().startsWith(words[0]) ? 2 : 1
}

const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i

/** The path that a pasted address or id of a run opens; undefined for other words. An address of another origin opens nothing. */
export function pastedPath(typed: string, origin: string): string | undefined {
  const words = typed.trim()
  if (uuid.test(words)) return `/runs/${words.toLowerCase()}`
  if (!words.startsWith(`${origin}/`)) return undefined
  const { pathname, search } = new URL(words)
  return pathname + search
}
