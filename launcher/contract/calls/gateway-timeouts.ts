/** How long a call waits for the gateway, in milliseconds. */
export interface GatewayTimeouts {
  /** For the head of a response. Without streaming, the head arrives when the provider has finished. */
  readonly headersTimeout: number
  /** Between two chunks. */
  readonly bodyTimeout: number
}

/** As long as SDKs wait for a response, and longer than the gateway waits for the next chunk of a provider. */
export const defaultTimeouts: GatewayTimeouts = { headersTimeout: 600_000, bodyTimeout: 180_000 }

/** Whether a request ended because its server sent nothing in time. */
export function isTimeout(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT'
}
