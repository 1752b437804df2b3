import { createHash } from 'node:crypto'

/** Origin of a tool. */
export interface ToolOrigin {
  /** Entry of `spec.tools` of the agent. */
  readonly entry: string
  /** Name of the tool at its server. */
  readonly tool: string
}

// Model APIs accept 64 characters of this class in a function name.
const MAX_NAME = 64
const HASH_LENGTH = 8
// Tools of the built-in loop whose names could also result from an entry and a tool.
const reserved: ReadonlySet<string> = new Set(['ask_human', 'search_knowledge'])

/**
 * Names under which an agent and its model see tools: `entry_tool`, so that a tool of a new entry renames no other. A name that is too long or not
 * unique ends with a hash of its origin. In the order of `origins`. Pure.
 */
export function nameTools(origins: readonly ToolOrigin[]): readonly string[] {
  const plain = origins.map(({ entry, tool }) => `${entry}_${tool}`.replaceAll(/[^A-Za-z0-9_-]/g, '_'))
  const counts = new Map<string, number>()
  for (const [index, origin] of origins.entries()) {
    const name = plain[index] ?? ''
    if (!isAltered(name, origin)) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return origins.map((origin, index) => {
    const name = plain[index] ?? ''
    const isOwn = counts.get(name) === 1 && !isAltered(name, origin) && !reserved.has(name)
    const isClear = name.length <= MAX_NAME && isOwn
    return isClear ? name : `${name.slice(0, MAX_NAME - HASH_LENGTH - 1)}_${hashOf(origin)}`
  })
}

// Such a name would change if a tool with the same plain name were added.
function isAltered(name: string, { entry, tool }: ToolOrigin): boolean {
  return name !== `${entry}_${tool}`
}

function hashOf({ entry, tool }: ToolOrigin): string {
  return createHash('sha256').update(`${entry}\n${tool}`).digest('hex').slice(0, HASH_LENGTH)
}
