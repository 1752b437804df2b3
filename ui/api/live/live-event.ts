/** What the console uses of an event: its type and the object that it is about. */
export interface LiveEvent {
  /** Without domain and version: `runs.created`. */
  readonly type: string
  /** Undefined for an object of the whole installation. */
  readonly namespace: string | undefined
  readonly kind: string
  readonly name: string
}

const typePattern = /^dev\.mesh\.([a-z-]+\.[a-z-]+)\.v\d+$/

/** Reads the CloudEvent of a frame; undefined for one of another plugin, or for what is no event. */
export function toLiveEvent(data: string): LiveEvent | undefined {
  let event: { readonly type?: unknown; readonly subject?: unknown } | null
  try {
    event = JSON.parse(data) as typeof event
  } catch {
    return undefined
  }
  const [, type] = typePattern.exec(String(event?.type)) ?? []
  const [namespace, kind, ...name] = String(event?.subject).split('/')
  if (type === undefined || namespace === undefined || kind === undefined || name.length === 0) return undefined
  return { type, namespace: namespace === '_' ? undefined : namespace, kind, name: name.join('/') }
}
