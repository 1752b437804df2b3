import type { Actor, EventType } from '#core/event-store/event.ts'
import type { Store } from '#core/event-store/store.ts'
import { McpServer } from '#schemas/crds/mcp-server.ts'
import type { McpServerObject } from '#schemas/crds/mcp-server.ts'
import { streamOfServer } from '../contract/events.ts'
import type { DecidedManifest } from '../contract/events.ts'

/** A decision on a manifest, by a person or by the system. */
export interface AppendedDecision {
  readonly type: EventType<DecidedManifest>
  readonly actor: Actor
  readonly data: DecidedManifest
  readonly traceparent?: string
}

/** Records a decision in the stream of its server. */
export async function appendDecision(
  store: Store,
  { metadata: { uid = '', namespace, name } }: McpServerObject,
  decision: AppendedDecision,
): Promise<void> {
  const subject = { namespace, kind: McpServer.kind, name, uid }
  await store.transact((tx) => tx.append(streamOfServer(uid), 'any', [{ ...decision, subject }]))
}
