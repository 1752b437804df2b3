import type { Caller } from '#core/cluster/caller.ts'
import { accountActor } from '#core/event-store/event.ts'
import type { Store } from '#core/event-store/store.ts'
import { parseLabel, parseName } from '#core/kube/names.ts'
import type { PublishMcpServerBody } from '#schemas/api/mcp-connectors.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject, McpServerSpec } from '#schemas/crds/mcp-server.ts'
import { serverPublished, streamOfServer } from '../contract/events.ts'

/** Publishes a server as the caller, who may read it, or ends its publication. Its credential is not part of the entry. */
export async function publishServer(
  store: Store,
  { cluster, username }: Caller,
  { namespace: place = 'default', server, title, description, tags = [], visibleTo }: PublishMcpServerBody,
  { traceparent }: { readonly traceparent: string },
): Promise<void> {
  const namespace = parseLabel('/namespace', place)
  const seenIn = visibleTo === 'all' ? null : visibleTo.map((name, index) => parseLabel(`/visibleTo/${index}`, name))
  const ref = { namespace, name: parseName('/server', server) }
  const { metadata, spec } = await cluster.get<McpServerObject>(McpServer, ref)
  const { uid = '' } = metadata
  const event = {
    type: serverPublished,
    subject: { namespace, kind: McpServer.kind, name: metadata.name, uid },
    actor: accountActor(username),
    data: { title, description, tags, url: spec.url, ...authOf(spec), visibleTo: seenIn },
    traceparent,
  }
  await store.transact((tx) => tx.append(streamOfServer(uid), 'any', [event]))
}

function authOf({ auth, secretRef }: McpServerSpec) {
  const kind = auth?.kind ?? (secretRef === undefined ? 'none' : 'bearer')
  return { auth: kind, ...(auth?.header === undefined ? {} : { header: auth.header }) }
}
