import type { CliInput } from '#cli/contract/command.ts'
import { agentFileJsonSchema } from '#schemas/agent-file/json-schema.ts'

/** Prints the JSON Schema of agent files. */
export async function printSchema({ out }: CliInput): Promise<number> {
  out(`${JSON.stringify(agentFileJsonSchema(), undefined, 2)}\n`)
  return 0
}
