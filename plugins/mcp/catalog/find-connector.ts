import { Fail } from '#core/errors/domain-error.ts'
import { mcpErrors } from '../contract/errors.ts'
import { shippedServers } from './shipped-servers.ts'

/** A connector that a request names: its address, and how it authenticates. */
export interface FoundConnector {
  readonly url: string
  readonly auth: 'none' | 'bearer' | 'header' | 'oauth'
  readonly header?: string | undefined
}

/** Prefix of the ids of shipped servers. */
export const SHIPPED_PREFIX = 'shipped:'

/** Finds a connector by its id. Throws `unknown_connector`. */
export async function findConnector(id: string): Promise<FoundConnector> {
  const found = shippedServers.find((server) => `${SHIPPED_PREFIX}${server.id}` === id)
  if (found === undefined) throw new Fail(mcpErrors.unknown_connector, `There is no connector ${id}.`)
  return found
}
