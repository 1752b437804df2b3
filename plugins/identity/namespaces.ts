import type { Caller } from '#core/cluster/caller.ts'
import type { Directory } from '#core/cluster/namespace-directory.ts'
import { namespaceKind } from '#core/cluster/served-namespaces.ts'
import type { KubeObject } from '#core/kube/client.ts'
import type { DnsLabel } from '#core/kube/names.ts'
import { isStatus } from '#core/kube/status.ts'
import { DISPLAY_NAME_ANNOTATION } from '#schemas/names/labels.ts'
import { FIELD_MANAGER } from '#schemas/names/group.ts'

// Concurrent reads of one request.
const BATCH = 16

/** A page of namespaces, and the position of the next page. */
export interface NamespacePage {
  items: KubeObject[]
  /** Position of the next page, or undefined at the end. */
  next: string | undefined
}

/** A page of all namespaces. Throws the cluster's 403 for callers that may not list them. */
export async function listNamespaces(
  caller: Caller,
  page: { limit: number; after: string | undefined; signal: AbortSignal },
): Promise<NamespacePage> {
  const { limit, after, signal } = page
  const list = await caller.cluster.list(namespaceKind, {
    limit,
    signal,
    ...(after === undefined ? {} : { continue: after }),
  })
  return { items: [...list.items], next: list.continue }
}

/**
 * A page of the namespaces that the caller may get, in name order. Each known name is read with the caller's rights. Denied and deleted namespaces
 * are omitted, even from counts.
 */
export async function listPermittedNamespaces(
  caller: Caller,
  directory: Directory,
  page: { limit: number; after: string; signal: AbortSignal },
): Promise<NamespacePage> {
  const items: KubeObject[] = []
  let last = page.after
  let shown = last
  for (;;) {
    const names = await directory.namesAfter(last, BATCH)
    const read = await Promise.all(names.map((name) => readIfPermitted(caller, name, page.signal)))
    for (const [index, name] of names.entries()) {
      const found = read[index]
      last = name
      if (found === undefined) continue
      // One more than the limit is read to find out whether there is another page (CON8).
      if (items.length === page.limit) return { items, next: shown }
      items.push(found)
      shown = name
    }
    if (names.length < BATCH) return { items, next: undefined }
  }
}

async function readIfPermitted(caller: Caller, name: DnsLabel, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await caller.cluster.get(namespaceKind, { name }, { signal })
  } catch (error) {
    if (isStatus(error, 403) || isStatus(error, 404)) return undefined
    throw error
  }
}

/** Sets the display name, or removes it if empty. */
export function setDisplayName(
  caller: Caller,
  name: DnsLabel,
  displayName: string,
  options: { dryRun: boolean; signal: AbortSignal },
): Promise<KubeObject> {
  const value = displayName === '' ? null : displayName
  const body = { metadata: { annotations: { [DISPLAY_NAME_ANNOTATION]: value } } }
  return caller.cluster.patch(
    namespaceKind,
    { name },
    { type: 'merge', body },
    { ...options, fieldManager: FIELD_MANAGER },
  )
}
