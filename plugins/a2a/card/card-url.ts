import type { Call } from '#core/http/endpoint/endpoint.ts'
import type { AgentPath } from './read-agent.ts'

/** URL of the JSON-RPC route of an agent: based on the setting `publicUrl`, else on the host of the request. */
export function toRpcUrl(
  publicUrl: string | undefined,
  { request }: Pick<Call<unknown, unknown, unknown>, 'request'>,
  { ns, name }: AgentPath,
): string {
  const base = publicUrl?.replace(/\/$/, '') ?? `${request.protocol}://${request.host}`
  return `${base}/api/agents/${ns}/${name}/a2a`
}
