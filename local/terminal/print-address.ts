import type { CommandInput } from '#core/plugin/command.ts'
import type { OpenValues } from '#core/host/commands/all-command.ts'
import { waitForAccess } from './print-env.ts'

const ANSWER_MS = 10_000

/** Prints an address with a one-time code. It is not passed to a browser: other users of the machine see arguments of processes. */
export async function printAddress({ values, out, err }: CommandInput<OpenValues>): Promise<number> {
  const { url, token } = await waitForAccess(values, err)
  const response = await fetch(`${url}/session/codes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(ANSWER_MS),
  })
  if (!response.ok) throw new Error(`${url}/session/codes responded with ${response.status}`)
  const { code, expiresAt } = (await response.json()) as { readonly code: string; readonly expiresAt: string }
  const address = `${url}/#code=${code}`
  out(values.output === 'json' ? `${JSON.stringify({ address, expiresAt })}\n` : `${address}\n`)
  return 0
}
