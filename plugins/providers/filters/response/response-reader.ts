/** Reads a response and returns the bytes for the client. Throws `GatewayError`, also a `FilterStop`. */
export interface ResponseReader {
  /** Adds bytes of the provider. */
  push(chunk: Buffer): void
  /** What can be released. */
  take(): Promise<Buffer>
  /** The rest, at the end of the response. */
  end(): Promise<Buffer>
}
