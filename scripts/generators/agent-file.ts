import { agentFileJsonSchema, bareAgentFileSchema } from '#schemas/agent-file/json-schema.ts'

const BANNER = '// Generated from schemas/agent-file/schema.ts by `npm run generate`; do not edit.'

/** Schema of the simplified agent format: as plain data for `expand`, and as JSON Schema for editors. */
export async function generate(): Promise<Map<string, string>> {
  const bare = toJson(bareAgentFileSchema())
  return new Map([
    [
      'schemas/generated/agent-file-schema.ts',
      `${BANNER}\n// oxfmt-ignore\n/** JSON schema of the simplified agent format, without any library. */\nexport const agentFileSchema: Record<string, unknown> = ${bare}\n`,
    ],
    ['docs/reference/agent-file.schema.json', `${toJson(agentFileJsonSchema())}\n`],
  ])
}

function toJson(schema: object): string {
  return JSON.stringify(schema, undefined, 2)
}
