import type { Static } from 'typebox'
import type { Run } from '#schemas/api/runs.ts'
import { sendApi } from '#ui/api/request-api.ts'

/** The answer to an interrupt. */
export type InterruptDecision = Readonly<Record<string, unknown>> & { readonly interruptId: string }

// `crypto.randomUUID` needs https.
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Sends a write of a run: once, also if it is sent again. */
export async function sendRun<Response = Static<typeof Run>>(
  path: readonly string[],
  body: unknown = {},
): Promise<Response | undefined> {
  return sendApi<Response>({ method: 'POST', path: ['runs', ...path], body, headers: { 'idempotency-key': newKey() } })
}
