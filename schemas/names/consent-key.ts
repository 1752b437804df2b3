import { createHash } from 'node:crypto'

/** What names an MCP server in the ids of interrupts that wait for a consent. */
export function toConsentKey(namespace: string, server: string): string {
  return createHash('sha256').update(`${namespace}/${server}`).digest('hex').slice(0, 24)
}
