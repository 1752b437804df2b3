import { AgentFile } from '#schemas/agent-file/schema.ts'

type Node = Record<string, unknown>

const BANNER = '// Generated from schemas/agent-file/schema.ts by `npm run generate`; do not edit.'

/** Schema of the simplified agent format: as plain data for `expand`, and as JSON Schema for editors. */
export async function generate(): Promise<Map<string, string>> {
  const bare = JSON.stringify(strip(AgentFile, new Set(['description', 'default'])), undefined, 2)
  const documented = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Agent file',
    ...strip(AgentFile),
  }
  return new Map([
    [
      'schemas/generated/agent-file-schema.ts',
      `${BANNER}\n// oxfmt-ignore\n/** JSON schema of the simplified agent format, without any library. */\nexport const agentFileSchema: Record<string, unknown> = ${bare}\n`,
    ],
    ['docs/reference/agent-file.schema.json', `${JSON.stringify(documented, undefined, 2)}\n`],
  ])
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
