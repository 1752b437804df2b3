/** Reads a response and returns the bytes for the client. Throws `GatewayError`, including `FilterStop`. */
export interface ResponseReader {
  /** Adds bytes of the provider. */
  push(chunk: Buffer): void
  /** Returns the bytes that can be released. */
  take(): Promise<Buffer>
  /** Returns the rest, at the end of the response. */
  end(): Promise<Buffer>
}
