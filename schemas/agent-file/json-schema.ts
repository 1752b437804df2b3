import { AgentFile } from './schema.ts'

type Node = Record<string, unknown>

/** JSON Schema (2020-12) of agent files, with descriptions and defaults, for editors. */
export function agentFileJsonSchema(): Node {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Agent file', ...strip(AgentFile) }
}

/** The schema without descriptions and defaults. */
export function bareAgentFileSchema(): Node {
  return strip(AgentFile, new Set(['description', 'default']))
}

// Plain JSON Schema without Kubernetes' keywords and the platform's annotations, except for the bounds of durations, which the validator of the
// format reads.
function strip(schema: object, dropped: ReadonlySet<string> = new Set(), isMap = false): Node {
  const kept = Object.entries(schema).filter(
    ([key]) => isMap || key === 'x-mesh-duration' || !(key.startsWith('x-') || dropped.has(key)),
  )
  const entries = kept.map(([key, value]) => {
    const inner = !isMap && (key === 'properties' || key === 'patternProperties')
    return [key, stripValue(value, dropped, inner)]
  })
  return Object.fromEntries(entries) as Node
}

function stripValue(value: unknown, dropped: ReadonlySet<string>, isMap: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => stripValue(item, dropped, false))
  return typeof value === 'object' && value !== null ? strip(value, dropped, isMap) : value
}
