import type { A2aTaskState } from '#schemas/api/a2a.ts'

/** A part of a message or an artifact: a text or JSON data. */
export type A2aPart = { readonly text: string } | { readonly data: unknown }

/** A message (A2A 1.0, section 4.1.4). */
export interface Message {
  readonly messageId: string
  readonly contextId: string
  readonly taskId: string
  readonly role: 'ROLE_USER' | 'ROLE_AGENT'
  readonly parts: readonly A2aPart[]
}

/** State of a task (section 4.1.2). */
export interface TaskStatus {
  readonly state: A2aTaskState
  readonly message?: Message
  /** RFC 3339. */
  readonly timestamp: string
}

/** A result of a task (section 4.1.7). */
export interface Artifact {
  readonly artifactId: string
  readonly name: string
  readonly parts: readonly A2aPart[]
}

/** A task (section 4.1.1): a run of the agent. */
export interface A2aTask {
  readonly id: string
  readonly contextId: string
  readonly status: TaskStatus
  readonly artifacts?: readonly Artifact[]
  readonly history?: readonly Message[]
}

interface OfTask {
  readonly taskId: string
  readonly contextId: string
}

/** An item of a stream (section 3.2.3). */
export type StreamItem =
  | { readonly task: A2aTask }
  | { readonly statusUpdate: OfTask & { readonly status: TaskStatus } }
  | { readonly artifactUpdate: OfTask & { readonly artifact: Artifact; readonly lastChunk: true } }

/** A value as a part: a string as text, any other value as JSON data. */
export function toPart(value: unknown): A2aPart {
  return typeof value === 'string' ? { text: value } : { data: value }
}
