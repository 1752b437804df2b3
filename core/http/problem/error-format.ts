import { definePoint } from '#core/jobs/extension-point.ts'

/** An error on the wire. */
export interface WireError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly contentType: string
  readonly body: string
}

/** Parts of the request available to an error format; without method and path if Node's parser refused it. */
export interface FailedRequest {
  readonly method?: string
  /** Without the query. */
  readonly path?: string
  /** No route matches path and method. */
  readonly isUnknown: boolean
}

/** Error format of a listener whose clients expect something other than problem+json. */
export interface ErrorFormat {
  readonly role: 'bff' | 'gateway' | 'state' | 'manager'
  write(error: unknown, request: FailedRequest): WireError
}

/** Contributed by the plugin whose API a role serves; at most one per role. */
export const errorFormat = definePoint<ErrorFormat>('http.error-format')
