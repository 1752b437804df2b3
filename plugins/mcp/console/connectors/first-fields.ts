import type { McpConnector } from '#schemas/api/mcp-connectors.ts'
import type { ServerFields } from '../servers/connect-fields.ts'

const MOST = 63

/** What the dialog begins with for a connector: its credential, and a name made of its title. Pure. */
export function firstFields({ id, title, url, auth, header = '' }: McpConnector, namespace: string): ServerFields {
  return { name: nameOf(title), namespace, url, kind: auth, header, clientId: '', connector: { id, title, url } }
}

// As names in a cluster are: lowercase words of ASCII with dashes between them.
function nameOf(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const name = words.join('-').slice(0, MOST)
  return name.endsWith('-') ? name.slice(0, -1) : name
}
